cairn sframe verify --raw --hex --address 0x8000 sframe/damaged.hex
