cairn markup --style=fuchsia --debug-file-directory=markup/debug markup/frames.log
