cairn symbols --help
cairn symbols write --help
