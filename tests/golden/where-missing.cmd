cairn where --no-cache dwarf/named 0x1
