cairn cbf decode --lines cbf/damaged.hex
