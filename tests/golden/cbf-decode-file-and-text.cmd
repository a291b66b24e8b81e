cairn cbf decode --text 0200 cbf/trace.hex
