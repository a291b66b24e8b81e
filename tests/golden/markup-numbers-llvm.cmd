cairn markup --compat=llvm --debug-file-directory=markup/debug markup/numbers.log 2>/dev/null
