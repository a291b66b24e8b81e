cairn sframe dump --address=12z sframe/program.s
