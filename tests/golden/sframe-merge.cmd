cairn sframe merge dwarf/v5.o dwarf/v5.o -o -
cairn sframe merge dwarf/linked dwarf/v5.o -o -
cairn sframe merge dwarf/linked dwarf/i386.o -o -
cairn sframe merge dwarf/linked sframe/program.s -o -
