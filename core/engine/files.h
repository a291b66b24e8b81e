/* SPDX-License-Identifier: MIT */
/* What the files of a module hold that its memory does not: see <cairn.h>. */
#ifndef CAIRN_ENGINE_FILES_H
#define CAIRN_ENGINE_FILES_H

#include <cairn.h>

#include "formats/elf/elf.h"

enum {
	FILES_RANGES = 1 << 22,  /* FDEs that are kept, of all files of a module */
	FILES_SECTION = 1 << 28, /* bytes of a section that is read */
	FILES_LINK = 256,        /* bytes of the name of a debug file */
};

struct cairn_files {
	struct cairn_range *list; /* that FDEs cover; ascending and apart */
	size_t count, room;
	bool program;    /* the module's own file is among them */
	bool everywhere; /* call frame information may be anywhere */
	char link[FILES_LINK];
};

/* Take in a .debug_frame, which is borrowed. */
void files_add_frames(struct cairn_files *files, struct cairn_bytes section, bool big);

/* Does .debug_frame describe this va? */
bool files_have_cfi(const struct cairn_files *files, uint64_t va);

#endif
