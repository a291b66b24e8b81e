cairn sframe convert --help
