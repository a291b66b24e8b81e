cairn sframe verify --raw --hex --address 0x9000 sframe/v2-aarch64.hex
