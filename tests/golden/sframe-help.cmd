cairn sframe --help
