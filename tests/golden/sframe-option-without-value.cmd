cairn sframe dump --raw sframe/program.s --address
