cairn markup --compat=llvm --debug-file-directory=markup/debug markup/context.log 2>/dev/null
