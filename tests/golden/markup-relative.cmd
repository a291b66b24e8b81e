cairn markup --relativenames --functions=none --debug-file-directory=markup/debug markup/frames.log 2>/dev/null
