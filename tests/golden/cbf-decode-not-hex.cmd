cairn cbf decode --text 02zz
