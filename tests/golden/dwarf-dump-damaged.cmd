damage() { head -c "$1" dwarf/linked; printf '\000\000\000\000\377\377\377\377\377\377\377\377'; tail -c "+$(($1 + 13))" dwarf/linked; }
# .debug_info begins at byte 4260 of this file, .debug_abbrev at 5195, .debug_line at 5760
damage 4260 | cairn dwarf dump --summary -
damage 4800 | cairn dwarf dump --summary -
damage 5500 | cairn dwarf dump --summary -
damage 5770 | cairn dwarf dump --summary -
damage 6050 | cairn dwarf dump --summary -
cairn dwarf dump gsym/prog
cairn dwarf dump dwarf/make.sh
