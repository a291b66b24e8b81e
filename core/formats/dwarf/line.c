/* SPDX-License-Identifier: MIT */
/*
 * Reads the header of a line number program and its tables (DWARF 5, section 6.2.4):
 *
 *	header  = length version:u16 [address_size:u8 segment_size:u8] header_length
 *	          minimum:u8 [operations:u8] is_stmt:u8 base:s8 range:u8 base_opcode:u8
 *	          lengths:u8[base_opcode - 1] tables
 *	tables  = (2 to 4) directory:string* 0  (file:string directory modified size)* 0
 *	        | (5)      table table
 *	table   = formats:u8 (content:uleb form:uleb)[formats] count:uleb entry[count]
 *
 * `operations` exists since version 4, and the first brackets since version 5.
 */
#include "line.h"

#include "base/fault.h"
#include "cursor.h"

static const uint32_t LENGTH_64 = 0xffffffff, LENGTH_RESERVED = 0xfffffff0;

enum {
	CONTENT_PATH = 1,
	CONTENT_DIRECTORY = 2,
};

static uint64_t read_length(struct dwarf_cursor *c, struct dwarf_line *line)
{
	uint64_t length = cursor_number(c, 4);

	line->unit.offset_size = 4;
	if (length == LENGTH_64) {
		line->unit.offset_size = 8;
		length = cursor_number(c, 8);
	} else if (length >= LENGTH_RESERVED) {
		c->bad = true;
	}
	return length;
}

/* Read the fields after the version, up to the tables. The cursor ends where the program ends. */
static void read_fields(struct dwarf_cursor *c, struct dwarf_line *line, uint8_t address_size)
{
	line->unit.address_size = address_size;
	if (line->unit.version >= 5) {
		line->unit.address_size = (uint8_t)cursor_number(c, 1);
		cursor_take(c, 1);
	}
	uint64_t length = cursor_number(c, line->unit.offset_size);
	if (length > cursor_left(c))
		c->bad = true;
	else
		line->at = c->at + length;
	line->minimum = (uint8_t)cursor_number(c, 1);
	line->operations = line->unit.version >= 4 ? (uint8_t)cursor_number(c, 1) : 1;
	if (line->operations == 0)
		line->operations = 1;
	line->first_statement = cursor_number(c, 1) != 0;
	line->base = (int8_t)cursor_number(c, 1);
	line->range = (uint8_t)cursor_number(c, 1);
	line->base_opcode = (uint8_t)cursor_number(c, 1);
	line->lengths = cursor_take(c, line->base_opcode ? line->base_opcode - 1u : 0);
}

/* Read the head of a DWARF 5 table. Its entries start where the cursor is afterwards. */
static void read_table(struct dwarf_cursor *c, struct dwarf_line_table *table)
{
	table->formats = (unsigned)cursor_number(c, 1);
	table->format = c->at;
	for (unsigned i = 0; i < 2 * table->formats; i++)
		cursor_uleb(c);
	table->left = cursor_uleb(c);
	table->at = c->at;
	/* entries without formats take no bytes, so any count would be plausible */
	if (table->formats == 0 && table->left > 0)
		c->bad = true;
}

static struct dwarf_cursor table_cursor(const struct dwarf_line *line, const uint8_t *at)
{
	return (struct dwarf_cursor){ at, line->end, line->sections->big, false };
}

void dwarf_begin_sequence(struct dwarf_line *line, const uint8_t *at)
{
	line->va = 0;
	line->file = 1;
	line->row_line = 1;
	line->row_column = 0;
	line->statement = line->first_statement;
	line->discriminated = line->next_discriminated = false;
	line->index = 0;
	line->sequence = at;
}

static bool is_known(const struct dwarf_line *line)
{
	return line->unit.version >= 2 && line->unit.version <= 5;
}

enum cairn_status dwarf_open_line(const struct dwarf_sections *sections, uint64_t offset,
                                  uint8_t address_size, struct dwarf_line *line,
                                  struct cairn_fault *fault)
{
	const uint8_t *start = sections->line.data;
	struct dwarf_cursor c = { start, start + sections->line.size, sections->big, false };

	*line = (struct dwarf_line){ .sections = sections, .end = c.end };
	if (offset >= sections->line.size)
		return fault_set_at(fault, CAIRN_TRUNCATED, offset,
		                    "a line table lies past the end of its section");
	c.at += offset;
	uint64_t length = read_length(&c, line);
	if (c.bad || length > cursor_left(&c))
		return fault_set_at(fault, CAIRN_TRUNCATED, offset,
		                    "a line table reaches past the end of its section");
	line->end = c.end = c.at + length;
	line->next = (uint64_t)(c.end - start);
	line->unit.version = (uint16_t)cursor_number(&c, 2);
	if (!c.bad && !is_known(line))
		return fault_set_at(fault, CAIRN_UNSUPPORTED, offset,
		                    "a line table of unknown version");
	read_fields(&c, line, address_size);
	line->directories.at = c.at;
	if (line->unit.version >= 5)
		read_table(&c, &line->directories);
	if (c.bad)
		return fault_set_at(fault, CAIRN_MALFORMED, (uint64_t)(c.at - start),
		                    "the header of a line table is damaged");
	dwarf_begin_sequence(line, line->at);
	return CAIRN_OK;
}

