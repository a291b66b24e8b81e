cairn sframe dump --raw --hex --address 0x3000 --json sframe/two-tables.hex
