cairn cbf decode --text ""
