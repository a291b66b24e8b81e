cairn markup --debug-file-directory=markup/debug markup/names.log
