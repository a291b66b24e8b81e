# needs libdw
cairn sframe verify --hex sframe/program-linked.hex
