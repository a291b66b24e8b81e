/* SPDX-License-Identifier: MIT */
/*
 * Units of DWARF 5:
 *
 *	unit     = header compile_unit( abstract* function* )
 *	abstract = subprogram(name, inline)                         one for each
 *name called inline function = subprogram(name, file, line, code) call* call =
 *inlined_subroutine(abstract, code, file, line) call*
 *
 * Code is low_pc and high_pc, or a list of ranges.  A code of an abbreviation
 *says by its bits what stands in the entry.
 */
#include "object_parts.h"

#include <stdlib.h>

enum {
	TAG_COMPILE_UNIT = 0x11,
	TAG_INLINED_SUBROUTINE = 0x1d,
	TAG_SUBPROGRAM = 0x2e,
	AT_NAME = 0x03,
	AT_STMT_LIST = 0x10,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_LANGUAGE = 0x13,
	AT_INLINE = 0x20,
	AT_PRODUCER = 0x25,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_DECL_FILE = 0x3a,
	AT_DECL_LINE = 0x3b,
	AT_EXTERNAL = 0x3f,
	AT_RANGES = 0x55,
	AT_CALL_FILE = 0x58,
	AT_CALL_LINE = 0x59,
	AT_LINKAGE_NAME = 0x6e,
	FORM_ADDR = 0x01,
	FORM_DATA2 = 0x05,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_REF_UDATA = 0x15,
	FORM_SEC_OFFSET = 0x17,
	FORM_FLAG_PRESENT = 0x19,
	FORM_LINE_STRP = 0x1f,
	FORM_IMPLICIT_CONST = 0x21,
	INL_DECLARED_INLINED = 3,
	UNIT_COMPILE = 1,
	RLE_END = 0,
	RLE_OFFSET_PAIR = 4,
};

/* Codes of abbreviations: a kind, and bits. */
enum {
	UNIT = 1,
	ABSTRACT = 8,
	CALL = 16,
	FUNCTION = 32,
	WITH_CHILDREN = 1,
	WITH_RANGES = 2,
	WITH_LINES = 4, /* of a unit: it has a line table; of a function: a file and line */
	WITH_LINKAGE = 8,
};

struct dwarf {
	struct object_writer *w;
	struct object_locals locals;
	struct object_calls calls;
	uint32_t *abstract; /* numbers of the names that are called inline in the unit */
	size_t abstracts, abstract_room;
	uint32_t producer, unknown; /* numbers of names */
	size_t unit_at;             /* offset of the unit being written */
	uint64_t base;              /* what its ranges count from */
	bool linkage;               /* its language mangles names: without this GDB adds "()" to
	                               plain ones */
};

static void abbrev_pair(struct buffer *b, unsigned attribute, unsigned form)
{
	buffer_uleb(b, attribute);
	buffer_uleb(b, form);
}

static void abbrev_begin(struct buffer *b, unsigned code, unsigned tag, bool children)
{
	buffer_uleb(b, code);
	buffer_uleb(b, tag);
	buffer_u8(b, children);
}

static void abbrev_code(struct buffer *b, unsigned bits)
{
	if (bits & WITH_RANGES) {
		abbrev_pair(b, AT_RANGES, FORM_SEC_OFFSET);
		return;
	}
	abbrev_pair(b, AT_LOW_PC, FORM_ADDR);
	abbrev_pair(b, AT_HIGH_PC, FORM_UDATA);
}

static void abbrev_unit(struct buffer *b, unsigned bits)
{
	abbrev_begin(b, UNIT + bits, TAG_COMPILE_UNIT, true);
	abbrev_pair(b, AT_PRODUCER, FORM_STRP);
	abbrev_pair(b, AT_LANGUAGE, FORM_DATA2);
	abbrev_pair(b, AT_NAME, bits & WITH_LINES ? FORM_LINE_STRP : FORM_STRP);
	if (bits & WITH_LINES)
		abbrev_pair(b, AT_STMT_LIST, FORM_SEC_OFFSET);
	if (bits & WITH_RANGES) /* what they count from */
		abbrev_pair(b, AT_LOW_PC, FORM_ADDR);
	abbrev_code(b, bits);
	abbrev_pair(b, 0, 0);
}

static void abbrev_names(struct buffer *b, unsigned bits)
{
	abbrev_pair(b, AT_NAME, FORM_STRP);
	if (bits & WITH_LINKAGE)
		abbrev_pair(b, AT_LINKAGE_NAME, FORM_STRP);
}

