printf '%b\n' 0x400000 0x4000b7 4194481 0x4000b0-0x200000000000000000 'a\033 b' \
	'\0342\0200\0256 \0303\0251 \0377 \\\\' '' |
	cairn sframe lookup --hex --lines sframe/program-linked.hex
