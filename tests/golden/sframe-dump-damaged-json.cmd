cairn sframe dump --raw --hex --address 0x8000 --json sframe/damaged.hex