static void abbrev_abstract(struct buffer *b, unsigned bits)
{
	abbrev_begin(b, ABSTRACT + (bits ? 1 : 0), TAG_SUBPROGRAM, false);
	abbrev_names(b, bits);
	abbrev_pair(b, AT_INLINE, FORM_IMPLICIT_CONST);
	buffer_sleb(b, INL_DECLARED_INLINED);
	abbrev_pair(b, 0, 0);
}

static void abbrev_call(struct buffer *b, unsigned bits)
{
	abbrev_begin(b, CALL + bits, TAG_INLINED_SUBROUTINE, bits & WITH_CHILDREN);
	abbrev_pair(b, AT_ABSTRACT_ORIGIN, FORM_REF_UDATA);
	abbrev_code(b, bits);
	abbrev_pair(b, AT_CALL_FILE, FORM_UDATA);
	abbrev_pair(b, AT_CALL_LINE, FORM_UDATA);
	abbrev_pair(b, 0, 0);
}

static void abbrev_function(struct buffer *b, unsigned bits)
{
	abbrev_begin(b, FUNCTION + bits, TAG_SUBPROGRAM, bits & WITH_CHILDREN);
	abbrev_names(b, bits);
	abbrev_pair(b, AT_EXTERNAL, FORM_FLAG_PRESENT);
	if (bits & WITH_LINES) {
		abbrev_pair(b, AT_DECL_FILE, FORM_UDATA);
		abbrev_pair(b, AT_DECL_LINE, FORM_UDATA);
	}
	abbrev_code(b, bits);
	abbrev_pair(b, 0, 0);
}

static void write_abbrevs(struct buffer *b)
{
	for (unsigned bits = 0; bits < 8; bits += 2)
		abbrev_unit(b, bits);
	abbrev_abstract(b, 0);
	abbrev_abstract(b, WITH_LINKAGE);
	for (unsigned bits = 0; bits < 4; bits++)
		abbrev_call(b, bits);
	for (unsigned bits = 0; bits < 16; bits++)
		abbrev_function(b, bits);
	buffer_u8(b, 0);
}

/* One contribution to the lists of ranges holds those of all units; without a
 * list there is none.
 */
static void begin_ranges(struct object_writer *w)
{
	if (w->ranges.size > 0)
		return;
	buffer_number(&w->ranges, 0, 4);
	buffer_number(&w->ranges, 5, 2);
	buffer_u8(&w->ranges, (uint8_t)w->word);
	buffer_u8(&w->ranges, 0);
	buffer_number(&w->ranges, 0, 4);
}

static void write_ranges(struct dwarf *d, const struct cairn_range *range, size_t count)
{
	struct buffer *b = &d->w->ranges;

	begin_ranges(d->w);
	buffer_number(&d->w->info, b->size, 4);
	for (size_t i = 0; i < count; i++) {
		buffer_u8(b, RLE_OFFSET_PAIR);
		buffer_uleb(b, range[i].low - d->base);
		buffer_uleb(b, range[i].high - d->base);
	}
	buffer_u8(b, RLE_END);
}

static void write_code(struct dwarf *d, const struct cairn_range *range, size_t count)
{
	struct buffer *b = &d->w->info;

	if (count != 1) {
		write_ranges(d, range, count);
		return;
	}
	buffer_number(b, range->low, d->w->word);
	buffer_uleb(b, range->high - range->low);
}

static void write_name(struct dwarf *d, uint32_t name, bool linkage)
{
	struct intern *names = &d->w->names;
	uint32_t plain = linkage ? object_plain_name(d->w, name) : name;

	buffer_number(&d->w->info, names->entry[plain].offset, 4);
	if (linkage)
		buffer_number(&d->w->info, names->entry[name].offset, 4);
}

static void write_abstract(struct dwarf *d, uint32_t name)
{
	struct buffer *b = &d->w->info;
	bool linkage = d->linkage;

	d->w->names.entry[name].mark = (uint32_t)(b->size - d->unit_at);
	buffer_uleb(b, ABSTRACT + (linkage ? 1 : 0));
	write_name(d, name, linkage);
}

static uint32_t local_file(struct dwarf *d, uint32_t path)
{
	return path ? d->w->file[path].local - 1 : 0;
}

