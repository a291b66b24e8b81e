cairn markup --debug-file-directory=markup/debug markup/frames.log
