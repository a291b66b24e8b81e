cairn dwarf dump dwarf/split
cairn dwarf dump --summary --split-directory dwarf dwarf/split
cairn dwarf dump --summary --package dwarf/split.dwp dwarf/split
cairn dwarf dump --summary --package dwarf/split.dwo dwarf/split
