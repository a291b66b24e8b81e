cairn sframe dump --hex --lines sframe/program-no-sections.hex
