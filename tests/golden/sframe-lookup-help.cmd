cairn sframe lookup --help
