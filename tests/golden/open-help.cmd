cairn open --help
