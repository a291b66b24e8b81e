cairn sframe dump --hex --json sframe/program-object.hex
