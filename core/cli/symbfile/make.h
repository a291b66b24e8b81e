/* SPDX-License-Identifier: MIT */
/*
 * The two symbfiles of an executable, in memory: for `cairn symbfile create`, which writes them to
 * files, and `push`, which sends them.
 *
 *	struct symbfile_making m = { .debug = "a.debug", .input = { .jobs = 2 } };
 *	status = symbfile_make(&m, "a");
 *	... m.ranges, m.pads
 *	symbfile_making_finish(&m);
 */
#ifndef CAIRN_CLI_SYMBFILE_MAKE_H
#define CAIRN_CLI_SYMBFILE_MAKE_H

#include "names.h"

#include "cli/front/cli.h"
#include "cli/source/function_source.h"
#include "writers/symbfile/maker.h"

struct symbfile_making {
	const char *debug; /* the file with the debugging information; NULL: it is in the binary */
	bool raw_names, no_ranges, no_pads;
	struct function_source_options input;

	/* what came of it; data is NULL for what was not made */
	struct symbfile_bytes ranges, pads;
	struct symbfile_maker_summary summary;

	/* while it is made; what origin dropped is still to be reported */
	const char *binary;
	struct os_file file; /* the binary, for its code */
	struct elf elf;
	bool has_code;
	struct function_source origin;
	struct symbfile_maker *maker;
	struct symbfile_naming naming;
};

/* EXIT_CLEAN; or what the program should return, a message was printed. */
int symbfile_make(struct symbfile_making *making, const char *binary);
void symbfile_making_finish(struct symbfile_making *making);

#endif
