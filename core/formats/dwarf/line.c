/* SPDX-License-Identifier: MIT */
/*
 * Reads the header and tables of a line number program (DWARF 5, section 6.2.4):
 *
 *	header  = length version:u16 [address_size:u8 segment_size:u8] header_length
 *	          minimum:u8 [operations:u8] is_stmt:u8 base:s8 range:u8 base_opcode:u8
 *	          lengths:u8[base_opcode - 1] tables
 *	tables  = (2 to 4) directory:string* 0  (file:string directory modified size)* 0
 *	        | (5)      table table
 *	table   = formats:u8 (content:uleb form:uleb)[formats] count:uleb entry[count]
 * `address_size` and `segment_size` exist since version 5, `operations` since version 4.
 */
#include "line.h"
#include "cursor.h"

#include "base/error.h"

/* Opcodes of line number programs (DWARF 5, sections 6.2.5.2 and 6.2.5.3). */

enum {
	OP_EXTENDED = 0,
	OP_COPY = 1,
	OP_ADVANCE_PC = 2,
	OP_ADVANCE_LINE = 3,
	OP_SET_FILE = 4,
	OP_SET_COLUMN = 5,
	OP_NEGATE_STATEMENT = 6,
	OP_CONST_ADD_PC = 8,
	OP_FIXED_ADVANCE_PC = 9,
	OP_PROLOGUE_END = 10,
	EXTENDED_END_SEQUENCE = 1,
	EXTENDED_SET_ADDRESS = 2,
	EXTENDED_DEFINE_FILE = 3,
	EXTENDED_SET_DISCRIMINATOR = 4,
};

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

/* Read the fields between the version and the tables. */
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

/* Read the header of a DWARF 5 table, and leave the cursor at the first entry. */
static void read_table(struct dwarf_cursor *c, struct dwarf_line_table *table)
{
	table->formats = (unsigned)cursor_number(c, 1);
	table->format = c->at;
	for (unsigned i = 0; i < 2 * table->formats; i++)
		cursor_uleb(c);
	table->left = cursor_uleb(c);
	table->at = c->at;
	/* entries without fields occupy no bytes, so any count would fit into the section */
	if (table->formats == 0 && table->left > 0)
		c->bad = true;
}

static struct dwarf_cursor table_cursor(const struct dwarf_line *line, const uint8_t *at)
{
	return (struct dwarf_cursor){ at, line->end, line->sections->big, false };
}

/* Reset the state machine for a sequence whose first opcode is at `at`. */
static void dwarf_begin_sequence(struct dwarf_line *line, const uint8_t *at)
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
 * Read an entry in the format that the GNU assembler writes: an offset in .debug_line_str and a
 * one-byte directory index. Return false for other formats.
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

/* Read a directory of DWARF 2 to 4. An empty string ends the table. */
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

/*
 * Runs a line number program row by row (DWARF 5, section 6.2.5). Opcodes from base_opcode up are
 * special: they advance both address and line, and emit a row. Opcodes below base_opcode are
 * standard: most of them change one register. Opcode 0 is followed by a length and an extended
 * opcode.
 */

enum outcome {
	NOTHING,
	GIVEN,
	BROKEN,
};

static void advance_operations(struct dwarf_line *line, uint64_t operations)
{
	if (line->operations == 1) {
		line->va += operations * line->minimum;
		return;
	}
	uint64_t sum = line->index + operations;
	line->va += sum / line->operations * line->minimum;
	line->index = sum % line->operations;
}

static enum outcome emit_line_row(struct dwarf_line *line, enum dwarf_row_kind kind,
                                  struct dwarf_row *row)
{
	row->kind = kind;
	row->va = line->va;
	row->file = line->file;
	row->line = line->row_line;
	row->column = line->row_column;
	row->statement = line->statement;
	row->prologue_end = line->prologue_end;
	line->prologue_end = false;
	row->discriminated = line->discriminated;
	line->next_discriminated = false;
	row->sequence = (uint64_t)(line->sequence - line->sections->line.data);
	return GIVEN;
}

static void advance_line(struct dwarf_line *line, uint32_t difference)
{
	line->row_line += difference;
	if (difference != 0)
		line->discriminated = line->next_discriminated;
}

static enum outcome run_special_opcode(struct dwarf_line *line, unsigned opcode,
                                       struct dwarf_row *row)
{
	unsigned adjusted = opcode - line->base_opcode;

	if (line->range == 0)
		return BROKEN;
	advance_operations(line, adjusted / line->range);
	advance_line(line, (uint32_t)(line->base + (int)(adjusted % line->range)));
	return emit_line_row(line, DWARF_ROW, row);
}

