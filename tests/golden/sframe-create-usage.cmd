cairn sframe create
cairn sframe create a b
cairn sframe create --format 1 a
cairn sframe create --by-section a
cairn sframe create --share-rows --join-functions a
cairn sframe create --as text a
cairn sframe create --as rows --format 2 a
cairn sframe create --tree dwarf
cairn sframe create --tree dwarf -o store a
cairn sframe create --core a --tree dwarf -o store
cairn sframe create --directory dwarf a
cairn sframe create --core a -o store b
cairn sframe create --core a
cairn sframe create --jobs 0 a
