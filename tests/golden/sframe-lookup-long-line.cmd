printf '0x%02000d\n0x4000b0\n' 1 | cairn sframe lookup --lines --hex sframe/program-linked.hex 2>/dev/null | cut -c 1-40
