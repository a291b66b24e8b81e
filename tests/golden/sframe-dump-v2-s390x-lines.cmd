cairn sframe dump --raw --hex --address 0x2000 --lines sframe/v2-s390x.hex
