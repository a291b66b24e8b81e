cairn cbf find --help
