cairn markup --debug-file-directory=markup/debug markup/table.log
