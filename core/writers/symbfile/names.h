/* SPDX-License-Identifier: MIT */
/* Names as symbfiles store them. */
#ifndef CAIRN_WRITERS_SYMBFILE_NAMES_H
#define CAIRN_WRITERS_SYMBFILE_NAMES_H

#include "maker.h"

#include "formats/itanium/itanium.h"
#include "symbols/names/demangle.h"

struct symbfile_naming {
	char *cut, *text;                 /* the last answer */
	char plain[ITANIUM_TEXT_MAX];     /* the same */
	char readable[DEMANGLE_TEXT_MAX]; /* the same, with the arguments of templates */
	struct itanium itanium;
};

/* The name of a linker's symbol; good until the next question. */
struct cairn_bytes symbfile_name(void *naming, struct cairn_bytes linked);
void symbfile_naming_finish(struct symbfile_naming *naming);

#endif
