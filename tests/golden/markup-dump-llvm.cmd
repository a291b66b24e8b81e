cairn markup --compat=llvm --debug-file-directory=markup/debug markup/dump.log 2>/dev/null
