/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the ELF file of a program whose .sframe becomes a .debug_frame section.  Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - the section tells what the .sframe tells (tests/check_frames.h);
 *   - functions lie in code that is in the file;
 *   - the work is bounded by the file's size, and so is the section.
 */
#include "held.h"

#include "check_frames.h"

#include "engine/frame_writer/program_image.h"

enum {
	LIMIT = 1 << 22,
	BYTES_OF_A_ROW =
		64, /* of the section, for each byte of the file, with the head of an FDE */
};

static void check_code(const struct program_image *image, const struct frame_table *table)
{
	for (size_t i = 0; i < table->functions; i++) {
		const struct cairn_range *range = &table->function[i].range;
		ALWAYS(program_image_code_size(image, range->low) >= range->high - range->low);
	}
}

static void take_input(const uint8_t *data, size_t size)
{
	const struct frame_writer_options options = { .limit = LIMIT };
	const struct cairn_bytes file = { data, size };
	struct program_image image = { .space = NULL };
	struct frame_table table;
	enum cairn_status status = frame_table_make(file, &options, &table);

	if (status == CAIRN_OK) {
		ALWAYS(table.functions > 0 && table.section.size <= 256 + BYTES_OF_A_ROW * size);
		ALWAYS(program_image_open(file, &image) == CAIRN_OK);
		struct cairn_rules *rules = module_rules(image.space, image.module);
		ALWAYS(rules);
		const char *flaw = check_frames(&table, rules);
		if (flaw)
			fprintf(stderr, "%s\n", flaw);
		ALWAYS(!flaw);
		check_code(&image, &table);
	}
	program_image_close(&image);
	frame_table_finish(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
