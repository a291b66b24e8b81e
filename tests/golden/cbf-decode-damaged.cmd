cairn cbf decode cbf/damaged.hex
