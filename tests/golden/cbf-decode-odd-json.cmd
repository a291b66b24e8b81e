cairn cbf decode --json cbf/odd.hex
