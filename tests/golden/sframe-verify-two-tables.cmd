cairn sframe verify --raw --hex --address 0x3000 sframe/two-tables.hex
