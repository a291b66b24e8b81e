/* SPDX-License-Identifier: MIT */
/* Creates and writes the SFrame table of one program, library or debug file. */
#include "made.h"

#include "debuginfo/elf/section.h"

#include <stdlib.h>

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

	if (status != CAIRN_OK)
		return fail_with(input, ".debug_frame cannot be unpacked");
	status = cairn_sframe_file_make(file, &options, made, &fault);
	free(unpacked);
	return status == CAIRN_OK ? EXIT_CLEAN : sframe_report_unmade(input, status, &fault);
}

int sframe_create_file(const struct sframe_making *making, const char *input, const char *path,
                       struct cairn_sframe_file *made)
{
	struct os_file file;
	struct elf elf;

	if (!input_open_elf(input, &file, &elf))
		return EXIT_BROKEN;
	int status = make_table(making, input, file.bytes, &elf, made);
	if (status == EXIT_CLEAN)
		status = sframe_finish_made(making, input, path, NULL, made);
	os_file_close(&file);
	return status;
}