static void write_call(struct dwarf *d, const struct object_call *call, bool children)
{
	struct buffer *b = &d->w->info;

	buffer_uleb(b, CALL + (children ? WITH_CHILDREN : 0u) +
	                       (call->ranges != 1 ? WITH_RANGES : 0u));
	buffer_uleb(b, d->w->names.entry[call->name].mark);
	write_code(d, d->calls.range + call->range, call->ranges);
	buffer_uleb(b, local_file(d, call->file));
	buffer_uleb(b, call->line);
}

/* Calls in pre-order, and the ends of their children. */
static void write_calls(struct dwarf *d)
{
	const struct object_calls *c = &d->calls;

	for (size_t i = 0; i < c->count; i++) {
		uint32_t depth = c->call[i].depth;
		uint32_t next = i + 1 < c->count ? c->call[i + 1].depth : 0;
		write_call(d, &c->call[i], next > depth);
		for (; depth > next; depth--)
			buffer_u8(&d->w->info, 0);
	}
}

/* The first row, which says where the function begins in the source. */
static uint32_t first_row(const struct object_writer *w, const struct object_function *f,
                          uint64_t *line)
{
	const uint8_t *record = object_rows(w, f);

	if (f->rows == 0)
		return 0;
	object_uleb(&record);
	uint32_t path = (uint32_t)object_uleb(&record);
	int64_t first = object_sleb(&record);
	*line = first > 0 ? (uint64_t)first : 0;
	return path;
}

static bool write_function(struct dwarf *d, const struct object_function *f)
{
	struct buffer *b = &d->w->info;
	uint64_t line = 0;
	uint32_t path = first_row(d->w, f, &line);
	bool linkage = d->linkage;

	if (!object_calls_take(&d->calls, d->w, f))
		return false;
	buffer_uleb(b, FUNCTION + (d->calls.count ? WITH_CHILDREN : 0u) +
	                       (f->pieces != 1 ? WITH_RANGES : 0u) + (path ? WITH_LINES : 0u) +
	                       (linkage ? WITH_LINKAGE : 0u));
	write_name(d, f->name, linkage);
	if (path) {
		buffer_uleb(b, local_file(d, path));
		buffer_uleb(b, line);
	}
	write_code(d, d->w->own + f->first, f->pieces);
	write_calls(d);
	return true;
}

/* Notes a name that is called inline, once in a unit. */
static bool note_abstract(struct dwarf *d, uint32_t name)
{
	if (d->w->names.entry[name].mark)
		return true;
	if (!object_room(&d->abstract, &d->abstract_room, d->abstracts, sizeof(name)))
		return false;
	d->w->names.entry[name].mark = 1;
	d->abstract[d->abstracts++] = name;
	return true;
}

static bool note_file(struct dwarf *d, uint32_t path)
{
	uint32_t local;

	return path == 0 || object_local_file(d->w, &d->locals, path, &local);
}

/* The files and names of one function. */
static bool note_function(struct dwarf *d, const struct object_function *f)
{
	const uint8_t *record = object_rows(d->w, f);

	for (uint32_t i = 0; i < f->rows; i++) {
		object_uleb(&record);
		if (!note_file(d, (uint32_t)object_uleb(&record)))
			return false;
		object_sleb(&record);
	}
	for (uint32_t i = 0; i < f->calls; i++) {
		object_uleb(&record);
		if (!note_abstract(d, (uint32_t)object_uleb(&record)) ||
		    !note_file(d, (uint32_t)object_uleb(&record)))
			return false;
		object_uleb(&record);
		for (uint64_t left = 2 * object_uleb(&record); left > 0; left--)
			object_uleb(&record);
	}
	return true;
}

static void forget(struct dwarf *d)
{
	for (size_t i = 0; i < d->abstracts; i++)
		d->w->names.entry[d->abstract[i]].mark = 0;
	for (size_t i = 0; i < d->locals.count; i++)
		d->w->file[d->locals.file[i]].local = 0;
	d->abstracts = d->locals.count = 0;
}

static bool note_unit(struct dwarf *d, const struct object_unit *unit)
{
	for (size_t i = 0; i < unit->count; i++) {
		const struct object_function *f = &d->w->function[unit->first + i];
		if (f->pieces > 0 && !note_function(d, f))
			return false;
	}
	return true;
}

