/* SPDX-License-Identifier: MIT */
/*
 * Symbfiles whose records share one long name: shared_symbfile KIND BYTES writes one of about so
 * many bytes to standard output, half of it the name.
 *
 *	ranges    ranges at depth 0, with the name for their file, too
 *	pads      return pads with many frames
 *	bytes     ranges, and each byte of the name has to be escaped
 *	lines     one range with a line for each two bytes
 *	levels    ranges at 2,000 depths around one address, in no order
 */
#include "formats/symbfile_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE_BYTES = 13, FRAMES = 1000, FRAME_BYTES = 3, LEVELS = 2000 };

static void check(enum symbfile_code code)
{
	if (code != SYMBFILE_VALID)
		exit(2);
}

static void put_ranges(struct sink *out, size_t size)
{
	struct symbfile_writer writer = { .has_previous = false };
	const struct symbfile_text name = { NULL, 0, SYMBFILE_REF };

	for (uint64_t i = 0; i < size / RANGE_BYTES; i++) {
		struct symbfile_range range = {
			.start = 0x1000 + 16 * i, .length = 8, .function = name, .file = name
		};
		struct symbfile_line_rows none = { NULL, 0 };
		check(symbfile_put_range(&writer, out, &range, &none));
	}
}

static void put_levels(struct sink *out)
{
	struct symbfile_writer writer = { .has_previous = false };
	const struct symbfile_text name = { NULL, 0, SYMBFILE_REF };
	const struct symbfile_line_rows none = { NULL, 0 };

	for (uint64_t i = 0; i < LEVELS; i++) {
		struct symbfile_range range = { .start = 0x100000 - i,
			                        .length = 0x1000 + (uint32_t)i,
			                        .depth = (uint32_t)i,
			                        .function = name,
			                        .file = name };
		check(symbfile_put_range(&writer, out, &range, &none));
	}
}

static void put_lines(struct sink *out, size_t size)
{
	struct symbfile_writer writer = { .has_previous = false };
	const struct symbfile_text name = { NULL, 0, SYMBFILE_REF };
	const size_t count = size / 2;
	struct symbfile_row *row = calloc(count + 1, sizeof(*row));
	const struct symbfile_line_rows rows = { row, count };
	const struct symbfile_range range = {
		.start = 0x1000, .length = count + 1, .function = name, .file = name
	};

	if (!row)
		exit(2);
	for (size_t i = 0; i < count; i++)
		row[i] = (struct symbfile_row){ (uint32_t)i, (uint32_t)(1 + i % 2) };
	check(symbfile_put_range(&writer, out, &range, &rows));
	free(row);
}

static void put_pads(struct sink *out, size_t size)
{
	struct symbfile_writer writer = { .has_previous = false };
	static struct symbfile_frame frame[FRAMES];
	const struct symbfile_pad_frames frames = { frame, FRAMES };

	for (uint64_t i = 0; i < size / (FRAMES * FRAME_BYTES); i++)
		check(symbfile_put_pad(&writer, out, 0x1000 + 16 * i, &frames));
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint8_t *name = malloc(size / 2 + 1), *bytes = malloc(2 * size + 1);
	struct cairn_bytes text = { name, size / 2 };
	struct sink out = sink_open(bytes, 2 * size);

	if (size < 4096 || !name || !bytes) {
		fputs("usage: shared_symbfile KIND BYTES\n", stderr);
		return 2;
	}
	memset(name, strcmp(kind, "bytes") == 0 ? 1 : 'n', text.size);
	symbfile_put_start(&out);
	check(symbfile_put_table(&out, &text, 1));
	if (strcmp(kind, "pads") == 0)
		put_pads(&out, size / 2);
	else if (strcmp(kind, "lines") == 0)
		put_lines(&out, size / 2);
	else if (strcmp(kind, "levels") == 0)
		put_levels(&out);
	else
		put_ranges(&out, size / 2);
	if (!sink_fits(&out) || fwrite(bytes, 1, out.size, stdout) != out.size ||
	    fflush(stdout) != 0)
		return 2;
	free(name);
	free(bytes);
	return 0;
}
