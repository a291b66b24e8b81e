cairn sframe verify --hex sframe/program-object.hex
