/* SPDX-License-Identifier: MIT */
/* What the files of a module hold that its memory does not: see <cairn.h>. */
#ifndef CAIRN_UNWIND_FILES_PROGRAM_FILES_H
#define CAIRN_UNWIND_FILES_PROGRAM_FILES_H

#include <cairn.h>

#include "formats/elf/elf.h"

enum {
	FILES_RANGES = 1 << 22,  /* FDEs, and symbols, that are kept of all files of a module */
	FILES_SECTION = 1 << 28, /* bytes of a section that is read */
	FILES_LINK = 256,        /* bytes of the name of a debug file */
	FILES_OTHERS = 64,       /* programs of other builds whose .sframe is recorded */
	FILES_OTHER = 4096,      /* bytes that are compared of each, from its beginning */
};

struct files_list {
	struct cairn_range *range; /* ascending */
	size_t count, room;
	bool everywhere; /* what could not be kept or read may be anywhere */
};

struct cairn_files {
	struct files_list frames;    /* what FDEs cover; apart */
	struct files_list functions; /* symbols in code; one without a size is an empty range */
	bool wants_symbols;
	bool program; /* the module's own file is among them */
	char link[FILES_LINK];

	/*
	 * The .sframe sections of other programs that the host has open. A debugger takes memory that a core lacks
	 * from the program it was given, so a table that equals one of these describes the code of another build.
	 */
	struct files_other {
		uint64_t va, size, hash; /* the hash of its first FILES_OTHER bytes */
	} others[FILES_OTHERS];
	size_t other_count;
};

/* Take in a .debug_frame, or a table of symbols, which are borrowed. */
void files_add_frames(struct cairn_files *files, struct cairn_bytes section, bool big,
                      uint8_t word);
void files_add_symbols(struct cairn_files *files, const struct elf *elf,
                       const struct elf_section *table);

/* Does .debug_frame describe this va? */
bool files_have_cfi(const struct cairn_files *files, uint64_t va);

/*
 * Does a debugger that knows these symbols take this va for part of a function?  It believes the size of the
 * last symbol before it, and takes one without a size for as long as there is no other.
 */
bool files_have_function(const struct cairn_files *files, uint64_t va);

#endif
