cairn sframe dump
