cairn cbf decode --lines cbf/odd.hex
