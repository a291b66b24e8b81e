# needs libdw
cairn sframe verify --hex --json sframe/program-linked.hex
