cairn markup --debug-file-directory=markup/debug markup/numbers.log
