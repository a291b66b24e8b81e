cairn group group/crashes.json
