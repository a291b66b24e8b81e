/* SPDX-License-Identifier: MIT */
/*
 * Writes compilation units in DWARF 5:
 *
 *	unit     = header compile_unit( gcc? abstract* (function | scope)* )
 *	abstract = subprogram(name, inline)               one for each name called inline
 *	scope    = namespace(name)( (function | scope)* )
 *	function = subprogram(name, file, code) call*
 *	call     = inlined_subroutine(abstract, code, file, line) call*
 *	         | lexical_block(code) label        a line that begins again in another scope
 *
 * "code" is DW_AT_low_pc and DW_AT_high_pc, or a list of ranges.
 */
#include "internal.h"
#include "name_index.h"

#include "base/byte_buffer.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * An abbreviation code is the sum of a kind and of WITH_* bits, which select the attributes of the
 * DIE.
 */
enum {
	UNIT = 1,
	ABSTRACT = 8,
	SCOPE = 10,
	BLOCK = 11,
	LABEL = 12,
	TEMPLATE = 13,
	PARAMETER = 14,
	CALL = 16,
	FUNCTION = 32,
	WITH_CHILDREN = 1,
	WITH_RANGES = 2,
	WITH_ENTRY = 4, /* for CALL: the DIE has DW_AT_entry_pc */
	/* for UNIT: the unit has a line table; for FUNCTION: the DIE has DW_AT_decl_file */
	WITH_LINES = 4,
	WITH_LINKAGE = 8,
};

enum {
	TAG_LABEL = 0x0a,
	TAG_LEXICAL_BLOCK = 0x0b,
	TAG_COMPILE_UNIT = 0x11,
	TAG_STRUCTURE_TYPE = 0x13,
	TAG_INLINED_SUBROUTINE = 0x1d,
	TAG_SUBPROGRAM = 0x2e,
	TAG_TEMPLATE_VALUE_PARAMETER = 0x30,
	TAG_NAMESPACE = 0x39,
	AT_LOCATION = 0x02,
	AT_NAME = 0x03,
	AT_STMT_LIST = 0x10,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_LANGUAGE = 0x13,
	AT_INLINE = 0x20,
	AT_PRODUCER = 0x25,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_DECL_FILE = 0x3a,
	AT_EXTERNAL = 0x3f,
	AT_ENTRY_PC = 0x52,
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
};

struct entry_kind {
	uint8_t tag;
	bool children;
	struct attribute {
		uint8_t name, form;
		/*
		 * write the attribute only if a WITH_* bit in `with` is set and none in `without`;
		 * 0 imposes no condition
		 */
		uint8_t with, without;
	} attribute[10];
};

static const struct entry_kind unit_kind = { TAG_COMPILE_UNIT,
	                                     true,
	                                     { { AT_PRODUCER, FORM_STRP, 0, 0 },
	                                       { AT_LANGUAGE, FORM_DATA2, 0, 0 },
	                                       { AT_NAME, FORM_LINE_STRP, WITH_LINES, 0 },
	                                       { AT_NAME, FORM_STRP, 0, WITH_LINES },
	                                       { AT_STMT_LIST, FORM_SEC_OFFSET, WITH_LINES, 0 },
	                                       { AT_LOW_PC, FORM_ADDR, 0, 0 },
	                                       { AT_RANGES, FORM_SEC_OFFSET, WITH_RANGES, 0 },
	                                       { AT_HIGH_PC, FORM_UDATA, 0, WITH_RANGES } } };

static const struct entry_kind abstract_kind = { TAG_SUBPROGRAM,
	                                         false,
	                                         { { AT_NAME, FORM_STRP, 0, 0 },
	                                           { AT_LINKAGE_NAME, FORM_STRP, WITH_LINKAGE, 0 },
	                                           { AT_INLINE, FORM_IMPLICIT_CONST, 0, 0 } } };

static const struct entry_kind scope_kind = { TAG_NAMESPACE,
	                                      true,
	                                      { { AT_NAME, FORM_STRP, 0, 0 } } };

/* GDB discards lexical blocks without symbols, so each block contains a label. */
static const struct entry_kind block_kind = { TAG_LEXICAL_BLOCK,
	                                      true,
	                                      { { AT_LOW_PC, FORM_ADDR, 0, 0 },
	                                        { AT_HIGH_PC, FORM_UDATA, 0, 0 } } };
