cairn symbfile --help; cairn symbfile dump --help
