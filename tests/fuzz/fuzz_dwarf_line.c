/* SPDX-License-Identifier: MIT */
/*
 * A .debug_line section of any bytes, in both byte orders.  Always:
 *   - there are no more rows, files and directories than bytes;
 *   - names lie in the section;
 *   - the next table is behind this one, and a fault inside the section;
 *   - sequences end where they do when their rows are passed over;
 *   - places that are read many at once are those of the rows one by one, and end at the same fault.
 */
#include "fuzz.h"
#include "place_rows.h"

#include "formats/dwarf/line.h"

static void check_entry(const struct cairn_bytes *section, const struct dwarf_line_entry *entry)
{
	struct cairn_bytes text = entry->path.text;

	if (entry->path.class != DWARF_STRING)
		return;
	ALWAYS(text.data >= section->data && text.data <= section->data + section->size);
	ALWAYS(text.size <= (size_t)(section->data + section->size - text.data));
}

/* As far as there is room for both. */
static void check_places(const struct dwarf_line *line)
{
	static struct place_rows one, many;
	struct dwarf_row row;

	one.line = many.line = *line;
	one.count = many.count = one.first = many.first = 0;
	one.files = many.files = 3;
	while (place_rows_next(&one, &row))
		continue;
	while (place_rows_next_many(&many, &row))
		continue;
	if (one.count + 3 < PLACES_MAX)
		ALWAYS(place_rows_agree(&one, &many));
}

static void run(struct dwarf_line *line, const struct cairn_bytes *section)
{
	struct dwarf_line_entry entry;
	struct dwarf_row row;
	size_t count = 0;

	while (dwarf_next_directory(line, &entry)) {
		check_entry(section, &entry);
		ALWAYS(count++ < section->size);
	}
	while (dwarf_next_file(line, &entry)) {
		check_entry(section, &entry);
		ALWAYS(count++ < section->size);
	}
	check_places(line);
	ALWAYS(place_rows_ends_agree(line));
	for (count = 0; dwarf_next_row(line, &row); count++) {
		ALWAYS(count < section->size && row.sequence <= section->size);
		if (row.kind == DWARF_ROW_FILE)
			check_entry(section, &row.added);
	}
	if (line->fault.status != CAIRN_OK)
		ALWAYS(line->fault.offset <= section->size && line->fault.what);
	ALWAYS(!dwarf_next_row(line, &row) || line->fault.status == CAIRN_OK);
}

static void read_all(struct cairn_bytes section, bool big)
{
	struct cairn_bytes empty = { section.data, 0 };
	struct dwarf_sections sections = { empty, empty, section, section, section,
		                           empty, empty, empty,   empty,   big };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct dwarf_line line;
	uint64_t at = 0;

	while (dwarf_open_line(&sections, at, 8, &line, &fault) == CAIRN_OK) {
		ALWAYS(line.next > at && line.next <= section.size);
		at = line.next;
		run(&line, &section);
	}
	ALWAYS(fault.status != CAIRN_OK && fault.what && fault.offset <= section.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes section = { data, size };

	read_all(section, false);
	read_all(section, true);
	return 0;
}
