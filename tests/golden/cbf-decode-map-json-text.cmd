cairn cbf decode --image-map --text '{}'
