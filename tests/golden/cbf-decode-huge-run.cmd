cairn cbf decode --text 0210078fffffffffffffffff20011000
