# on nowhere
cairn bt 4
cairn bt -explain 2
cairn bt -json 2
cairn where $pc
