cairn sframe dump --help
