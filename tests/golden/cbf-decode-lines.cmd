cairn cbf decode --lines cbf/trace.hex
