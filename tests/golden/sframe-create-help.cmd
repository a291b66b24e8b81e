cairn sframe create --help
