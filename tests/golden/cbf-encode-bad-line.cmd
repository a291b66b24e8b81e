printf 'p1\nq2\np3 *4\np0x\n1\t0x2 [ra] xy\n2\t... 5\nF 1\nbacktrace 2:\np5\n' | cairn cbf encode -
