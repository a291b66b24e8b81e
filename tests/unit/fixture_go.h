/* SPDX-License-Identifier: MIT */
/*
 * Go programs made by hand, in every layout of their table of functions.  They have two functions at
 * FIXTURE_GO_TEXT, of 0x40 and 0x20 bytes, the last 8 of which are padding:
 *
 *	main.outer   1000 a.go:10  100f a.go:11  1010 b.go:20  1017 b.go:21  1018 b.go:30  1020 a.go:12
 *	             1010 to 1020 are main.middle, called in a.go:11,
 *	             1018 to 1020 of it main.inner, called in b.go:21
 *	main.main    1040 a.go:40, the outermost function
 *
 * A frame of either has no bytes in its first 4 bytes of code, then 0x18.
 */
#ifndef CAIRN_TESTS_UNIT_FIXTURE_GO_H
#define CAIRN_TESTS_UNIT_FIXTURE_GO_H

#include "fixture_elf.h"

#include "formats/gopclntab.h"

enum { FIXTURE_GO_TEXT = 0x1000, FIXTURE_GO_TABLE = 0x2000 };

struct fixture_go {
	enum gopclntab_layout layout;
	bool narrow, big;
	bool relocated; /* pointers are in relocations; not with `narrow` */
	bool bare;      /* without section headers */
	bool no_module; /* there is no moduledata, and of 1.2 no version */
	bool no_text;   /* as from Go 1.26 on, the table does not know where the code begins */
	bool sizes;     /* as from Go 1.27 on, moduledata has sizes among the addresses of types */
	const char *second; /* name of the second function, which writes the stack pointer then; NULL: main.main */
};

struct fixture_go_places {
	size_t table;                      /* in the file */
	size_t index, entry, lines, units; /* in the table; of the first function */
	size_t names, tree;                /* `tree` in the file */
};

void fixture_go(struct fixture_out *file, const struct fixture_go *go,
                struct fixture_go_places *places);

#endif
