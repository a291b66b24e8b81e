cairn sframe merge --help
