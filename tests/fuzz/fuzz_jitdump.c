/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a jitdump. Always: code is not empty and does not go past the end of memory, names and lines lie
 * in the input, and there are no more of them than bytes for them.
 */
#include "fuzz.h"

#include "formats/jitdump.h"

static bool is_inside(struct cairn_bytes part, const uint8_t *data, size_t size)
{
	return part.data >= data && part.data <= data + size &&
	       part.size <= (size_t)(data + size - part.data);
}

static size_t check_lines(const struct jitdump *dump, struct cairn_bytes lines)
{
	struct jitdump_line line = { .address = 0 };
	size_t count = 0;

	for (; jitdump_line(dump, &lines, &line); count++)
		ALWAYS(line.file.size == 0 || is_inside(line.file, dump->in.data, dump->in.size));
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump dump;
	struct jitdump_record record;
	size_t count = 0;

	if (!jitdump_open((struct cairn_bytes){ data, size }, &dump))
		return 0;
	while (jitdump_next(&dump, &record)) {
		count += 16;
		if (record.kind == JITDUMP_LINES) {
			ALWAYS(is_inside(record.lines, data, size));
			count += 16 * check_lines(&dump, record.lines);
			continue;
		}
		if (record.kind == JITDUMP_FRAMES) {
			ALWAYS(record.frames.size > 0 && is_inside(record.frames, data, size));
			continue;
		}
		ALWAYS(record.size > 0 && record.start + record.size > record.start);
		if (record.kind == JITDUMP_LOAD)
			ALWAYS(record.name.size > 0 && is_inside(record.name, data, size) &&
			       is_inside(record.code, data, size));
	}
	ALWAYS(count <= size);
	return 0;
}
