cairn sframe dump --raw --hex --address 0x2000 sframe/v2-s390x.hex
