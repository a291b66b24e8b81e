cairn sframe dump --hex sframe/program.s
