cairn cbf decode missing.hex