static bool fail_file_table(struct dwarf_line *line, const uint8_t *at)
{
	if (line->fault.status == CAIRN_OK)
		fault_set_at(&line->fault, CAIRN_MALFORMED,
		             (uint64_t)(at - line->sections->line.data),
		             "a table of files is damaged");
	return false;
}

/*
 * Read an entry in the form that GNU as writes: an offset in .debug_line_str and a one-byte
 * directory index.
 */
static inline bool next_usual(const struct dwarf_line *line, struct dwarf_line_table *table,
                              struct dwarf_line_entry *entry)
{
	static const uint8_t usual[] = { CONTENT_PATH, FORM_LINE_STRP, CONTENT_DIRECTORY,
		                         FORM_UDATA };
	enum { NAME = 4, BOTH = NAME + 1 };
	const uint8_t *at = table->at;

	if (table->formats != sizeof(usual) / 2 || line->unit.offset_size != NAME ||
	    memcmp(table->format, usual, sizeof(usual)) != 0 || line->end - at < BOTH ||
	    at[NAME] >= 0x80)
		return false;
	entry->path.class = DWARF_LINE_STR;
	entry->path.number = bytes_u32(at, line->sections->big);
	entry->directory = at[NAME];
	table->at = at + BOTH;
	table->left--;
	return true;
}

static bool next_new(struct dwarf_line *line, struct dwarf_line_table *table,
                     struct dwarf_line_entry *entry)
{
	struct dwarf_cursor format = table_cursor(line, table->format);
	struct dwarf_cursor c = table_cursor(line, table->at);

	if (table->left == 0)
		return false;
	if (next_usual(line, table, entry))
		return true;
	for (unsigned i = 0; i < table->formats && !c.bad; i++) {
		struct dwarf_attribute value = { .class = DWARF_OTHER };
		uint64_t content = cursor_uleb(&format), form = cursor_uleb(&format);
		struct dwarf_spec spec =
			dwarf_plan_form(0, form > UINT16_MAX ? 0 : (uint16_t)form, &line->unit);
		dwarf_read_form(&c, &line->unit, &spec, &value);
		if (content == CONTENT_PATH)
			entry->path = value;
		else if (content == CONTENT_DIRECTORY)
			entry->directory = value.number;
	}
	if (c.bad || c.at == table->at) {
		table->left = 0;
		return fail_file_table(line, table->at);
	}
	table->at = c.at;
	table->left--;
	return true;
}

static struct dwarf_attribute make_string_attribute(struct cairn_bytes text)
{
	return (struct dwarf_attribute){ .class = DWARF_STRING, .text = text };
}

/* Read a directory of DWARF 2 to 4. An empty string ends the directories. */
static bool next_old_directory(struct dwarf_line *line, struct dwarf_line_entry *entry)
{
	struct dwarf_cursor c = table_cursor(line, line->directories.at);
	struct cairn_bytes text = cursor_string(&c);

	if (c.bad)
		return fail_file_table(line, line->directories.at);
	entry->path = make_string_attribute(text);
	line->directories.at = c.at;
	return text.size > 0;
}

static bool next_old_file(struct dwarf_line *line, struct dwarf_line_entry *entry)
{
	struct dwarf_cursor c = table_cursor(line, line->files.at);
	struct cairn_bytes text = cursor_string(&c);

	entry->path = make_string_attribute(text);
	if (text.size > 0) {
		entry->directory = cursor_uleb(&c);
		cursor_uleb(&c); /* modification time */
		cursor_uleb(&c); /* size */
	}
	if (c.bad)
		return fail_file_table(line, line->files.at);
	line->files.at = c.at;
	return text.size > 0;
}

bool dwarf_next_directory(struct dwarf_line *line, struct dwarf_line_entry *entry)
{
	*entry = (struct dwarf_line_entry){ .path = { .class = DWARF_OTHER } };
	if (line->fault.status != CAIRN_OK)
		return false;
	if (line->unit.version < 5) {
		bool more = next_old_directory(line, entry);
		line->files.at = line->directories.at;
		return more;
	}
	if (next_new(line, &line->directories, entry))
		return true;
	if (line->fault.status == CAIRN_OK) {
		struct dwarf_cursor c = table_cursor(line, line->directories.at);
		read_table(&c, &line->files);
		if (c.bad)
			fail_file_table(line, line->directories.at);
	}
	return false;
}

bool dwarf_next_file(struct dwarf_line *line, struct dwarf_line_entry *entry)
{
	*entry = (struct dwarf_line_entry){ .path = { .class = DWARF_OTHER } };
	if (line->fault.status != CAIRN_OK)
		return false;
	return line->unit.version < 5 ? next_old_file(line, entry)
	                              : next_new(line, &line->files, entry);
}
