cairn sframe dump --raw --hex --address 0x5000 --lines sframe/v3-amd64.hex
