cairn sframe dump --hex --json sframe/program-no-sections.hex