static const struct entry_kind label_kind = {
	TAG_LABEL, false, { { AT_NAME, FORM_STRP, 0, 0 }, { AT_LOW_PC, FORM_ADDR, 0, 0 } }
};

static const struct entry_kind template_kind = { TAG_STRUCTURE_TYPE, true, { { 0, 0, 0, 0 } } };
static const struct entry_kind parameter_kind = { TAG_TEMPLATE_VALUE_PARAMETER,
	                                          false,
	                                          { { AT_NAME, FORM_STRP, 0, 0 },
	                                            { AT_LOCATION, FORM_SEC_OFFSET, 0, 0 } } };

static const struct entry_kind call_kind = { TAG_INLINED_SUBROUTINE,
	                                     false,
	                                     { { AT_ABSTRACT_ORIGIN, FORM_REF_UDATA, 0, 0 },
	                                       { AT_RANGES, FORM_SEC_OFFSET, WITH_RANGES, 0 },
	                                       { AT_LOW_PC, FORM_ADDR, 0, WITH_RANGES },
	                                       { AT_HIGH_PC, FORM_UDATA, 0, WITH_RANGES },
	                                       { AT_ENTRY_PC, FORM_ADDR, WITH_ENTRY, 0 },
	                                       { AT_CALL_FILE, FORM_UDATA, 0, 0 },
	                                       { AT_CALL_LINE, FORM_UDATA, 0, 0 } } };

static const struct entry_kind function_kind = { TAG_SUBPROGRAM,
	                                         false,
	                                         { { AT_NAME, FORM_STRP, 0, 0 },
	                                           { AT_LINKAGE_NAME, FORM_STRP, WITH_LINKAGE, 0 },
	                                           { AT_EXTERNAL, FORM_FLAG_PRESENT, 0, 0 },
	                                           { AT_DECL_FILE, FORM_UDATA, WITH_LINES, 0 },
	                                           { AT_RANGES, FORM_SEC_OFFSET, WITH_RANGES, 0 },
	                                           { AT_LOW_PC, FORM_ADDR, 0, WITH_RANGES },
	                                           { AT_HIGH_PC, FORM_UDATA, 0, WITH_RANGES } } };

static void write_abbrev(struct byte_buffer *b, unsigned code, const struct entry_kind *kind,
                         unsigned bits)
{
	byte_buffer_uleb(b, code);
	byte_buffer_uleb(b, kind->tag);
	byte_buffer_u8(b, kind->children || (bits & WITH_CHILDREN));
	for (const struct attribute *a = kind->attribute; a->name != 0; a++) {
		if ((a->with && !(bits & a->with)) || (bits & a->without))
			continue;
		byte_buffer_uleb(b, a->name);
		byte_buffer_uleb(b, a->form);
		if (a->form == FORM_IMPLICIT_CONST)
			byte_buffer_sleb(b, INL_DECLARED_INLINED);
	}
	byte_buffer_number(b, 0, 2);
}

/*
 * Write the abbreviations, which all units share. `entries` adds the abbreviations for calls with
 * DW_AT_entry_pc.
 */
static void elf_writer_write_abbrevs(struct byte_buffer *b, bool entries)
{
	for (unsigned bits = 0; bits < 8; bits += 2)
		write_abbrev(b, UNIT + bits, &unit_kind, bits);
	write_abbrev(b, ABSTRACT, &abstract_kind, 0);
	write_abbrev(b, ABSTRACT + 1, &abstract_kind, WITH_LINKAGE);
	write_abbrev(b, SCOPE, &scope_kind, 0);
	write_abbrev(b, BLOCK, &block_kind, 0);
	write_abbrev(b, LABEL, &label_kind, 0);
	write_abbrev(b, TEMPLATE, &template_kind, 0);
	write_abbrev(b, PARAMETER, &parameter_kind, 0);
	for (unsigned bits = 0; bits < (entries ? 8 : 4); bits++)
		write_abbrev(b, CALL + bits, &call_kind, bits);
	for (unsigned bits = 0; bits < 16; bits++)
		write_abbrev(b, FUNCTION + bits, &function_kind, bits);
	byte_buffer_u8(b, 0);
}

struct code_origin {
	uint64_t base; /* start of the unit; range lists are relative to it */
	/*
	 * start of the current function, on which the first range of a list depends; 0 for a unit
	 */
	uint64_t entry;
};

enum {
	RLE_END = 0,
	RLE_OFFSET_PAIR = 4,
};

