cairn sframe dump --hex --json sframe/program-linked.hex
