cairn profile convert --help
