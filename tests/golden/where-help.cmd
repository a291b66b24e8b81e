cairn where --help
