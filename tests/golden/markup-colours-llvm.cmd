tr '~' '\033' <markup/colours.log | cairn markup --compat=llvm --debug-file-directory=markup/debug --color=always 2>/dev/null | tr '\033' '~'
