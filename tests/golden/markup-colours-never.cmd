tr '~' '\033' <markup/colours.log | cairn markup --color=never | tr '\033' '~'
