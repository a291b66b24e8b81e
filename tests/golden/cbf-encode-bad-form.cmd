cairn cbf encode --to json --text p1
