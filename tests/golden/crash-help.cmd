cairn crash --help
