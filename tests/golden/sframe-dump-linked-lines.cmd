cairn sframe dump --hex --lines sframe/program-linked.hex
