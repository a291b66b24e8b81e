/* SPDX-License-Identifier: MIT */
/* Demangles names into the form that symbfiles store. */
#ifndef CAIRN_WRITERS_SYMBFILE_NAMES_H
#define CAIRN_WRITERS_SYMBFILE_NAMES_H

#include "maker.h"

#include "formats/itanium/itanium.h"
#include "symbols/demangle.h"

struct symbfile_naming {
	char *cut, *text;
	char plain[ITANIUM_TEXT_MAX];
	char readable[DEMANGLE_TEXT_MAX];
	struct itanium itanium;
};

/*
 * Demangle a symbol name. `naming` points to a struct symbfile_naming. The result is valid until
 * the next call.
 */
struct cairn_bytes symbfile_name(void *naming, struct cairn_bytes linked);
void symbfile_naming_finish(struct symbfile_naming *naming);

#endif
