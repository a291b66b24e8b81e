cairn sframe dump --colour sframe/program.s
