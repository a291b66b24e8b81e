cairn sframe dump --hex sframe/program-linked.hex
