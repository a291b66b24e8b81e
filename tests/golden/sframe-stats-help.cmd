cairn sframe stats --help
