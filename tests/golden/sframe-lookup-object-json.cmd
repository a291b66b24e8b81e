cairn sframe lookup --hex --json sframe/program-object.hex .text+7 .text.other+0x4 .text+0x20 .text+0x20-1 .data+0 1
