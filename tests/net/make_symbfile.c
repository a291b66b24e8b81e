/* SPDX-License-Identifier: MIT */
/*
 * make_symbfile FUNCTIONS [pads | both | zeros]: a symbfile of so many functions on standard output,
 * each with an inlined call; or of so many return pads; or of both; or with so many zero bytes after
 * its string table, which is not a symbfile but packs very well.
 */
#include "formats/symbfile_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 4096, TEXTS = 64 };

static uint8_t bytes[CAPACITY];
static struct cairn_bytes texts[TEXTS];

static void make_texts(void)
{
	static char names[TEXTS][32];

	for (unsigned i = 0; i < TEXTS; i++) {
		int length = snprintf(names[i], sizeof(names[i]), "made::function_%u", i);
		texts[i] = (struct cairn_bytes){ (uint8_t *)names[i], (size_t)length };
	}
}

static void flush(struct sink *out)
{
	fwrite(bytes, 1, out->size, stdout);
	*out = sink_open(bytes, CAPACITY);
}

static void put_function(struct symbfile_writer *writer, struct sink *out, unsigned i)
{
	struct symbfile_row rows[] = { { 0, i }, { 16, i + 1 } };
	struct symbfile_line_rows lines = { rows, 2 };
	struct symbfile_range range = { .start = 0x401000 + 64 * (uint64_t)i,
		                        .length = 48,
		                        .function = { NULL, i % TEXTS, SYMBFILE_REF },
		                        .file = { (const uint8_t *)"made.cc", 7,
		                                  SYMBFILE_INLINE } };

	if (symbfile_put_range(writer, out, &range, &lines) != SYMBFILE_VALID)
		exit(2);
	range.start += 8;
	range.length = 8;
	range.depth = 1;
	range.call_line = i;
	range.call_file = range.file;
	lines.count = 1;
	if (symbfile_put_range(writer, out, &range, &lines) != SYMBFILE_VALID)
		exit(2);
}

static void put_pad(struct symbfile_writer *writer, struct sink *out, unsigned i)
{
	struct symbfile_frame frame = { i % TEXTS, (i + 1) % TEXTS, i };
	struct symbfile_pad_frames frames = { &frame, 1 };

	if (symbfile_put_pad(writer, out, 0x401000 + 16 * (uint64_t)i, &frames) != SYMBFILE_VALID)
		exit(2);
}

static void put_zeros(unsigned count)
{
	static const uint8_t zeros[1 << 16];

	for (; count > 0; count -= count < sizeof(zeros) ? count : (unsigned)sizeof(zeros))
		fwrite(zeros, 1, count < sizeof(zeros) ? count : sizeof(zeros), stdout);
}

int main(int argc, char **argv)
{
	struct symbfile_writer writer = { .has_previous = false };
	struct sink out = sink_open(bytes, CAPACITY);
	unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
	const char *kind = argc > 2 ? argv[2] : "";

	make_texts();
	symbfile_put_start(&out);
	if (symbfile_put_table(&out, texts, TEXTS) != SYMBFILE_VALID)
		return 2;
	flush(&out);
	if (strcmp(kind, "zeros") == 0) {
		put_zeros(count);
		return 0;
	}
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(kind, "pads") != 0)
			put_function(&writer, &out, i);
		if (strcmp(kind, "pads") == 0 || strcmp(kind, "both") == 0)
			put_pad(&writer, &out, i);
		flush(&out);
	}
	return fflush(stdout) == 0 ? 0 : 2;
}
