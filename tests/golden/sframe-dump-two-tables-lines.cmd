cairn sframe dump --raw --hex --address 0x3000 --lines sframe/two-tables.hex
