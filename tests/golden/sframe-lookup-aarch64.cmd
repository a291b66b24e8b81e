cairn sframe lookup --raw --hex --address 0x9000 sframe/v2-aarch64.hex 0x8f00 0x8f04 0x8f20