static enum outcome run_set_address(struct dwarf_line *line, struct dwarf_cursor *c)
{
	size_t size = cursor_left(c);

	if (size != 4 && size != 8)
		return BROKEN;
	line->va = cursor_number(c, (unsigned)size);
	line->index = 0;
	return NOTHING;
}

/* Set the discriminator. Treat a truncated number as 0, because debuggers do not need it. */
static enum outcome set_discriminator(struct dwarf_line *line, struct dwarf_cursor *c)
{
	uint64_t discriminator = cursor_uleb(c);

	line->next_discriminated = !c->bad && discriminator != 0;
	line->discriminated |= line->next_discriminated;
	return NOTHING;
}

static enum outcome define_file(struct dwarf_line *line, struct dwarf_cursor *c,
                                struct dwarf_row *row)
{
	emit_line_row(line, DWARF_ROW_FILE, row);
	row->added.path = (struct dwarf_attribute){ .class = DWARF_STRING };
	row->added.path.text = cursor_string(c);
	row->added.directory = cursor_uleb(c);
	return c->bad ? BROKEN : GIVEN;
}

static enum outcome run_extended_opcode(struct dwarf_line *line, struct dwarf_cursor *c,
                                        struct dwarf_row *row)
{
	uint64_t length = cursor_uleb(c);
	const uint8_t *operands = cursor_take(c, length);

	if (!operands || length == 0)
		return c->bad ? BROKEN : NOTHING;
	struct dwarf_cursor inside = { operands + 1, operands + length, c->big, false };
	switch (*operands) {
	case EXTENDED_END_SEQUENCE:
		emit_line_row(line, DWARF_ROW_END, row);
		dwarf_begin_sequence(line, c->at);
		return GIVEN;
	case EXTENDED_SET_ADDRESS:
		return run_set_address(line, &inside);
	case EXTENDED_DEFINE_FILE:
		return line->unit.version < 5 ? define_file(line, &inside, row) : NOTHING;
	case EXTENDED_SET_DISCRIMINATOR:
		return set_discriminator(line, &inside);
	default:
		return NOTHING;
	}
}

static enum outcome run_standard_opcode(struct dwarf_line *line, struct dwarf_cursor *c,
                                        unsigned opcode, struct dwarf_row *row)
{
	switch (opcode) {
	case OP_EXTENDED:
		return run_extended_opcode(line, c, row);
	case OP_COPY:
		return emit_line_row(line, DWARF_ROW, row);
	case OP_ADVANCE_PC:
		advance_operations(line, cursor_uleb(c));
		return NOTHING;
	case OP_ADVANCE_LINE:
		advance_line(line, (uint32_t)cursor_sleb(c));
		return NOTHING;
	case OP_SET_FILE:
		line->file = cursor_uleb(c);
		return NOTHING;
	case OP_SET_COLUMN:
		line->row_column = (uint32_t)cursor_uleb(c);
		return NOTHING;
	case OP_NEGATE_STATEMENT:
		line->statement = !line->statement;
		return NOTHING;
	/* DWARF 3 and later; in DWARF 2, the opcode is reserved and has no operands */
	case OP_PROLOGUE_END:
		line->prologue_end = true;
		return NOTHING;
	case OP_CONST_ADD_PC:
		if (line->range == 0)
			return BROKEN;
		advance_operations(line, (255u - line->base_opcode) / line->range);
		return NOTHING;
	case OP_FIXED_ADVANCE_PC:
		line->va += cursor_number(c, 2);
		line->index = 0;
		return NOTHING;
	/* opcodes for other flags, and unknown opcodes; the header has their operand counts */
	default:
		for (unsigned i = line->lengths[opcode - 1]; i > 0; i--)
			cursor_uleb(c);
		return NOTHING;
	}
}

bool dwarf_next_row(struct dwarf_line *line, struct dwarf_row *row)
{
	struct dwarf_cursor c = { line->at, line->end, line->sections->big, false };
	enum outcome outcome = NOTHING;

	if (line->fault.status != CAIRN_OK)
		return false;
	while (outcome == NOTHING && c.at < c.end) {
		line->at = c.at;
		unsigned opcode = *c.at++;
		outcome = opcode >= line->base_opcode ? run_special_opcode(line, opcode, row)
		                                      : run_standard_opcode(line, &c, opcode, row);
		if (c.bad)
			outcome = BROKEN;
	}
	if (outcome == BROKEN)
		line->fault =
			(struct cairn_fault){ CAIRN_MALFORMED,
			                      (uint64_t)(line->at - line->sections->line.data),
			                      "a line number program is damaged" };
	else
		line->at = c.at;
	return outcome == GIVEN;
}

