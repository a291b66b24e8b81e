# needs libdw
cairn sframe create --report dwarf/linked -o - 2>&1 >/dev/null
cairn sframe create --json --format 2 dwarf/linked -o - 2>&1 >/dev/null
cairn sframe create --quiet dwarf/linked -o - | cairn sframe dump -
cairn sframe create --quiet dwarf/linked -o - | cairn sframe verify --against dwarf/linked -
cairn sframe create sframe/v3-amd64.hex -o -
cairn sframe create no-such-file -o -
