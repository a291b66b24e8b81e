cairn markup --json --debug-file-directory=markup/debug markup/names.log 2>/dev/null
