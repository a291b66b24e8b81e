cairn group --help
