cairn markup --debug-file-directory=markup/debug markup/dump.log
