# the highest address of all beside others, which are inside of an inlined call
cairn where --no-cache dwarf/v5.o 0xf 0x20 0x2f 0xffffffffffffffff
