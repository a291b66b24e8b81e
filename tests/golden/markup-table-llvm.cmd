cairn markup --compat=llvm --debug-file-directory=markup/debug markup/table.log 2>/dev/null
