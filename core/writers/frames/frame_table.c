/* SPDX-License-Identifier: MIT */
/*
 * Converts an .sframe section to FDEs, function by function, after copying the FDEs of a hidden
 * .eh_frame.
 */
#include "frame_writer.h"

#include "base/memory.h"
#include "base/sort.h"
#include "cfi_encoder.h"
#include "eh_frames.h"
#include "isa/amd64.h"
#include "saved_registers.h"
#include "unwind/tables/unwind_tables.h"

#include <stdlib.h>
#include <string.h>

/* Maximum size of the code at an entry point; C libraries have 34 to 48 bytes. */
enum { ENTRY_SIZE_MAX = 64 };

struct maker {
	const struct frame_writer_options *options;
	struct frame_table *table;
	struct program_image image;
	struct saved_registers *saved;
	struct cfi_encoder encoder;
	uint64_t stubs;
	bool hidden;
	size_t copied; /* number of copied functions, which come first */
	bool failed;
};

static void finish_maker(struct maker *m)
{
	saved_registers_free(m->saved);
	program_image_close(&m->image);
}

static void add_function(struct maker *m, struct cairn_range range, enum frame_function_kind kind)
{
	m->failed |= !frame_table_add(m->table, range, kind);
}

/*
 * Read the row at `va` and set *end to the address where the next one may begin. Return false if
 * there is no row.
 */
static bool read_row(struct maker *m, size_t number, uint64_t va, struct cfi_encoder_row *row,
                     uint64_t *end)
{
	struct cairn_rules *rules = m->image.module->rules;
	const struct rules_function *f = &rules->functions[number];
	struct cairn_fault fault;
	const struct cairn_rule *rule;
	uint64_t until;

	if (cairn_rules_find(rules, va, &rule, &fault) != CAIRN_OK) {
		if (fault.status != CAIRN_NOT_FOUND && m->table->damaged++ == 0)
			m->table->fault = fault;
		return false;
	}
	const struct flow_fact *fact =
		saved_registers_find(m->saved, number, va - f->start, &until);
	row->rule = *rule;
	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		row->saved[i] = fact ? fact->where[i] : (int16_t)FLOW_UNKNOWN;
	*end = rule->end;
	if (until < UINT64_MAX && f->start + until < *end)
		*end = f->start + until;
	return *end > va && !rule->trampoline;
}

/* Write rows from range.low on. Return the first address without a row. */
static uint64_t write_rows(struct maker *m, size_t number, struct cairn_range range)
{
	struct cfi_encoder_row row;
	uint64_t va = range.low, next;

	while (va < range.high && !m->table->section.failed &&
	       read_row(m, number, va, &row, &next)) {
		cfi_encoder_row(&m->encoder, va, &row);
		va = next < range.high ? next : range.high;
	}
	cfi_encoder_end(&m->encoder, va);
	return va;
}

/* Each entry of a PLT becomes a function of its own. */
static void write_stubs(struct maker *m, size_t number, struct cairn_range range, uint8_t block)
{
	for (uint64_t va = range.low; va < range.high && !m->failed; va += block) {
		const uint64_t left = range.high - va;
		const struct cairn_range stub = { va, va + (left < block ? left : block) };
		if (m->stubs++ >= FRAME_WRITER_STUBS)
			return;
		const uint64_t end = write_rows(m, number, stub);
		if (end > va)
			add_function(m, (struct cairn_range){ va, end }, FRAME_FUNCTION_STUB);
		if (left <= block)
			return;
	}
}

/* Return the first copied function that ends after `va` and may contain it, or NULL. */
static const struct frame_function *find_copied(const struct maker *m, uint64_t va)
{
	const size_t next = SORTED_UP_TO(m->table->function, m->copied, range.high, va);

	return next < m->copied ? &m->table->function[next] : NULL;
}

/*
 * Return true if `va` is covered by call frame information that debuggers find or that was copied.
 */
static bool is_described(const struct maker *m, uint64_t va)
{
	const struct frame_function *copied = find_copied(m, va);

	return m->hidden ? copied && copied->range.low <= va
	                 : module_find_cfi(m->image.space, m->image.module, va) != NULL;
}

/*
 * Return the range of a function. It ends at the next function or where its code in the file ends.
 */
static struct cairn_range function_range(const struct maker *m, size_t number)
{
	const struct cairn_rules *rules = m->image.module->rules;
	const struct rules_function *f = &rules->functions[number];
	const struct frame_function *copied = find_copied(m, f->start);
	uint64_t size = program_image_code_size(&m->image, f->start);

	size = f->size < size ? f->size : size;
	if (copied && copied->range.low >= f->start && copied->range.low - f->start < size)
		size = copied->range.low - f->start;
	if (number + 1 < rules->function_count && f[1].start - f->start < size)
		size = f[1].start - f->start;
	return (struct cairn_range){ f->start, f->start + size };
}

static void write_function(struct maker *m, size_t number)
{
	const struct cairn_rules *rules = m->image.module->rules;
	const struct rules_function *f = &rules->functions[number];
	const struct cairn_range range = function_range(m, number);
	struct sframe_function function;
	struct cairn_fault fault;

	if (range.low >= range.high || is_described(m, range.low) ||
	    sframe_function(&rules->tables[f->table], f->index, &function, &fault) != CAIRN_OK)
		return;
	if (function.masked) {
		write_stubs(m, number, range, function.repeat);
		return;
	}
	const uint64_t end = write_rows(m, number, range);
	if (end > range.low)
		add_function(m, (struct cairn_range){ range.low, end }, FRAME_FUNCTION);
}

