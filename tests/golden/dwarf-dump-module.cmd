# the file of a module of Clang is no missing half
cairn dwarf dump --summary dwarf/module.o
