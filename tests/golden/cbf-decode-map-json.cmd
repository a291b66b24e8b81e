cairn cbf decode --json --image-map cbf/map.hex
