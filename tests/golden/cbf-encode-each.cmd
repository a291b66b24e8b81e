printf 'p1 p2*3\n-\nt\no5 r1\n' | cairn cbf encode --each -
