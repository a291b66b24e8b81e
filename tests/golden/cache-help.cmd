cairn cache --help
