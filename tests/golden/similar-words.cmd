cairn makrup
cairn symb
cairn gsym craete
cairn bt --registres
cairn symbols write --debuger=gdb
cairn bt --xyz=3
cairn bt -x
