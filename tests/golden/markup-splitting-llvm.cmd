cairn markup --compat=llvm --debug-file-directory=markup/debug markup/splitting.log 2>/dev/null
