cairn sframe verify --raw --hex --address 0x5000 sframe/v3-amd64.hex
