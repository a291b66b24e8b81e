cairn markup --debug-file-directory=markup/debug markup/context.log
