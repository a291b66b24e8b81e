cairn cbf encode --bits 16 --text "p1 p10000"
