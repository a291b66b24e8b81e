cairn sframe dump sframe/program.s
