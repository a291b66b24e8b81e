cairn cbf --help
