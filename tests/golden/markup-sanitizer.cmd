tr '~' '\033' <markup/sanitizer.log | cairn markup --debug-file-directory=markup/debug | tr '\033' '~'
