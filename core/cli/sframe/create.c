/* SPDX-License-Identifier: MIT */
/* `cairn sframe create`: a file with an SFrame table, made from the call frame information of a program. */
#include "made.h"
#include "sframe.h"

#include "debuginfo/elf/section.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Makes an SFrame table from the .eh_frame and .debug_frame of a program, library or debug\n"
	"file, for programs that have lost them: a file with the table and the build ID, by which\n"
	"cairn and debuggers with cairn find it.  Without -o, OUT is INPUT.sframe.  Each row is\n"
	"the rule of the input; code whose rule SFrame cannot express has no row (--report counts\n"
	"it).  The same input gives the same bytes.";

/* Unpacks the .debug_frame of a debug file where it is compressed. */
static enum cairn_status unpack_frames(const struct elf *elf, struct cairn_bytes file,
                                       void **unpacked, struct cairn_bytes *frames)
{
	struct elf_section section;
	size_t size = 0;

	if (!elf_find_section(elf, ".debug_frame", &section) ||
	    !(section.flags & ELF_SHF_COMPRESSED))
		return CAIRN_OK;
	enum cairn_status status = debuginfo_decompress(file, ".debug_frame", unpacked, &size);
	if (status == CAIRN_OK)
		*frames = (struct cairn_bytes){ *unpacked, size };
	return status;
}

static int make_table(const struct sframe_making *making, const char *input,
                      struct cairn_bytes file, const struct elf *elf,
                      struct cairn_sframe_file *made)
{
	struct cairn_sframe_options options = sframe_making_options(making);
	void *unpacked = NULL;
	struct cairn_fault fault;
	enum cairn_status status = unpack_frames(elf, file, &unpacked, &options.debug_frame);

	options.rows = making->as != NULL;

	if (status != CAIRN_OK) {
		print_diagnostic(input, ".debug_frame cannot be unpacked");
		return EXIT_BROKEN;
	}
	status = cairn_sframe_file_make(file, &options, made, &fault);
	free(unpacked);
	if (status == CAIRN_OK)
		return EXIT_CLEAN;
	print_diagnostic(input, "no table can be made: %s", fault.what);
	return status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
}

static int create_from(const struct sframe_making *making, const char *input)
{
	struct cairn_sframe_file made;
	struct os_file file;
	struct elf elf;
	char path[SFRAME_PATH];

	if (!sframe_name_output(making, input, making->as ? ".rows" : ".sframe", path) ||
	    !input_open_elf(input, &file, &elf))
		return EXIT_BROKEN;
	int status = make_table(making, input, file.bytes, &elf, &made);
	if (status == EXIT_CLEAN) {
		status = sframe_publish(path, made.bytes, NULL);
		if (status == EXIT_CLEAN)
			sframe_print_made(making, input, path, &made);
		cairn_sframe_file_free(&made);
	}
	os_file_close(&file);
	return status;
}

int sframe_create(int argc, char **argv)
{
	struct sframe_making making = { .version = 3, .form = FORM_TEXT };
	const struct option options[] = {
		{ .name = "format",
		  .argument = "2|3",
		  .help = "write this version of SFrame (3)",
		  .number = &making.version },
		{ .name = "as",
		  .argument = "rows",
		  .help = "make a flat table for profilers, INPUT.rows",
		  .text = &making.as },
		OPTIONS_MADE(&making),
	};
	const struct command command = { "cairn sframe create [OPTION...] INPUT", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc != 1)
		return usage_error(&command, argc ? "more than one INPUT" : "no INPUT");
	if (making.as && strcmp(making.as, "rows") != 0)
		return usage_error(&command, "--as is rows");
	if (making.as && (making.version != 3 || making.share))
		return usage_error(&command, "--as rows is no version of SFrame");
	status = sframe_check_making(&command, &making, "--format");
	return status == EXIT_CLEAN ? create_from(&making, argv[0]) : status;
}
