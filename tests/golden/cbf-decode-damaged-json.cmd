cairn cbf decode --json cbf/damaged.hex
