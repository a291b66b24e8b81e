# needs libdw
cairn sframe verify --lines --hex sframe/program-object.hex sframe/program-no-sections.hex