/* Before the first list, write the header of .debug_rnglists, which all units share. */
static void begin_ranges(struct elf_writer *w)
{
	if (w->ranges.size > 0)
		return;
	byte_buffer_number(&w->ranges, 0, 4);
	byte_buffer_number(&w->ranges, 5, 2);
	byte_buffer_u8(&w->ranges, (uint8_t)w->word);
	byte_buffer_u8(&w->ranges, 0);
	byte_buffer_number(&w->ranges, 0, 4);
}

/*
 * Return the index of the range to write first. This is the first range that does not begin before
 * the function, because debuggers take the start of the first range for the function's entry.
 */
static size_t elf_writer_first_range(const struct code_origin *from,
                                     const struct cairn_range *range, size_t count)
{
	size_t first = 0;

	while (first < count && range[first].low < from->entry)
		first++;
	return first < count ? first : 0;
}

static void write_ranges(struct elf_writer *w, const struct code_origin *from,
                         const struct cairn_range *range, size_t count)
{
	struct byte_buffer *b = &w->ranges;

	begin_ranges(w);
	size_t first = elf_writer_first_range(from, range, count);
	byte_buffer_number(&w->info, b->size, 4);
	for (size_t i = 0; i < count; i++) {
		const struct cairn_range *each = &range[(first + i) % count];
		byte_buffer_u8(b, RLE_OFFSET_PAIR);
		byte_buffer_uleb(b, each->low - from->base);
		byte_buffer_uleb(b, each->high - from->base);
	}
	byte_buffer_u8(b, RLE_END);
}

/*
 * Write DW_AT_low_pc and DW_AT_high_pc to w->info if `count` is 1. Otherwise write a range list to
 * w->ranges and its offset to w->info.
 */
static void elf_writer_write_code(struct elf_writer *w, const struct code_origin *from,
                                  const struct cairn_range *range, size_t count)
{
	if (count != 1) {
		write_ranges(w, from, range, count);
		return;
	}
	byte_buffer_number(&w->info, range->low, w->word);
	byte_buffer_uleb(&w->info, range->high - range->low);
}

static void elf_writer_end_ranges(struct elf_writer *w)
{
	if (w->ranges.size > 0)
		byte_buffer_overwrite(&w->ranges, 0, w->ranges.size - 4, 4);
}

static void elf_writer_write_aranges(struct elf_writer *w, const struct elf_writer_unit *unit,
                                     size_t unit_at)
{
	struct byte_buffer *b = &w->aranges;
	size_t at = b->size;

	byte_buffer_number(b, 0, 4);
	byte_buffer_number(b, 2, 2);
	byte_buffer_number(b, unit_at, 4);
	byte_buffer_u8(b, (uint8_t)w->word);
	byte_buffer_u8(b, 0);
	while ((b->size - at) % (2 * w->word) && !b->failed)
		byte_buffer_u8(b, 0);
	for (size_t i = 0; i < unit->ranges; i++) {
		const struct cairn_range *range = &w->unit_ranges[unit->ranges_at + i];
		byte_buffer_number(b, range->low, w->word);
		byte_buffer_number(b, range->high - range->low, w->word);
	}
	byte_buffer_number(b, 0, w->word);
	byte_buffer_number(b, 0, w->word);
	byte_buffer_overwrite(b, at, b->size - at - 4, 4);
}

/*
 * Makes units of code optimized by gcc recognizable. Like gcc's own units, they name gcc as the
 * producer and contain a location list. From these two facts GDB concludes that it need not search
 * for the end of a prologue, neither at a function nor at a line, and leaves each breakpoint where
 * it was requested.
 *
 * The list is an attribute of an unnamed template parameter, because that is the only kind of DIE
 * with a location that no debugger command shows. The list is empty, and all units share it.
 *
 * Rust units name LLVM as the producer, because GDB uses rows to find the end of a prologue only in
 * code from LLVM.
 */
enum { LLE_END = 0 };

/*
 * Set *by_gcc if gcc may have optimized the function, and *by_other if another compiler generated
 * it. gcc flags statements only if it optimizes, and never flags the end of a prologue. All other
 * compilers flag both.
 */
static void look_at(const struct elf_writer_function *f, bool *by_gcc, bool *by_other)
{
	*by_gcc = *by_gcc || f->is_marked;
	*by_other = *by_other || f->ends_prologue;
}

