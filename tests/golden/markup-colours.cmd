cairn markup --debug-file-directory=markup/debug --color=always markup/colours.log
