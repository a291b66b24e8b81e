printf 'MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F100 prog\nFILE 0 /src/a.c\nFUNC 1000 10 0 run\n1000 8 10 0\nbroken\n1008 8 11 0\nPUBLIC 2000 0 stub\n' |
	cairn gsym create - -o - | cairn gsym lookup - 0x1009 0x2000
