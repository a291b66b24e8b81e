cairn bt