static void write_unit_entry(struct dwarf *d, const struct object_unit *unit, size_t lines_at)
{
	struct object_writer *w = d->w;
	struct buffer *b = &w->info;
	const struct cairn_range *range = w->unit_ranges + unit->ranges_at;
	bool lines = d->locals.count > 0;

	buffer_uleb(b, UNIT + (unit->ranges != 1 ? WITH_RANGES : 0u) + (lines ? WITH_LINES : 0u));
	buffer_number(b, w->names.entry[d->producer].offset, 4);
	buffer_number(b, object_language(w, unit, &d->linkage), 2);
	if (lines) {
		buffer_number(b, w->paths.entry[d->locals.file[0]].offset, 4);
		buffer_number(b, lines_at, 4);
	} else {
		buffer_number(b, w->names.entry[d->unknown].offset, 4);
	}
	d->base = range->low;
	if (unit->ranges != 1)
		buffer_number(b, d->base, w->word);
	write_code(d, range, unit->ranges);
}

/* For readers that look for the unit of an address. */
static void write_aranges(struct dwarf *d, const struct object_unit *unit)
{
	struct object_writer *w = d->w;
	struct buffer *b = &w->aranges;
	size_t at = b->size;

	buffer_number(b, 0, 4);
	buffer_number(b, 2, 2);
	buffer_number(b, d->unit_at, 4);
	buffer_u8(b, (uint8_t)w->word);
	buffer_u8(b, 0);
	while ((b->size - at) % (2 * w->word) && !b->failed)
		buffer_u8(b, 0);
	for (size_t i = 0; i < unit->ranges; i++) {
		const struct cairn_range *range = &w->unit_ranges[unit->ranges_at + i];
		buffer_number(b, range->low, w->word);
		buffer_number(b, range->high - range->low, w->word);
	}
	buffer_number(b, 0, w->word);
	buffer_number(b, 0, w->word);
	buffer_poke(b, at, b->size - at - 4, 4);
}

static bool write_unit(struct dwarf *d, const struct object_unit *unit)
{
	struct object_writer *w = d->w;
	size_t lines_at = w->lines.size;

	if (unit->ranges == 0)
		return true;
	if (!note_unit(d, unit))
		return false;
	if (d->locals.count > 0 && !object_write_lines(w, unit, &d->locals))
		return false;
	d->unit_at = w->info.size;
	buffer_number(&w->info, 0, 4);
	buffer_number(&w->info, 5, 2);
	buffer_u8(&w->info, UNIT_COMPILE);
	buffer_u8(&w->info, (uint8_t)w->word);
	buffer_number(&w->info, 0, 4);
	write_unit_entry(d, unit, lines_at);
	for (size_t i = 0; i < d->abstracts; i++)
		write_abstract(d, d->abstract[i]);
	for (size_t i = 0; i < unit->count; i++) {
		const struct object_function *f = &w->function[unit->first + i];
		if (f->pieces > 0 && !write_function(d, f))
			return false;
	}
	buffer_u8(&w->info, 0);
	buffer_poke(&w->info, d->unit_at, w->info.size - d->unit_at - 4, 4);
	write_aranges(d, unit);
	forget(d);
	return true;
}

static bool write_units(struct dwarf *d)
{
	for (size_t i = 0; i < d->w->units; i++)
		if (!write_unit(d, &d->w->unit[i]))
			return false;
	return true;
}

static bool is_whole(const struct object_writer *w)
{
	return !w->info.failed && !w->abbrev.failed && !w->lines.failed && !w->ranges.failed &&
	       !w->aranges.failed && !w->names.text.failed;
}

static uint32_t add_name(struct object_writer *w, const char *text, size_t size)
{
	return intern_copy(&w->names, (struct cairn_bytes){ (const uint8_t *)text, size });
}

bool object_dwarf(struct object_writer *w)
{
	static const char producer[] = "cairn";
	struct dwarf d = { .w = w,
		           .producer = add_name(w, producer, sizeof(producer) - 1),
		           .unknown = add_name(w, "??", 2) };
	bool done = object_calls_init(&d.calls);

	write_abbrevs(&w->abbrev);
	done = done && write_units(&d) && is_whole(w);
	if (done && w->ranges.size > 0)
		buffer_poke(&w->ranges, 0, w->ranges.size - 4, 4);
	object_calls_finish(&d.calls);
	free(d.abstract);
	free(d.locals.file);
	return done;
}