/*
 * A fast interpreter for the most frequent opcodes of line number programs. It keeps the state in
 * local variables and produces only source locations, one per address. dwarf_next_row() runs the
 * other opcodes.
 */

/* Force inlining, so that the compiler generates one loop for each constant value of `columns`. */
#define FOR_EACH_VALUE static inline __attribute__((always_inline))

enum { LONGEST = 4 }; /* maximum size of an opcode with operands that the fast interpreter runs */

/*
 * State of the fast interpreter: registers, header fields, reciprocal of the line range, and rows.
 */
struct program {
	const uint8_t *at;
	uint64_t va, files;
	uint32_t line, file, column, file_number, first_file, reciprocal;
	uint8_t minimum, range;
	int8_t base;
	struct function_row *begin, *end;
};

/*
 * Read an opcode's ULEB128 operand of at most three bytes. Return the size of opcode and operand,
 * or 0 if the operand is longer.
 */
static inline unsigned read_short(const uint8_t *at, uint32_t *number)
{
	*number = at[1];
	if (at[1] < 0x80)
		return 2;
	*number = (at[1] & 0x7fu) | (at[2] & 0x7fu) << 7;
	if (at[2] < 0x80)
		return 3;
	*number |= (uint32_t)at[3] << 14;
	return at[3] < 0x80 ? 4 : 0;
}

/* Like read_short(), for a signed operand. Bit 6 of its last byte is the sign. */
static inline unsigned read_short_signed(const uint8_t *at, uint32_t *number)
{
	unsigned size = read_short(at, number);
	uint32_t sign = size > 0 ? (uint32_t)0x40 << 7 * (size - 2) : 0;

	*number = (*number ^ sign) - sign;
	return size;
}

static inline unsigned skip_short(const uint8_t *at)
{
	uint32_t number;

	return read_short(at, &number);
}

static inline uint32_t number_file(const struct program *p, uint64_t file)
{
	return file < p->files ? (uint32_t)file + p->first_file : 0;
}

/* Divide by the line range. The multiplication by the reciprocal is exact for 8-bit values. */
static inline uint32_t count_operations(const struct program *p, unsigned adjusted)
{
	return adjusted * p->reciprocal >> 16;
}

/* Advance the address. Return false and leave it unchanged if it would wrap. */
static inline bool move_address(struct program *p, uint64_t operations)
{
	uint64_t va = p->va + operations * p->minimum;

	if (va < p->va)
		return false;
	p->va = va;
	return true;
}

FOR_EACH_VALUE void put_place(struct program *p, const bool columns)
{
	struct function_row *end = p->end;
	const uint32_t column = columns ? p->column : 0;

	if (end > p->begin && end[-1].va == p->va)
		end--;
	if (end == p->begin || end[-1].line != p->line || end[-1].file != p->file ||
	    (columns && end[-1].column != column))
		*end++ = (struct function_row){
			.va = p->va, .file = p->file, .line = p->line, .column = column
		};
	p->end = end;
}

/*
 * The run_ functions run one opcode and return its size, including operands. If they cannot run the
 * opcode, they return 0 and change nothing.
 */
FOR_EACH_VALUE unsigned run_special(struct program *p, unsigned adjusted, const bool columns)
{
	uint32_t operations = count_operations(p, adjusted);

	if (!move_address(p, operations))
		return 0;
	p->line += (uint32_t)(p->base + (int)(adjusted - operations * p->range));
	put_place(p, columns);
	return 1;
}

static inline unsigned run_advance_line(struct program *p)
{
	uint32_t difference;
	unsigned size = read_short_signed(p->at, &difference);

	p->line += size > 0 ? difference : 0;
	return size;
}

static inline unsigned run_advance_pc(struct program *p)
{
	uint32_t number;
	unsigned size = read_short(p->at, &number);

	return size > 0 && move_address(p, number) ? size : 0;
}

static inline unsigned run_set_file(struct program *p)
{
	uint32_t number;
	unsigned size = read_short(p->at, &number);

	if (size == 0)
		return 0;
	p->file_number = number;
	p->file = number_file(p, number);
	return size;
}

static inline unsigned run_set_column(struct program *p)
{
	uint32_t number;
	unsigned size = read_short(p->at, &number);

	p->column = size > 0 ? number : p->column;
	return size;
}

