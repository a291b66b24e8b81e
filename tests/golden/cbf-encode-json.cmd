cairn cbf encode --json --bits 32 --text "p10 p20 t"
