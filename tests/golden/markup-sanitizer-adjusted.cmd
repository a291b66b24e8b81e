tr '~' '\033' <markup/sanitizer.log | cairn markup --adjusted --debug-file-directory=markup/debug 2>/dev/null | tr '\033' '~'
