cairn sframe verify --hex --json sframe/program-object.hex
