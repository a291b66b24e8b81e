printf 'F 0 p10 x 0x1 00\nS 0 inner 4 a.c:1 inlined -\nS 0 outer 8 a.c:2 - -\nE 1 0 end 4 64 - - - -\n' |
	cairn cbf encode -
printf '0\t0x10\tx+0x1\tinner + 4 at a.c:1 [inlined]\n\t\t\touter + 8 at a.c:2\n' | cairn cbf encode -
