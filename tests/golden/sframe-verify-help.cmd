cairn sframe verify --help
