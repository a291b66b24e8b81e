cairn markup --compat=llvm --debug-file-directory=markup/debug markup/missing.log 2>/dev/null
