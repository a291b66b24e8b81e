cairn --help
