/* SPDX-License-Identifier: MIT */
/* The verbs of `cairn dwarf`. */
#ifndef CAIRN_CLI_DWARF_DUMP_H
#define CAIRN_CLI_DWARF_DUMP_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"

/* Opened .dwo files of split DWARF. They stay open until dwo_files_close(). */
struct dwo_files {
	/* directory to search instead of the compiler's working directory; may be NULL */
	const char *directory;
	struct allowance *printed; /* print limit, which grows with each opened file */
	struct dwo_file *first;
};

/* Open a .dwo file. The find function of struct program_dwo_source. Not thread-safe. */
struct cairn_bytes dwo_files_find(void *context, struct cairn_bytes directory,
                                  struct cairn_bytes name, uint64_t id);
void dwo_files_close(struct dwo_files *files);

#endif
