cairn doctor --help
cairn doctor all
