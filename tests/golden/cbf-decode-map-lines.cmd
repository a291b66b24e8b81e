cairn cbf decode --lines --image-map cbf/map.hex
