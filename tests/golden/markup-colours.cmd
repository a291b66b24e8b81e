tr '~' '\033' <markup/colours.log | cairn markup --debug-file-directory=markup/debug --color=always | tr '\033' '~'
