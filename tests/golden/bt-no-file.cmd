cairn bt nosuch
