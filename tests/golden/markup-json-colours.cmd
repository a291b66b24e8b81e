tr '~' '\033' <markup/colours.log | cairn markup --json --debug-file-directory=markup/debug 2>/dev/null | tr '\033' '~'
