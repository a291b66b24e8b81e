# SPDX-License-Identifier: MIT
# A program of COUNT functions as assembly with DWARF 4, each with ROWS rows of its line table and INLINED
# calls: what a compiler would take minutes for. A row has 32 bytes of code and a call 64, because cairn
# rejects debugging information that is too large for the file that it is in.
#
#	awk -v count=300 -v rows=5 -v inlined=0 -f growth_functions.awk
function abbreviation(number, tag, children, attributes) {
	printf "\t.uleb128 %d, %d\n\t.byte %d\n\t.uleb128 %s, 0, 0\n", number, tag, children, attributes
}
function string(text) {
	printf "\t.string \"%s\"\n", text
}
BEGIN {
	if (!rows)
		rows = inlined ? 1 : 5
	print "\t.file 1 \"/src/made.c\"\n\t.text\n\t.globl _start\n_start:"
	for (i = 0; i < count; i++) {
		printf "\t.globl f%d\n\t.type f%d, @function\nf%d:\n", i, i, i
		for (k = 0; k < rows; k++)
			printf "\t.loc 1 %d\n\t.quad -1, -1, -1, -1\n", i * 7 + k * 3 % 1000 + 1
		for (k = 0; k < inlined; k++)
			printf ".Lc%d_%d:\n\t.loc 1 %d\n\t.quad -1, -1, -1, -1, -1, -1, -1, -1\n", i, k, k % 1000 + 3
		printf ".Le%d:\n\t.size f%d, .-f%d\n", i, i, i
	}
	print ".Lend:\n\t.section .debug_abbrev,\"\",@progbits\n.Labbrev:"
	abbreviation(1, 17, 1, "3, 8, 16, 23, 17, 1, 18, 7") # a unit: name, lines, low, high
	abbreviation(2, 46, 1, "3, 8, 17, 1, 18, 7") # a function
	abbreviation(3, 29, 0, "49, 19, 17, 1, 18, 6, 88, 11, 89, 15") # an inlined call
	abbreviation(4, 46, 0, "3, 8, 32, 11") # what is inlined
	print "\t.byte 0\n\t.section .debug_info,\"\",@progbits\n.Lunit:\n\t.4byte .Lafter - .Lversion"
	print ".Lversion:\n\t.2byte 4\n\t.4byte .Labbrev\n\t.byte 8\n\t.uleb128 1"
	string("made.c")
	print "\t.4byte .Llines\n\t.8byte _start\n\t.8byte .Lend - _start"
	print ".Linlined:\n\t.uleb128 4"
	string("inlined")
	print "\t.byte 1"
	for (i = 0; i < count; i++) {
		print "\t.uleb128 2"
		string("f" i)
		printf "\t.8byte f%d\n\t.8byte .Le%d - f%d\n", i, i, i
		for (k = 0; k < inlined; k++)
			printf "\t.uleb128 3\n\t.4byte .Linlined - .Lunit\n\t.8byte .Lc%d_%d\n\t.4byte 64\n\t.byte 1\n\t.uleb128 %d\n",
				i, k, k % 1000 + 1
		print "\t.byte 0"
	}
	print "\t.byte 0\n.Lafter:\n\t.section .debug_line,\"\",@progbits\n.Llines:\n\t.section .note.GNU-stack,\"\",@progbits"
}
