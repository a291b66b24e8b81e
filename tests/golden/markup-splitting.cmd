cairn markup --debug-file-directory=markup/debug markup/splitting.log
