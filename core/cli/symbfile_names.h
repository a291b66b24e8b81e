/* SPDX-License-Identifier: MIT */
/* Names as symbfiles have them; the demanglers of the system are asked where our own gives up. */
#ifndef CAIRN_CLI_SYMBFILE_NAMES_H
#define CAIRN_CLI_SYMBFILE_NAMES_H

#include "engine/symbfile_maker.h"
#include "formats/itanium/itanium.h"
#include "os/readable.h"

struct symbfile_naming {
	struct os_readable readable, other; /* asked when the first does not know a name */
	char *cut, *text;                   /* the last answer */
	char plain[ITANIUM_TEXT_MAX];       /* the same */
	struct itanium itanium;
};

/* The name of a linker's symbol; good until the next question. */
struct cairn_bytes symbfile_name(void *naming, struct cairn_bytes linked);
void symbfile_naming_finish(struct symbfile_naming *naming);

#endif
