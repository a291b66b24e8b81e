cairn markup --debug-file-directory=markup/debug markup/missing.log
