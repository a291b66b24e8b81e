cairn dwarf dump --help
