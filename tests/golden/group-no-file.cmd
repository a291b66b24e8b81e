cairn group group/none.json
