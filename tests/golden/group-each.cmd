cairn group --each group/crashes.json
