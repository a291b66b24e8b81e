cairn dwarf dump --no-symbols dwarf/nested.o dwarf/i386.o dwarf/big.o
