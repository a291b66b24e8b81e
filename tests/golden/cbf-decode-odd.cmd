cairn cbf decode cbf/odd.hex
