cairn sframe dump --hex sframe/program-no-sections.hex
