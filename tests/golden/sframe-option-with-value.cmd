cairn sframe dump --lines=yes sframe/program.s
