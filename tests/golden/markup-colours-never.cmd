cairn markup --color=never markup/colours.log
