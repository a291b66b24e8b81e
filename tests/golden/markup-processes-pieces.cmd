dd bs=3 if=markup/processes.log 2>/dev/null | cairn markup --split-by='^\[([0-9]+)\]' --debug-file-directory=markup/debug
