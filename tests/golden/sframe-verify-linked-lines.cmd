# needs libdw
cairn sframe verify --hex --lines sframe/program-linked.hex
