cairn bt --help
