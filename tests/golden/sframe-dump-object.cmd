cairn sframe dump --hex sframe/program-object.hex
