cairn markup --directory=markup/breakpad --debug-file-directory=/nonexistent markup/frames.log 2>/dev/null
