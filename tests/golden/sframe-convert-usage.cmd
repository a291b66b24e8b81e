cairn sframe convert
cairn sframe convert a
cairn sframe convert --to 1 a
cairn sframe convert --to 3 --by-section a
cairn sframe convert --to 2 --raw --side-file a
cairn sframe convert --to 2 a b
