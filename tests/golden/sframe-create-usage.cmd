cairn sframe create
cairn sframe create a b
cairn sframe create --format 1 a
cairn sframe create --by-section a
