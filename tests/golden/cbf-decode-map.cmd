cairn cbf decode --image-map cbf/map.hex
