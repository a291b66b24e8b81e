cairn cbf encode --help
