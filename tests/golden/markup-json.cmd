cairn markup --json --debug-file-directory=markup/debug markup/dump.log
