/* SPDX-License-Identifier: MIT */
/* Adds, replaces and removes the line of a start-up file that loads cairn. */
#include "start_file.h"

#include "base/bytes.h"

#include "output/escape.h"

#include <string.h>

static bool ends_with(struct cairn_bytes text, const char *end)
{
	size_t size = strlen(end);

	return text.size >= size && memcmp(text.data + text.size - size, end, size) == 0;
}

/* Return true if the line loads cairn. The file name may be quoted, and may have a directory. */
static bool loads_cairn(struct cairn_bytes text, const struct start_line *line)
{
	size_t command = strlen(line->command), name = strlen(line->file_name);

	text = bytes_trim(text, " \t", " \t\r");
	if (text.size <= command || memcmp(text.data, line->command, command) != 0 ||
	    !strchr(" \t", text.data[command]))
		return false;
	text.data += command;
	text.size -= command;
	if (text.data[text.size - 1] == '"' || text.data[text.size - 1] == '\'')
		text.size--;
	if (!ends_with(text, line->file_name))
		return false;
	return strchr(" \t/\"'", text.data[text.size - name - 1]) != NULL;
}

static void print_change(FILE *out, char sign, struct cairn_bytes text)
{
	if (!out)
		return;
	putc(sign, out);
	print_text(out, text);
	putc('\n', out);
}

static void append_line(struct byte_buffer *after, struct cairn_bytes text)
{
	byte_buffer_bytes(after, text.data, text.size);
	byte_buffer_u8(after, '\n');
}

size_t start_file_edit(struct cairn_bytes before, const struct start_line *line, const char *wanted,
                       struct byte_buffer *after, FILE *out)
{
	struct cairn_bytes ours = { (const uint8_t *)wanted, wanted ? strlen(wanted) : 0 };
	bool placed = wanted == NULL;
	size_t changes = 0;

	while (before.size) {
		struct cairn_bytes text = bytes_take_part(&before, '\n');
		bool same = !placed && bytes_equal(text, ours);
		if (same || !loads_cairn(text, line)) {
			append_line(after, text);
			placed |= same;
			continue;
		}
		print_change(out, '-', text);
		changes++;
		if (!placed) {
			print_change(out, '+', ours);
			append_line(after, ours);
			placed = true;
		}
	}
	if (!placed) {
		print_change(out, '+', ours);
		append_line(after, ours);
		changes++;
	}
	return changes;
}

bool start_file_loads(struct cairn_bytes text, const struct start_line *line)
{
	while (text.size)
		if (loads_cairn(bytes_take_part(&text, '\n'), line))
			return true;
	return false;
}
