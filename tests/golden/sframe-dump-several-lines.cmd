cairn sframe dump --raw --lines --hex sframe/two-tables.hex sframe/v2-aarch64.hex
