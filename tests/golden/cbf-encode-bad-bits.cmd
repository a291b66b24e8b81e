cairn cbf encode --bits 8 --text p1
