/* SPDX-License-Identifier: MIT */
/*
 * `cairn sframe merge`: merges the tables of relocatable files into one table for the program that
 * was linked from them.
 */
#include "cli/sframe/sframe.h"
#include "made.h"

#include <stdlib.h>

static const char about[] =
	"Makes one SFrame table for PROGRAM of the tables in the relocatable files that it was "
	"linked\n"
	"of, as a linker should: sorted, without the functions that were discarded. It is for "
	"programs\n"
	"whose linker left the table out, or only put the sections one after the other. PROGRAM "
	"needs its\n"
	"symbol table; a section of an OBJECT is where the program has a symbol of it and the same "
	"code.\n"
	"Without -o, OUT is PROGRAM.sframe, a file as `cairn sframe create` makes it.";

struct merging {
	struct sframe_making making;
	const char *program;
	struct os_file file;
	struct os_file *object;
	struct cairn_bytes *bytes;
	size_t opened;
};

static int merge_opened(struct merging *m, char **names, const char *path)
{
	const struct cairn_sframe_options options = sframe_making_options(&m->making);
	struct cairn_sframe_file made;
	struct cairn_fault fault;
	size_t failed = 0;
	const enum cairn_status status = cairn_sframe_file_merge(m->file.bytes, m->bytes, m->opened,
	                                                         &options, &made, &failed, &fault);

	if (status != CAIRN_OK)
		return sframe_report_unmade(failed < m->opened ? names[failed] : m->program, status,
		                            &fault);
	return sframe_finish_made(&m->making, m->program, path, NULL, &made);
}

static int merge_objects(struct merging *m, int count, char **names, const char *path)
{
	int status = EXIT_CLEAN;

	m->object = calloc((size_t)count, sizeof(*m->object));
	m->bytes = calloc((size_t)count, sizeof(*m->bytes));
	if (!m->object || !m->bytes)
		status = fail_with(NULL, "out of memory");
	for (int i = 0; i < count && status == EXIT_CLEAN; i++) {
		if (!input_open(names[i], &m->object[i])) {
			status = EXIT_BROKEN;
		} else {
			m->bytes[i] = m->object[i].bytes;
			m->opened++;
		}
	}
	if (status == EXIT_CLEAN)
		status = merge_opened(m, names, path);
	while (m->opened > 0)
		os_file_close(&m->object[--m->opened]);
	free(m->object);
	free(m->bytes);
	return status;
}

static int merge_program(struct merging *m, int count, char **names)
{
	char path[SFRAME_PATH];

	if (!sframe_name_output(&m->making, m->program, ".sframe", path) ||
	    !input_open(m->program, &m->file))
		return EXIT_BROKEN;
	const int status = merge_objects(m, count, names, path);
	os_file_close(&m->file);
	return status;
}

int sframe_merge(int argc, char **argv)
{
	struct merging m = { .making = { .version = 3, .form = FORM_TEXT } };
	const struct option options[] = {
		OPTION_NUMBER("format", "2|3", "write this version of SFrame (3)",
		              &m.making.version),
		OPTIONS_MADE(&m.making),
	};
	const struct command command = { "cairn sframe merge [OPTION...] PROGRAM OBJECT...",
		                         about,
		                         options,
		                         COUNT(options),
		                         .operands = { 2, OPERANDS_MANY, { "PROGRAM", "OBJECT" } },
		                         .rights = RIGHT_BESIDE };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	status = sframe_check_making(&command, &m.making, "--format");
	m.program = argv[0];
	return status == EXIT_CLEAN ? merge_program(&m, argc - 1, argv + 1) : status;
}
