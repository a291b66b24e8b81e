/* SPDX-License-Identifier: MIT */
/* The verbs of `cairn dwarf`. */
#ifndef CAIRN_CLI_DWARF_DUMP_H
#define CAIRN_CLI_DWARF_DUMP_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"

/* Files with the other half of split DWARF, open until dwo_files_close(). */
struct dwo_files {
	const char *directory;     /* to look there instead of where the compiler ran; or NULL */
	struct allowance *printed; /* each file that is opened is worth more of it */
	struct dwo_file *first;
};

/* For struct program_dwo_source; not for several threads. */
struct cairn_bytes dwo_files_find(void *context, struct cairn_bytes directory,
                                  struct cairn_bytes name, uint64_t id);
void dwo_files_close(struct dwo_files *files);

#endif
