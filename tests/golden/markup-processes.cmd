cairn markup --split-by='^\[([0-9]+)\]' --debug-file-directory=markup/debug markup/processes.log
