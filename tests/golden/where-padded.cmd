# addresses as nm prints them, and decimal ones
cairn where --no-cache dwarf/v5.o 0000000000000020 00000020 32 000032
