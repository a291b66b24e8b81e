cairn dwarf dump --calls dwarf/v5.o dwarf/clang.o
