# An ELF header and nothing else.
printf "7f454c46 02010100 0000000000000000 0300 3e00 01000000 %080d" 0 |
	cairn sframe dump --hex -