/*
 * Return the size of the code at an entry point, up to the instruction that never returns, or 0 if
 * no such instruction is found.
 */
static uint64_t entry_size(const struct maker *m, uint64_t entry)
{
	uint8_t code[ENTRY_SIZE_MAX];
	uint64_t room = program_image_code_size(&m->image, entry);
	struct amd64_instruction is;
	struct cairn_target target = m->image.space->target;

	room = room < sizeof(code) ? room : sizeof(code);
	if (m->image.module->machine != CAIRN_MACHINE_AMD64 || room == 0 ||
	    target.read_memory(target.context, entry, code, (size_t)room) != CAIRN_OK)
		return 0;
	for (size_t at = 0; at < room && amd64_decode(code + at, (size_t)room - at, &is);) {
		at += is.length;
		if (is.kind == AMD64_STOP)
			return at;
	}
	return 0;
}

/* Return the insertion index for `range`, or SIZE_MAX if it overlaps a function. */
static size_t place_of(const struct frame_table *table, struct cairn_range range)
{
	size_t at = 0;

	while (at < table->functions && table->function[at].range.low < range.low)
		at++;
	bool free = (at == 0 || table->function[at - 1].range.high <= range.low) &&
	            (at == table->functions || table->function[at].range.low >= range.high);
	return free ? at : SIZE_MAX;
}

/*
 * Mark the entry point as the outermost frame, because it is not called. Most tables do not cover
 * it.
 */
static void write_entry(struct maker *m)
{
	const uint64_t entry = m->image.elf.entry;
	const struct cairn_range range = { entry, entry + entry_size(m, entry) };
	struct cfi_encoder_row row = { .rule = { .outermost = true } };
	struct frame_table *table = m->table;
	size_t at = place_of(table, range);

	if (range.low >= range.high || at == SIZE_MAX || is_described(m, entry))
		return;
	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		row.saved[i] = FLOW_UNKNOWN;
	cfi_encoder_row(&m->encoder, range.low, &row);
	cfi_encoder_end(&m->encoder, range.high);
	add_function(m, range, FRAME_FUNCTION_ENTRY);
	if (m->failed)
		return;
	const struct frame_function last = table->function[table->functions - 1];
	memmove(table->function + at + 1, table->function + at,
	        (table->functions - 1 - at) * sizeof(last));
	table->function[at] = last;
}

static enum cairn_status open_rules(struct maker *m)
{
	struct cairn_rules *rules = module_rules(m->image.space, m->image.module);

	if (!rules)
		return CAIRN_NOT_FOUND;
	cairn_rules_build_index(rules);
	if (!rules->functions && rules_list_functions(rules) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	m->saved = saved_registers_new(&m->image, m->options->poll, m->options->poll_context);
	return m->saved ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static void write_functions(struct maker *m)
{
	const struct cairn_rules *rules = m->image.module->rules;

	for (size_t i = 0; i < rules->function_count && !m->table->section.failed; i++) {
		bool shadowed = i + 1 < rules->function_count &&
		                rules->functions[i + 1].start == rules->functions[i].start;
		if (m->options->poll)
			m->options->poll(m->options->poll_context);
		if (!shadowed)
			write_function(m, i);
	}
}

/*
 * Without an FDE for the entry point, a debugger continues past it into whatever is on the stack.
 */
static void add_entry(struct maker *m)
{
	if (m->table->functions == 0)
		return;
	if (m->copied > 0)
		SORT_BY_FIRST(m->table->function, m->table->functions, range.low);
	m->copied = m->hidden ? m->table->functions : 0;
	write_entry(m);
}

/*
 * Use a table that was generated for a program that lacks unwind tables. The caller has compared
 * the build IDs.
 */
static void take_sframe_file(struct maker *m)
{
	struct cairn_space *space = m->image.space;
	const struct cairn_bytes file = m->options->sframe_file;
	struct cairn_fault fault;

	if (file.size > 0 && !module_cfi(space, m->image.module) &&
	    cairn_space_give_sframe(space, m->image.module->low, file, &fault) != CAIRN_OK &&
	    fault.status != CAIRN_NOT_FOUND && m->table->damaged++ == 0)
		m->table->fault = fault;
}

enum cairn_status frame_table_make(struct cairn_bytes file,
                                   const struct frame_writer_options *options,
                                   struct frame_table *table)
{
	WITH_CLEANUP(finish_maker) struct maker m = { .options = options, .table = table };

	*table = (struct frame_table){ .section = { .limit = options->limit } };
	enum cairn_status status = program_image_open(file, &m.image);
	if (status != CAIRN_OK)
		return status;
	table->section.big = m.image.elf.big;
	/* copied functions must precede those from .sframe */
	m.hidden = eh_frames_are_hidden(&m.image);
	if (m.hidden && !eh_frames_write(&m.image, options, table))
		return CAIRN_NO_MEMORY;
	m.copied = table->functions;
	take_sframe_file(&m);
	status = open_rules(&m);
	if (status == CAIRN_NO_MEMORY)
		return status;
	m.encoder = cfi_encoder_open(&table->section, m.image.module->machine);
	if (status == CAIRN_OK)
		write_functions(&m);
	add_entry(&m);
	frame_table_name_functions(&m.image.elf, table);
	frame_table_name_stubs(&m.image, table);
	if (m.failed || table->section.failed)
		return CAIRN_NO_MEMORY;
	return table->functions > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}