/* Return true if gcc optimized code in the unit, and no other compiler generated code there. */
static bool object_is_gcc_optimized(const struct elf_writer *w, const struct elf_writer_unit *unit,
                                    unsigned language)
{
	const struct elf_writer_function *part[2];
	bool by_gcc = false,
	     by_other = w->options.by_clang || !w->options.unwinds || language == ELF_WRITER_RUST;

	for (size_t i = 0; i < unit->count; i++) {
		const struct elf_writer_function *f = &w->function[unit->first + i];
		unsigned parts = f->pieces > 0 ? elf_writer_function_parts(w, f, part) : 0;
		for (unsigned p = 0; p < parts; p++)
			look_at(part[p], &by_gcc, &by_other);
	}
	return by_gcc && !by_other;
}

/* GDB parses the first and third words of gcc's name, and the first word of LLVM's. */
static uint32_t object_compiler_name(struct elf_writer *w, bool is_gcc)
{
	static const char gcc[] = "GNU C 12.0, symbols by cairn",
			  rustc[] = "clang LLVM (rustc), symbols by cairn";
	const char *text = is_gcc ? gcc : rustc;

	return interner_add_copy(&w->names,
	                         (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

static size_t empty_list(struct elf_writer *w)
{
	struct byte_buffer *b = &w->locations;
	enum { HEADER = 12 };

	if (b->size > 0)
		return HEADER;
	byte_buffer_number(b, HEADER + 1 - 4, 4);
	byte_buffer_number(b, 5, 2);
	byte_buffer_u8(b, (uint8_t)w->word);
	byte_buffer_u8(b, 0);
	byte_buffer_number(b, 0, 4);
	byte_buffer_u8(b, LLE_END);
	return HEADER;
}

/* Write the DIE by which GDB recognizes units optimized by gcc. `name` may be any name number. */
static void object_write_location_list(struct elf_writer *w, uint32_t name)
{
	struct byte_buffer *b = &w->info;

	byte_buffer_uleb(b, TEMPLATE);
	byte_buffer_uleb(b, PARAMETER);
	byte_buffer_number(b, w->names.entry[name].offset, 4);
	byte_buffer_number(b, empty_list(w), 4);
	byte_buffer_u8(b, 0);
}

enum { UNIT_COMPILE = 1 };

struct dwarf {
	struct elf_writer *w;
	struct elf_writer_local_files locals;
	struct elf_writer_calls calls;
	uint32_t *abstract; /* name numbers of functions that are inlined in the unit */
	size_t abstracts, abstract_capacity;
	uint32_t producer, unknown;
	size_t unit_at;
	struct code_origin from;
	/* the unit's language mangles names; in other languages, GDB appends "()" to names */
	bool linkage;
	struct elf_writer_scopes scopes;
	struct name_index *index;
	enum name_index_join join;
};

static void write_code(struct dwarf *d, const struct cairn_range *range, size_t count)
{
	elf_writer_write_code(d->w, &d->from, range, count);
}

static struct elf_writer_debug_name debug_name(struct dwarf *d, uint32_t name)
{
	uint32_t source = elf_writer_source_name_number(d->w, name);

	/*
	 * Swift functions get no linkage name, because debuggers cannot demangle it and would show
	 * it instead of the readable name
	 */
	if (elf_writer_is_swift(d->w, source))
		return (struct elf_writer_debug_name){ elf_writer_unqualified_name(d->w, source),
			                               0 };
	if (d->w->options.for_lldb)
		return elf_writer_lldb_name(d->w, name);
	bool linkage = d->linkage && !elf_writer_is_demangled(d->w, name);

	return (struct elf_writer_debug_name){ d->linkage
		                                       ? elf_writer_unqualified_name(d->w, source)
		                                       : source,
		                               linkage ? source : 0 };
}

static void write_name(struct dwarf *d, const struct elf_writer_debug_name *name)
{
	const struct interner *names = &d->w->names;

	byte_buffer_number(&d->w->info, names->entry[name->name].offset, 4);
	if (name->linkage)
		byte_buffer_number(&d->w->info, names->entry[name->linkage].offset, 4);
}

/* Open the scopes around a DIE. Unless `symbols` is NULL, add the scopes' symbols to the index. */
static void open_scopes(struct dwarf *d, const struct elf_writer_scopes *scopes,
                        const uint32_t *symbols)
{
	size_t same = 0;

	while (same < scopes->count && same < d->scopes.count &&
	       scopes->name[same] == d->scopes.name[same])
		same++;
	for (size_t i = d->scopes.count; i > same; i--)
		byte_buffer_u8(&d->w->info, 0);
	for (size_t i = same; i < scopes->count; i++) {
		byte_buffer_uleb(&d->w->info, SCOPE);
		byte_buffer_number(&d->w->info, d->w->names.entry[scopes->name[i]].offset, 4);
		if (symbols)
			name_index_add(d->index, symbols[i], NAME_INDEX_SCOPE);
	}
	d->scopes = *scopes;
}

static struct elf_writer_debug_name begin_entry(struct dwarf *d, uint32_t name,
                                                enum name_index_kind kind)
{
	struct elf_writer_scopes scopes;

	elf_writer_scopes(d->w, d->w->options.for_lldb ? 0 : name, &scopes);
	const struct elf_writer_debug_name names = debug_name(d, name);
	open_scopes(d, &scopes, name_index_enter(d->index, name, names, d->join, kind));
	return names;
}

static void write_abstract(struct dwarf *d, uint32_t name)
{
	struct byte_buffer *b = &d->w->info;

	const struct elf_writer_debug_name names = begin_entry(d, name, NAME_INDEX_INLINED);
	d->w->names.entry[name].mark = (uint32_t)(b->size - d->unit_at);
	byte_buffer_uleb(b, ABSTRACT + (names.linkage ? 1 : 0));
	write_name(d, &names);
}

static uint32_t local_file(struct dwarf *d, uint32_t path)
{
	return path ? d->w->file[path].local - 1 : 0;
}

/*
 * Return true if DW_AT_entry_pc is needed. Without it, debuggers assume that the call is entered at
 * its first range.
 */
static bool has_entry(const struct dwarf *d, const struct elf_writer_call *call)
{
	const struct cairn_range *range = d->calls.ranges.range + call->range;

	size_t first = elf_writer_first_range(&d->from, range, call->ranges);

	if (d->w->options.for_lldb || call->entry == range[first].low)
		return false;
	for (size_t i = 0; i < call->ranges; i++)
		if (call->entry - range[i].low < range[i].high - range[i].low)
			return true;
	return false; /* the entry lies in code that was assigned to another function */
}

static void write_call(struct dwarf *d, const struct elf_writer_call *call, bool children)
{
	struct byte_buffer *b = &d->w->info;
	bool entry = has_entry(d, call);

	byte_buffer_uleb(b, CALL + (children ? WITH_CHILDREN : 0u) +
	                            (call->ranges != 1 ? WITH_RANGES : 0u) +
	                            (entry ? WITH_ENTRY : 0u));
	byte_buffer_uleb(b, d->w->names.entry[call->name].mark);
	write_code(d, d->calls.ranges.range + call->range, call->ranges);
	if (entry)
		byte_buffer_number(b, call->entry, d->w->word);
	byte_buffer_uleb(b, local_file(d, call->file));
	byte_buffer_uleb(b, call->line);
}

static void write_block(struct dwarf *d, const struct elf_writer_call *scope)
{
	const struct cairn_range *range = d->calls.ranges.range + scope->range;
	struct byte_buffer *b = &d->w->info;

	byte_buffer_uleb(b, BLOCK);
	write_code(d, range, 1);
	byte_buffer_uleb(b, LABEL);
	byte_buffer_number(b, d->w->names.entry[d->unknown].offset, 4);
	byte_buffer_number(b, range->low, d->w->word);
	byte_buffer_u8(b, 0);
}

static void write_calls(struct dwarf *d)
{
	const struct elf_writer_calls *c = &d->calls;

	for (size_t i = 0; i < c->count; i++) {
		uint32_t depth = c->call[i].depth;
		uint32_t next = i + 1 < c->count ? c->call[i + 1].depth : 0;
		if (c->call[i].name == ELF_WRITER_NO_CALL)
			write_block(d, &c->call[i]);
		else
			write_call(d, &c->call[i], next > depth);
		for (; depth > next; depth--)
			byte_buffer_u8(&d->w->info, 0);
	}
}

/*
 * Return the path number in the first row, for DW_AT_decl_file. DW_AT_decl_line is omitted, because
 * the first row tells only where the function's code begins, not where it is declared, and GDB 16
 * rejects breakpoints on lines before the declaration.
 */
static uint32_t first_file(const struct elf_writer *w, const struct elf_writer_function *f)
{
	struct elf_writer_rows rows = elf_writer_rows(w, f);

	return elf_writer_next_row(&rows) ? (uint32_t)rows.path : 0;
}

static bool write_function(struct dwarf *d, const struct elf_writer_function *f)
{
	struct byte_buffer *b = &d->w->info;
	uint32_t path = first_file(d->w, f);

	if (!elf_writer_calls_read(&d->calls, d->w, f) ||
	    (!d->w->options.for_lldb && /* the scopes would change where LLDB sets breakpoints */
	     !elf_writer_calls_add_scopes(&d->calls, d->w, f)))
		return false;
	d->from.entry = f->start;
	const struct elf_writer_debug_name names = begin_entry(d, f->name, NAME_INDEX_FUNCTION);
	byte_buffer_uleb(b, FUNCTION + (d->calls.count ? WITH_CHILDREN : 0u) +
	                            (f->pieces != 1 ? WITH_RANGES : 0u) + (path ? WITH_LINES : 0u) +
	                            (names.linkage ? WITH_LINKAGE : 0u));
	write_name(d, &names);
	if (path)
		byte_buffer_uleb(b, local_file(d, path));
	write_code(d, d->w->own + f->first, f->pieces);
	write_calls(d);
	d->from.entry = 0;
	return true;
}

static bool note_abstract(struct dwarf *d, uint32_t name)
{
	if (d->w->names.entry[name].mark)
		return true;
	if (!array_grow(&d->abstract, &d->abstract_capacity, d->abstracts + 1, sizeof(name)))
		return false;
	d->w->names.entry[name].mark = 1;
	d->abstract[d->abstracts++] = name;
	return true;
}

static bool note_file(struct dwarf *d, uint32_t path)
{
	uint32_t local;

	return path == 0 || elf_writer_local_file(d->w, &d->locals, path, &local);
}

static bool note_part(struct dwarf *d, const struct elf_writer_function *f)
{
	struct elf_writer_rows rows = elf_writer_rows(d->w, f);

	for (uint64_t before = 0; elf_writer_next_row(&rows); before = rows.path)
		if (rows.path != before && !note_file(d, (uint32_t)rows.path))
			return false;
	const uint8_t *record = elf_writer_calls(d->w, f);
	for (uint32_t i = 0; i < f->calls; i++) {
		elf_writer_uleb(&record);
		if (!note_abstract(d, (uint32_t)elf_writer_uleb(&record)) ||
		    !note_file(d, (uint32_t)elf_writer_uleb(&record)))
			return false;
		elf_writer_uleb(&record);
		elf_writer_uleb(&record);
		for (uint64_t left = 2 * elf_writer_uleb(&record); left > 0; left--)
			elf_writer_uleb(&record);
	}
	return true;
}

static bool note_function(struct dwarf *d, const struct elf_writer_function *f)
{
	const struct elf_writer_function *part[2];
	unsigned parts = elf_writer_function_parts(d->w, f, part);

	for (unsigned i = 0; i < parts; i++)
		if (!note_part(d, part[i]))
			return false;
	return true;
}

static void clear_unit_marks(struct dwarf *d)
{
	for (size_t i = 0; i < d->abstracts; i++)
		d->w->names.entry[d->abstract[i]].mark = 0;
	for (size_t i = 0; i < d->locals.count; i++)
		d->w->file[d->locals.file[i]].local = 0;
	d->abstracts = d->locals.count = 0;
}

static bool note_unit(struct dwarf *d, const struct elf_writer_unit *unit)
{
	for (size_t i = 0; i < unit->count; i++) {
		const struct elf_writer_function *f = &d->w->function[unit->first + i];
		if (f->pieces > 0 && !f->is_bare && !note_function(d, f))
			return false;
	}
	return true;
}

static void write_unit_entry(struct dwarf *d, const struct elf_writer_unit *unit, size_t lines_at)
{
	struct elf_writer *w = d->w;
	struct byte_buffer *b = &w->info;
	const struct cairn_range *range = w->unit_ranges + unit->ranges_at;
	bool lines = d->locals.count > 0;
	unsigned language = elf_writer_language(w, unit, d->abstract, d->abstracts, &d->linkage);
	d->join = !d->linkage                   ? NAME_INDEX_PLAIN
	          : language == ELF_WRITER_D    ? NAME_INDEX_DOTS
	          : language == ELF_WRITER_RUST ? NAME_INDEX_COLONS
	                                        : NAME_INDEX_CPLUSPLUS;
	bool gcc = object_is_gcc_optimized(w, unit, language);
	uint32_t producer =
		gcc || language == ELF_WRITER_RUST ? object_compiler_name(w, gcc) : d->producer;

	byte_buffer_uleb(b,
	                 UNIT + (unit->ranges != 1 ? WITH_RANGES : 0u) + (lines ? WITH_LINES : 0u));
	byte_buffer_number(b, w->names.entry[producer].offset, 4);
	byte_buffer_number(b, language, 2);
	if (lines) {
		byte_buffer_number(b, w->paths.entry[d->locals.file[0]].offset, 4);
		byte_buffer_number(b, lines_at, 4);
	} else {
		byte_buffer_number(b, w->names.entry[d->unknown].offset, 4);
	}
	d->from.base = range->low;
	if (unit->ranges != 1)
		byte_buffer_number(b, d->from.base, w->word);
	write_code(d, range, unit->ranges);
	if (gcc)
		object_write_location_list(w, d->unknown);
}

static bool write_unit(struct dwarf *d, const struct elf_writer_unit *unit)
{
	struct elf_writer *w = d->w;
	size_t lines_at = w->lines.size;

	if (unit->ranges == 0)
		return true;
	if (!note_unit(d, unit))
		return false;
	if (d->locals.count > 0 && !elf_writer_write_lines(w, unit, &d->locals))
		return false;
	d->unit_at = w->info.size;
	byte_buffer_number(&w->info, 0, 4);
	byte_buffer_number(&w->info, 5, 2);
	byte_buffer_u8(&w->info, UNIT_COMPILE);
	byte_buffer_u8(&w->info, (uint8_t)w->word);
	byte_buffer_number(&w->info, 0, 4);
	write_unit_entry(d, unit, lines_at);
	for (size_t i = 0; i < d->abstracts; i++)
		write_abstract(d, d->abstract[i]);
	for (size_t i = 0; i < unit->count; i++) {
		const struct elf_writer_function *f = &w->function[unit->first + i];
		if (f->pieces > 0 && !f->is_bare && !write_function(d, f))
			return false;
	}
	open_scopes(d, &(struct elf_writer_scopes){ .count = 0 }, NULL);
	byte_buffer_u8(&w->info, 0);
	byte_buffer_overwrite(&w->info, d->unit_at, w->info.size - d->unit_at - 4, 4);
	elf_writer_write_aranges(w, unit, d->unit_at);
	name_index_end_unit(d->index, unit, d->unit_at);
	clear_unit_marks(d);
	return true;
}

static bool write_units(struct dwarf *d)
{
	const struct cairn_object_options *options = &d->w->options;

	for (size_t i = 0; i < d->w->units; i++) {
		if (options->poll)
			options->poll(options->poll_context);
		if (!write_unit(d, &d->w->unit[i]))
			return false;
	}
	return true;
}

static bool has_complete_buffers(const struct elf_writer *w)
{
	return !w->failed && !w->info.failed && !w->abbrev.failed && !w->lines.failed &&
	       !w->ranges.failed && !w->aranges.failed && !w->locations.failed &&
	       !w->names.text.failed;
}

static uint32_t add_name(struct elf_writer *w, const char *text, size_t size)
{
	return interner_add_copy(&w->names, (struct cairn_bytes){ (const uint8_t *)text, size });
}

static void finish_dwarf(struct dwarf *d)
{
	elf_writer_calls_finish(&d->calls);
	name_index_free(d->index);
	free(d->abstract);
	free(d->locals.file);
}

bool elf_writer_build_dwarf(struct elf_writer *w)
{
	static const char producer[] = "cairn";
	WITH_CLEANUP(finish_dwarf)
	struct dwarf d = { .w = w,
		           .producer = add_name(w, producer, sizeof(producer) - 1),
		           .unknown = add_name(w, "??", 2) };
	bool done = elf_writer_calls_init(&d.calls);

	if (done && !w->options.for_lldb) {
		d.index = name_index_new(w);
		done = d.index != NULL;
	}

	elf_writer_write_abbrevs(&w->abbrev, w->entries && !w->options.for_lldb);
	done = done && write_units(&d) && has_complete_buffers(w);
	if (done)
		elf_writer_end_ranges(w);
	byte_buffer_finish(&w->records);
	return done && (!d.index || name_index_finish(d.index));
}
