cairn sframe dump --hex --lines sframe/program-object.hex
