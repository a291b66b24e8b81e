cairn sframe verify --hex --lines sframe/program-object.hex
