# needs libdw
cairn sframe create --as rows --report dwarf/linked -o - 2>&1 >/dev/null
cairn sframe create --as rows --json dwarf/linked -o - 2>&1 >/dev/null
cairn sframe create --as rows --quiet dwarf/linked -o - | od -An -v -tx1
cairn sframe create --as rows --quiet dwarf/linked -o - | cairn sframe verify --as rows --against dwarf/linked -
cairn sframe create --as rows --quiet dwarf/linked -o - | cairn sframe verify --as rows -
cairn sframe verify --as text dwarf/linked
cairn sframe verify --as rows dwarf/linked
