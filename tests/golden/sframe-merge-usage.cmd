cairn sframe merge
cairn sframe merge a
cairn sframe merge --format 1 a b
cairn sframe merge --format 3 --by-section a b
