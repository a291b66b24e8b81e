cairn cbf decode cbf/trace.hex
