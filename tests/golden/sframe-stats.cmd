cairn sframe stats --raw --hex sframe/v3-amd64.hex
cairn sframe stats --json --raw --hex sframe/v3-amd64.hex
cairn sframe create --quiet dwarf/linked -o - | cairn sframe stats -
cairn sframe stats dwarf/linked
