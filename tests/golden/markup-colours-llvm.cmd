cairn markup --compat=llvm --debug-file-directory=markup/debug --color=always markup/colours.log 2>/dev/null
