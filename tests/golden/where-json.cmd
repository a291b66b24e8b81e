cairn where --no-cache --json dwarf/named 0x401040
