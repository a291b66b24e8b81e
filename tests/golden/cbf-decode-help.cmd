cairn cbf decode --help
