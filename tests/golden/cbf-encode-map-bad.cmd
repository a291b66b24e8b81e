printf 'M 63 x\nI 0x1 0x2 zz /a\nI 0x1 0x2 - /\\q\nI x\nJ\nM 16 x\nI 0x10000 0x2 - -\nM 64 -\n' | cairn cbf encode --image-map -
