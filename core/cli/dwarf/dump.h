/* SPDX-License-Identifier: MIT */
/* The verbs of `cairn dwarf`. */
#ifndef CAIRN_CLI_DWARF_DUMP_H
#define CAIRN_CLI_DWARF_DUMP_H

#include "cli/front/cli.h"

/* Files with the other half of split DWARF, open until split_files_close(). */
struct split_files {
	const char *directory; /* to look there instead of where the compiler ran; or NULL */
	struct split_file *first;
};

/* For struct program_split; not for several threads. */
struct cairn_bytes split_files_find(void *context, struct cairn_bytes directory,
                                    struct cairn_bytes name, uint64_t id);
void split_files_close(struct split_files *files);

int dwarf_dump(int argc, char **argv);

#endif
