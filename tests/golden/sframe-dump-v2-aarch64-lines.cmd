cairn sframe dump --raw --hex --address 0x9000 --lines sframe/v2-aarch64.hex
