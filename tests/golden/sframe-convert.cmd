# needs libdw
cairn sframe create --quiet dwarf/linked -o - | cairn sframe convert --to 2 --report - -o - 2>&1 >/dev/null
cairn sframe create --quiet dwarf/linked -o - | cairn sframe convert --to 2 --quiet - -o - | cairn sframe dump -
cairn sframe create --quiet dwarf/linked -o - | cairn sframe convert --to 2 --quiet - -o - | cairn sframe verify --against dwarf/linked -
cairn sframe create --quiet dwarf/linked -o - | cairn sframe convert --to 2 --quiet - -o - | cairn sframe convert --to 3 --json - -o - 2>&1 >/dev/null
cairn sframe convert --to 2 dwarf/linked -o -
cairn sframe convert --to 2 --raw sframe/v3-amd64.hex -o -
cairn sframe convert --to 2 dwarf/v5.o -o -