static inline unsigned run_discriminator(const uint8_t *at)
{
	return at[1] == 2 && at[2] == EXTENDED_SET_DISCRIMINATOR && at[3] < 0x80 ? LONGEST : 0;
}

/* Return the size of an opcode. Run it only if it advances the address. */
static inline unsigned pass_usual(struct program *p, unsigned opcode, unsigned base_opcode)
{
	switch (opcode) {
	case OP_EXTENDED:
		return run_discriminator(p->at);
	case OP_ADVANCE_PC:
		return run_advance_pc(p);
	case OP_ADVANCE_LINE:
	case OP_SET_FILE:
	case OP_SET_COLUMN:
		return skip_short(p->at);
	case OP_COPY:
	case OP_NEGATE_STATEMENT:
	case OP_PROLOGUE_END:
		return 1;
	case OP_CONST_ADD_PC:
		return move_address(p, count_operations(p, 255u - base_opcode));
	default:
		return 0;
	}
}

FOR_EACH_VALUE unsigned run_usual(struct program *p, unsigned opcode, unsigned base_opcode,
                                  const bool columns)
{
	switch (opcode) {
	case OP_EXTENDED:
		return run_discriminator(p->at);
	case OP_COPY:
		put_place(p, columns);
		return 1;
	case OP_ADVANCE_PC:
		return run_advance_pc(p);
	case OP_ADVANCE_LINE:
		return run_advance_line(p);
	case OP_SET_FILE:
		return run_set_file(p);
	case OP_SET_COLUMN:
		return columns ? run_set_column(p) : skip_short(p->at);
	case OP_NEGATE_STATEMENT:
	case OP_PROLOGUE_END:
		return 1;
	case OP_CONST_ADD_PC:
		return move_address(p, count_operations(p, 255u - base_opcode));
	default:
		return 0;
	}
}

static struct program load_program(const struct dwarf_line *line, const struct dwarf_places *places)
{
	struct program p = { .at = line->at,
		             .va = line->va,
		             .files = places->files,
		             .line = line->row_line,
		             .column = line->row_column,
		             .file_number = (uint32_t)line->file,
		             .first_file = places->first_file,
		             .reciprocal = 0xffffu / line->range + 1u,
		             .minimum = line->minimum,
		             .range = line->range,
		             .base = line->base,
		             .begin = places->row,
		             .end = places->row + places->count };

	p.file = number_file(&p, line->file);
	return p;
}

static bool is_usual(const struct dwarf_line *line)
{
	return line->fault.status == CAIRN_OK && line->operations == 1 && line->range > 0;
}

static bool can_continue(const struct dwarf_line *line, const struct dwarf_places *places)
{
	return is_usual(line) && line->file <= UINT32_MAX &&
	       (places->count == 0 || line->va >= places->row[places->count - 1].va);
}

FOR_EACH_VALUE void append_places(struct dwarf_line *line, struct dwarf_places *places,
                                  const bool columns)
{
	const struct function_row *full = places->row + places->capacity;
	unsigned base_opcode = line->base_opcode, size = 1;
	struct program p = load_program(line, places);
	const uint8_t *end = line->end;

	while (size > 0 && p.end < full && end - p.at >= LONGEST) {
		unsigned opcode = *p.at;
		size = opcode >= base_opcode ? run_special(&p, opcode - base_opcode, columns)
		                             : run_usual(&p, opcode, base_opcode, columns);
		p.at += size;
	}
	line->at = p.at;
	line->va = p.va;
	line->file = p.file_number;
	line->row_line = p.line;
	line->row_column = columns ? p.column : line->row_column;
	places->count = (size_t)(p.end - p.begin);
}

void dwarf_append_places(struct dwarf_line *line, struct dwarf_places *places)
{
	if (!can_continue(line, places))
		return;
	if (places->columns)
		append_places(line, places, true);
	else
		append_places(line, places, false);
}

void dwarf_pass_places(struct dwarf_line *line)
{
	struct program p = { .at = line->at, .va = line->va, .minimum = line->minimum };
	unsigned base_opcode = line->base_opcode, size = 1;

	if (!is_usual(line))
		return;
	p.reciprocal = 0xffffu / line->range + 1u;
	const uint8_t *end = line->end;
	while (size > 0 && end - p.at >= LONGEST) {
		unsigned opcode = *p.at;
		if (opcode >= base_opcode)
			size = move_address(&p, count_operations(&p, opcode - base_opcode));
		else
			size = pass_usual(&p, opcode, base_opcode);
		p.at += size;
	}
	line->at = p.at;
	line->va = p.va;
}
