cairn profile --help
