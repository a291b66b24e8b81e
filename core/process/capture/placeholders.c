/* SPDX-License-Identifier: MIT */
/*
 * Creates placeholders for the files of modules. Frames that debuggers could not unwind (in modules
 * without a file, outside of modules, or not covered by call frame information) become rows of call
 * frame information, and their functions become symbols.
 */
#include "placeholders.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/rule_places.h"
#include "base/sort.h"
#include "base/target_memory.h"
#include "loader.h"
#include "process/snapshot/core_file.h"
#include "process/snapshot/snapshot_modules.h"
#include "writers/capture/placeholder.h"
#include "writers/frames/cfi_encoder.h"
#include "writers/frames/frame_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	NAME_MAX_BYTES = 128,
	CODE_MODULES_MAX = 256,

	FILE_MAX = 256 << 20,
	SYMBOL_NAME_MAX = 4096,
	PAGES_TRIED = 16,
	AT_ENTRY = 9,

	DISTANCE_MAX = 1 << 30,
	/* maximum number of words below the CFA to search for a saved register */
	SEARCHED_WORDS = 64,
	AMD64_SIGNAL = 120, /* offset of rbp in the kernel's signal frame on amd64 */
	AMD64_SIGNAL_SP = 160,
	AMD64_SIGNAL_PC = 168,
	/* offset of x29 in the kernel's signal frame on aarch64 */
	AARCH64_SIGNAL = 128 + 0xb8 + 29 * 8,
	AARCH64_SIGNAL_SP = 128 + 0xb8 + 31 * 8,
	AARCH64_SIGNAL_PC = 128 + 0xb8 + 32 * 8,
};

struct row_maker {
	struct cairn_stacks *stacks;
	const struct arch *arch;
	const struct cairn_registers *frame, *caller;
	uint64_t sp, cfa;
	struct frame_row row;
};

static struct cairn_register_rule in_memory(unsigned base, int64_t offset)
{
	return (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, (uint16_t)base, offset };
}

static const struct cairn_register_rule unknown_register = { .kind = CAIRN_REGISTER_UNDEFINED },
					same_register = { .kind = CAIRN_REGISTER_SAME_VALUE };

static bool has_word(const struct row_maker *m, uint64_t address, uint64_t value)
{
	uint64_t word;

	return arch_read_word(m->arch, &m->stacks->memory.target, false, address, &word) &&
	       word == value;
}

/*
 * Find the slot in which the frame saved `value`. Use the slot from the frame's own rule if the
 * rule names one, otherwise search below the CFA.
 */
static struct cairn_register_rule find_saved_value(const struct row_maker *m,
                                                   const struct cairn_register_rule *told,
                                                   uint64_t value)
{
	const uint64_t words = (m->cfa - m->sp) / m->arch->word;

	if (told->kind == CAIRN_REGISTER_MEMORY && told->base == CAIRN_BASE_CFA)
		return *told;
	for (uint64_t i = 1; i <= words && i <= SEARCHED_WORDS; i++)
		if (has_word(m, m->cfa - i * m->arch->word, value))
			return in_memory(CAIRN_BASE_CFA, -(int64_t)(i * m->arch->word));
	return unknown_register;
}

static struct cairn_register_rule find_frame_pointer(const struct row_maker *m)
{
	const unsigned fp = m->arch->fp;

	if (!register_known(m->caller, fp))
		return unknown_register;
	if (register_known(m->frame, fp) && m->frame->value[fp] == m->caller->value[fp])
		return same_register;
	return find_saved_value(m, &m->stacks->walk.step.rule.fp, m->caller->value[fp]);
}

/*
 * Find the return address. On machines whose calls push it, it is directly below the CFA. On others
 * it may still be in the link register.
 */
static struct cairn_register_rule find_return_address(const struct row_maker *m)
{
	const struct cairn_rule *rule = &m->stacks->walk.step.rule;

	if (!m->arch->link)
		return has_word(m, m->cfa - m->arch->word, m->caller->pc)
		               ? in_memory(CAIRN_BASE_CFA, -(int64_t)m->arch->word)
		               : unknown_register;
	if (register_known(m->frame, m->arch->ra) && rule->ra.kind != CAIRN_REGISTER_MEMORY &&
	    arch_strip(m->arch, m->frame->value[m->arch->ra], 0) == m->caller->pc)
		return same_register;
	return find_saved_value(m, &rule->ra, m->caller->pc);
}

static void make_signal_row(struct row_maker *m)
{
	const bool is_amd64 = m->frame->machine == CAIRN_MACHINE_AMD64;
	struct cairn_rule *rule = &m->row.rule;

	rule->signal = true;
	rule->cfa = in_memory(m->arch->sp, is_amd64 ? AMD64_SIGNAL_SP : AARCH64_SIGNAL_SP);
	rule->ra = in_memory(m->arch->sp, is_amd64 ? AMD64_SIGNAL_PC : AARCH64_SIGNAL_PC);
	rule->fp = in_memory(m->arch->sp, is_amd64 ? AMD64_SIGNAL : AARCH64_SIGNAL);
	m->row.has_sp = true;
}

static bool is_far(uint64_t distance)
{
	return distance >= DISTANCE_MAX;
}

/*
 * Find the distances from the stack pointer and the frame pointer to the CFA. On machines with a
 * link register, a frame found through the frame pointer has no known stack pointer, so only the
 * frame pointer can be used.
 */
static bool find_distance(struct row_maker *m)
{
	const unsigned sp = m->arch->sp, fp = m->arch->fp;

	m->cfa = register_known(m->caller, sp)
	                 ? m->caller->value[sp] - (uint64_t)(int64_t)m->arch->sp_from_cfa
	                 : m->stacks->walk.step.cfa;
	m->row.has_sp = register_known(m->frame, sp);
	m->row.has_fp = register_known(m->frame, fp) && m->cfa > m->frame->value[fp] &&
	                !is_far(m->cfa - m->frame->value[fp]);
	m->row.from_fp = m->row.has_fp ? m->cfa - m->frame->value[fp] : 0;
	m->row.from_sp = m->row.has_sp ? m->cfa - m->frame->value[sp] : 0;
	if (!m->row.has_sp) {
		m->sp = m->frame->value[fp];
		return m->row.has_fp && m->arch->link;
	}
	m->sp = m->frame->value[sp];
	return !is_far(m->row.from_sp) && (m->arch->link || m->row.from_sp >= m->arch->word);
}

/*
 * Create the row for a frame. Return false if no row of call frame information can lead from this
 * frame to its caller.
 */
static bool make_row(struct row_maker *m)
{
	const struct stack_walk *walk = &m->stacks->walk;

	m->row = (struct frame_row){ .lookup = stack_walk_lookup_address(walk) };
	if (walk->end != CAIRN_STACK_GOES_ON) {
		m->row.ends = m->row.has_sp = true;
		m->row.from_sp = m->arch->word;
		return true;
	}
	if (walk->step.signal) {
		make_signal_row(m);
		return true;
	}
	if (!find_distance(m))
		return false;
	m->row.rule.ra = find_return_address(m);
	m->row.rule.fp = find_frame_pointer(m);
	m->row.rule.mangled = walk->step.rule.mangled;
	m->row.rule.key_b = walk->step.rule.key_b;
	return m->row.rule.ra.kind != CAIRN_REGISTER_UNDEFINED;
}

/*
 * Return true if debuggers do not recognize the end of this stack. They recognize the program's
 * entry point and ends marked by call frame information, but not the code that ends a thread.
 */
static bool is_untold_end(const struct stack_walk *walk)
{
	return !walk->step.at_entry && walk->step.stop == CAIRN_STOP_OUTERMOST &&
	       walk->step.method == CAIRN_UNWIND_METHOD_NONE;
}

/*
 * Return true for a trampoline that debuggers do not recognize. They recognize a trampoline by its
 * name, by call frame information or, if no symbol is near, by its code, but these checks all fail
 * for musl's trampoline.
 */
static bool is_untold_trampoline(const struct stack_walk *walk)
{
	return walk->step.signal &&
	       !cairn_space_has_cfi(walk->space, stack_walk_lookup_address(walk));
}

/*
 * Return true if debuggers need a row for the frame. They need none for a frame with call frame
 * information or after a call through a bad pointer.
 */
static bool is_row_needed(const struct cairn_stacks *stacks)
{
	const struct stack_walk *walk = &stacks->walk;
	const struct snapshot_module *module =
		snapshot_find_module(&stacks->snapshot, stack_walk_lookup_address(walk));

	if (!module)
		return walk->registers.pc != 0 &&
		       !(walk->level == 0 && walk->step.method == CAIRN_UNWIND_METHOD_CALL);
	if (vdso_image_size(&stacks->snapshot, module) > 0 || module->remapped)
		return false;
	if (walk->end == CAIRN_STACK_OUTERMOST)
		return module->file.size == 0 || is_untold_end(walk);
	return module->file.size == 0 ||
	       (walk->end == CAIRN_STACK_GOES_ON && walk->step.method != CAIRN_UNWIND_METHOD_CFI &&
	        (walk->step.method != CAIRN_UNWIND_METHOD_SIGNAL || is_untold_trampoline(walk)));
}

/*
 * Merge the rows of two frames at the same address into *row. Return false if no single row is
 * right for both.
 */
static bool join_rows(struct frame_row *row, const struct frame_row *other)
{
	const bool has_sp = row->has_sp && other->has_sp && row->from_sp == other->from_sp;
	const bool has_fp = row->has_fp && other->has_fp && row->from_fp == other->from_fp;

	if (other->ends)
		return true;
	if (row->ends) {
		*row = *other;
		return true;
	}
	if ((!has_sp && !has_fp) || !rule_is_same_location(&row->rule.ra, &other->rule.ra) ||
	    !rule_is_same_location(&row->rule.cfa, &other->rule.cfa))
		return false;
	row->has_sp = has_sp;
	row->has_fp = has_fp;
	if (!rule_is_same_location(&row->rule.fp, &other->rule.fp))
		row->rule.fp = unknown_register;
	return true;
}

static void settle_rows(struct frame_rows *rows)
{
	size_t out = 0;

	SORT_BY_FIRST(rows->row, rows->count, lookup);
	for (size_t i = 0; i < rows->count; i++) {
		struct frame_row *last = out > 0 ? &rows->row[out - 1] : NULL;
		if (!last || last->lookup != rows->row[i].lookup)
			rows->row[out++] = rows->row[i];
		else
			rows->ambiguous += !join_rows(last, &rows->row[i]);
	}
	rows->count = out;
}

static void keep_row(struct frame_rows *rows, const struct frame_row *row)
{
	if (rows->count > 0 && rows->row[rows->count - 1].lookup == row->lookup &&
	    join_rows(&rows->row[rows->count - 1], row))
		return;
	if (rows->full)
		rows->left_out++;
	else if (!ARRAY_APPEND(rows->row, rows->count, rows->capacity, *row))
		rows->scarce = true;
	if (rows->count == FRAME_ROWS_MAX) {
		settle_rows(rows);
		rows->full = rows->count > FRAME_ROWS_MAX / 2;
	}
}

static void collect_frame(struct frame_rows *rows, struct cairn_stacks *stacks)
{
	struct row_maker maker = { .stacks = stacks,
		                   .arch = arch_of(stacks->walk.registers.machine),
		                   .frame = &stacks->walk.registers,
		                   .caller = &stacks->walk.step.caller };

	if (stacks_is_async(stacks) || !maker.arch ||
	    maker.frame->machine != stacks->snapshot.machine || !is_row_needed(stacks))
		return;
	if (make_row(&maker))
		keep_row(rows, &maker.row);
	else
		rows->left_out++;
}

static struct cairn_rule frame_row_rule(const struct frame_row *row, enum cairn_machine machine)
{
	const struct arch *arch = arch_of(machine);
	struct cairn_rule rule = row->rule;

	rule.machine = machine;
	rule.outermost = row->ends;
	if (rule.cfa.kind != CAIRN_REGISTER_UNDEFINED)
		return rule;
	rule.cfa = row->has_sp ? (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, arch->sp,
		                                               (int64_t)row->from_sp }
	                       : (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, arch->fp,
		                                               (int64_t)row->from_fp };
	return rule;
}

static size_t frame_rows_find(const struct frame_rows *rows, uint64_t lookup)
{
	return SORTED_BELOW(rows->row, rows->count, lookup, lookup);
}

struct row_span {
	const struct frame_row *row;
	size_t count;
};

struct row_group {
	struct row_span span;
	uint64_t low, high;
};

static struct row_span find_module_rows(const struct frame_rows *rows,
                                        const struct snapshot_module *module)
{
	const size_t first = frame_rows_find(rows, module->low);

	if (rows->count == 0)
		return (struct row_span){ NULL, 0 };
	return (struct row_span){ rows->row + first, frame_rows_find(rows, module->high) - first };
}

static struct cfi_encoder_row encode_row(const struct frame_row *row, enum cairn_machine machine)
{
	struct cfi_encoder_row encoded = { .rule = frame_row_rule(row, machine) };

	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		encoded.saved[i] = FLOW_UNKNOWN;
	return encoded;
}

static bool is_good_name(struct cairn_bytes name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] < ' ' || name.data[i] == 0x7f)
			return false;
	return name.size > 0 && name.size <= SYMBOL_NAME_MAX;
}

/*
 * Write a function name derived from the module's name. Replace '.' and other punctuation, because
 * debuggers cut off a name at a dot.
 */
static size_t name_all(const struct snapshot_module *module, char name[SYMBOL_NAME_MAX])
{
	const struct cairn_bytes base = base_name(module->path);
	size_t size = 0;

	for (; size < base.size && size < SYMBOL_NAME_MAX; size++) {
		const uint8_t byte = base.data[size];
		const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		                   (byte >= '0' && byte <= '9' && size > 0);
		name[size] = plain ? (char)byte : '_';
	}
	if (size == 0)
		name[size++] = '_';
	return size;
}

static bool is_named_row(const struct frame_row *row)
{
	return is_good_name(row->function) && row->start <= row->lookup;
}

/*
 * Return true if both rows can share an FDE because they belong to the same function, or both to
 * unknown functions.
 */
static bool is_same_function(const struct frame_row *a, const struct frame_row *b)
{
	return is_named_row(a) == is_named_row(b) && (!is_named_row(a) || a->start == b->start) &&
	       a->rule.signal == b->rule.signal && a->rule.key_b == b->rule.key_b;
}

/*
 * Return the end of the code that a row describes. GDB looks up a trampoline at the handler's
 * return address itself, not at the preceding byte, so include the return address.
 */
static uint64_t find_row_end(const struct frame_row *row)
{
	return row->lookup + 1 + row->rule.signal;
}

/*
 * Find the next group of rows, all in one function or all in unknown functions, and the code range
 * that the group should describe. The range of a known function begins at the start of the
 * function, because debuggers look for an FDE there. Return false after the last row.
 */
static bool next_group(const struct row_span *span, size_t *at, struct row_group *group)
{
	const size_t first = *at;
	const uint64_t end = first > 0 ? find_row_end(&span->row[first - 1]) : 0;

	if (first == span->count)
		return false;
	while (*at < span->count && is_same_function(&span->row[first], &span->row[*at]))
		++*at;
	*group = (struct row_group){ { &span->row[first], *at - first }, end, 0 };
	group->high = find_row_end(&span->row[*at - 1]);
	if (is_named_row(&span->row[first]) && span->row[first].start > end)
		group->low = span->row[first].start;
	return true;
}

static void put_rows(struct cfi_encoder *encoder, const struct row_span *span,
                     struct cairn_range range, uint64_t bias)
{
	for (size_t i = 0; i < span->count; i++) {
		const struct cfi_encoder_row row = encode_row(&span->row[i], encoder->machine);
		cfi_encoder_row(encoder, i == 0 ? range.low : span->row[i].lookup - bias, &row);
	}
	cfi_encoder_end(encoder, range.high);
}

/*
 * Create a symbol and an FDE for each group. Name code in unknown functions after the module.
 * Return the number of symbols.
 */
static size_t list_symbols(struct byte_buffer *frames, const struct row_span *span,
                           const struct snapshot_module *module, enum cairn_machine machine,
                           struct cairn_bytes all, struct placeholder_symbol *symbols)
{
	struct cfi_encoder encoder = cfi_encoder_open(frames, machine);
	struct row_group group, next;
	size_t count = 0, at = 0;
	bool more = next_group(span, &at, &group);

	symbols[count++] = (struct placeholder_symbol){ 0, module->high - module->low, all };
	while (more) {
		more = next_group(span, &at, &next);
		const uint64_t low = group.low > module->low ? group.low - module->low : 0;
		const uint64_t high = (more && next.low > group.high ? next.low
		                       : more                        ? group.high
		                                                     : module->high) -
		                      module->low;
		symbols[count - 1].size = low - symbols[count - 1].va;
		count -= symbols[count - 1].size == 0;
		symbols[count++] = (struct placeholder_symbol){ low, high - low,
			                                        is_named_row(group.span.row)
			                                                ? group.span.row->function
			                                                : all };
		put_rows(&encoder, &group.span, (struct cairn_range){ low, high }, module->low);
		group = next;
	}
	return count;
}

static bool is_captured(const struct snapshot *snapshot, uint64_t low, uint64_t high)
{
	const struct corefile *memory = snapshot->source;

	for (size_t i = 0; i < memory->count; i++)
		if (memory->range[i].address < high &&
		    low < memory->range[i].address + memory->range[i].bytes.size)
			return true;
	return false;
}

/*
 * Return the offset of a page near the module's end that contains no frames or captured memory, or
 * 0.
 */
static uint64_t find_free_page(const struct snapshot *snapshot, const struct frame_rows *rows,
                               const struct snapshot_module *module)
{
	uint64_t high = module->high - module->high % PLACEHOLDER_PAGE;

	for (size_t i = 0;
	     i < PAGES_TRIED && high - module->low > 2 * PLACEHOLDER_PAGE && high > module->low;
	     i++, high -= PLACEHOLDER_PAGE) {
		const uint64_t low = high - PLACEHOLDER_PAGE;
		if (frame_rows_find(rows, low) == frame_rows_find(rows, module->high) &&
		    !is_captured(snapshot, low, high))
			return low - module->low;
	}
	return 0;
}

static bool is_of_program(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	const size_t program = loader_find_program(snapshot);

	return program < snapshot->module_count && module == &snapshot->modules[program];
}

static void fill_program(struct placeholder *draft, const struct snapshot *snapshot,
                         const struct frame_rows *rows, const struct snapshot_module *module)
{
	uint64_t entry;

	draft->dynamic = find_free_page(snapshot, rows, module);
	draft->entry = snapshot_auxv(snapshot, AT_ENTRY, &entry) && entry >= module->low &&
	                               entry < module->high
	                       ? entry - module->low
	                       : PLACEHOLDER_PAGE;
}

static bool placeholder_file_make(struct placeholder_file *file, const struct cairn_stacks *stacks,
                                  const struct frame_rows *rows,
                                  const struct snapshot_module *module)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const struct row_span span = find_module_rows(rows, module);
	struct placeholder_symbol *symbols = calloc(span.count + 2, sizeof(*symbols));
	struct byte_buffer frames = { .limit = FILE_MAX };
	char name[SYMBOL_NAME_MAX];
	const struct cairn_bytes all = { (const uint8_t *)name, name_all(module, name) };
	struct placeholder draft = { .machine = snapshot->machine == CAIRN_MACHINE_AARCH64
		                                        ? ELF_EM_AARCH64
		                                        : ELF_EM_X86_64,
		                     .size = module->high - module->low,
		                     .symbols = symbols };

	file->made = (struct byte_buffer){ .limit = FILE_MAX };
	if (is_of_program(snapshot, module))
		fill_program(&draft, snapshot, rows, module);
	if (symbols) {
		draft.symbol_count =
			list_symbols(&frames, &span, module, snapshot->machine, all, symbols);
		draft.frames = (struct cairn_bytes){ frames.data, frames.size };
		placeholder_write(&draft, &file->made);
	}
	const bool made = symbols && !file->made.failed && !frames.failed;
	file->part[0] = (struct cairn_bytes){ file->made.data, file->made.size };
	file->parts = 1;
	byte_buffer_finish(&frames);
	free(symbols);
	return made;
}

static void put_other_rows(struct frame_table *table, const struct row_span *span,
                           const struct snapshot_module *module, enum cairn_machine machine)
{
	struct cfi_encoder encoder = cfi_encoder_open(&table->section, machine);
	struct row_group group;

	for (size_t at = 0; next_group(span, &at, &group);) {
		const uint64_t first = group.span.row[0].lookup - module->bias;
		const bool named = is_named_row(group.span.row);
		const size_t next =
			SORTED_UP_TO(table->function, table->functions, range.high, first);
		if (next < table->functions && table->function[next].range.low <= first)
			continue;
		put_rows(&encoder, &group.span,
		         (struct cairn_range){ named ? group.low - module->bias : first,
		                               group.high - module->bias },
		         module->bias);
	}
}

static bool append_frames(struct placeholder_file *file, const struct elf *elf,
                          struct cairn_bytes frames)
{
	struct elf_append append;
	struct cairn_fault fault;

	file->append = malloc(elf_append_capacity(elf, ".debug_frame"));
	if (!file->append || elf_append_section(elf, ".debug_frame", frames, file->append, &append,
	                                        &fault) != CAIRN_OK)
		return false;
	memcpy(file->part, append.part, sizeof(file->part));
	file->parts = ELF_APPEND_PARTS;
	return true;
}

/*
 * Create a copy of the module's own file with an added .debug_frame. It describes the frames in
 * `rows` and, if the file has an .sframe section, everything that .sframe describes. Return false
 * if the file cannot be extended, because its sections are unnamed or it already has a
 * .debug_frame. Also return false if allocation fails, which sets file->made.failed.
 */
static bool placeholder_file_extend(struct placeholder_file *file, const struct frame_rows *rows,
                                    const struct snapshot_module *module)
{
	const struct frame_writer_options options = { .limit = FILE_MAX };
	const struct row_span span = find_module_rows(rows, module);
	struct frame_table table = { .functions = 0 };
	struct elf_section section;
	struct elf elf;

	if (!elf_opens(module->file, &elf) || !module->has_bias ||
	    elf_find_section(&elf, ".debug_frame", &section))
		return false;
	if (frame_table_make(module->file, &options, &table) != CAIRN_OK) {
		frame_table_finish(&table);
		table = (struct frame_table){ .section = { .limit = FILE_MAX } };
	}
	put_other_rows(&table, &span, module, elf_machine(&elf));
	file->made = table.section;
	table.section = (struct byte_buffer){ .limit = 0 };
	frame_table_finish(&table);
	return !file->made.failed &&
	       append_frames(file, &elf, (struct cairn_bytes){ file->made.data, file->made.size });
}

static void placeholder_file_finish(struct placeholder_file *file)
{
	free(file->path);
	free(file->append);
	byte_buffer_finish(&file->made);
}

static bool is_plain_byte(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || (byte != 0 && strchr("._+-", byte));
}

static bool is_taken(const struct placeholders *p, const char *path)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->file[i].path && strcmp(p->file[i].path, path) == 0)
			return true;
	return false;
}

/*
 * Name the file after the module, and append a number if the name is taken. The caller owns the
 * result. Return NULL if allocation fails.
 */
static char *name_file(const struct placeholders *p, const struct snapshot_module *module)
{
	const struct cairn_bytes base = base_name(module->path);
	const size_t capacity = strlen(p->directory) + NAME_MAX_BYTES + 32;
	char name[NAME_MAX_BYTES + 1] = "module", *path = malloc(capacity);
	const size_t size = base.size < NAME_MAX_BYTES ? base.size : NAME_MAX_BYTES;

	for (size_t i = 0; i < size; i++)
		name[i] = is_plain_byte(base.data[i]) ? (char)base.data[i] : '_';
	if (size > 0)
		name[size] = '\0';
	if (name[0] == '.')
		name[0] = '_';
	if (path)
		snprintf(path, capacity, "%s/%s", p->directory, name);
	for (size_t i = p->count + 1; path && is_taken(p, path); i++)
		snprintf(path, capacity, "%s/%s.%zu", p->directory, name, i);
	return path;
}

static void use_file(struct placeholders *p, struct snapshot_module *module,
                     const struct placeholder_file *file)
{
	const char *path = p->file[p->count].path;

	module->file_path = (struct cairn_bytes){ (const uint8_t *)path, strlen(path) };
	if (module->file.size == 0) {
		module->file = file->part[0];
		module->bias = module->low;
		module->has_bias = true;
	}
}

static void make_file(struct placeholders *p, struct snapshot_module *module)
{
	struct placeholder_file file = { .parts = 0 };

	if (!array_grow(&p->file, &p->capacity, p->count + 1, sizeof(*p->file))) {
		p->scarce = true;
		return;
	}
	const bool made = module->file.size == 0
	                          ? placeholder_file_make(&file, p->stacks, &p->rows, module)
	                          : placeholder_file_extend(&file, &p->rows, module);
	file.path = made ? name_file(p, module) : NULL;
	if (!file.path) {
		p->scarce = p->scarce || made || file.made.failed;
		placeholder_file_finish(&file);
		return;
	}
	p->file[p->count] = file;
	use_file(p, module, &file);
	p->count++;
}

static bool has_rows(const struct frame_rows *rows, const struct snapshot_module *module)
{
	const size_t first = frame_rows_find(rows, module->low);

	return first < rows->count && rows->row[first].lookup < module->high;
}

static void make_files(struct placeholders *p)
{
	struct snapshot *snapshot = &p->stacks->snapshot;

	for (size_t i = 0; i < snapshot->module_count && !p->scarce; i++) {
		struct snapshot_module *module = &snapshot->modules[i];
		if (module_is_linked(snapshot, module) &&
		    (module->file.size == 0 || has_rows(&p->rows, module)))
			make_file(p, module);
	}
}

static size_t count_before(const struct placeholders *p, uint64_t pc)
{
	return SORTED_UP_TO(p->modules, p->module_count, low, pc);
}

/* Add a module for the page of code around `pc`, up to the neighboring modules. */
static void add_code_module(struct placeholders *p, uint64_t pc)
{
	struct snapshot *snapshot = &p->stacks->snapshot;
	const size_t before = count_before(p, pc);
	uint64_t low = pc - pc % PAGE, high = low + PAGE;
	char name[32];

	if (before > 0 && p->modules[before - 1].high > low)
		low = p->modules[before - 1].high;
	if (before < p->module_count && p->modules[before].low < high)
		high = p->modules[before].low;
	struct snapshot_module *module = low < high ? snapshot_add_module(snapshot) : NULL;
	if (!module)
		return;
	snprintf(name, sizeof(name), "code-%" PRIx64, low);
	module->low = low;
	module->high = high;
	module->path = snapshot_keep_string(snapshot, name);
}

/*
 * Return true if debuggers will find modules besides the program. A static program has no list of
 * modules.
 */
static bool is_list_made(const struct snapshot *snapshot)
{
	const size_t program = loader_find_program(snapshot);
	struct elf_segment segment;

	return program < snapshot->module_count &&
	       (snapshot->modules[program].file.size == 0 ||
	        module_find_segment(&snapshot->modules[program], ELF_PT_DYNAMIC, &segment));
}

/*
 * Add modules for pages of code outside of modules. Do nothing if debuggers cannot find such
 * modules, because debuggers would then read zeros on these pages, and GDB on aarch64 recognizes a
 * bad pointer only if it points to unreadable memory.
 */
static void add_code_modules(struct placeholders *p)
{
	uint64_t last = UINT64_MAX;

	if (!is_list_made(&p->stacks->snapshot))
		return;
	for (size_t i = 0, added = 0; i < p->rows.count && added < CODE_MODULES_MAX; i++) {
		const uint64_t pc = p->rows.row[i].lookup;
		const size_t before = count_before(p, pc);
		if (pc / PAGE == last || (before > 0 && p->modules[before - 1].high > pc))
			continue;
		last = pc / PAGE;
		add_code_module(p, pc);
		added++;
	}
	snapshot_sort_modules(&p->stacks->snapshot);
}

static void name_rows(struct frame_rows *rows, struct cairn_stacks *stacks)
{
	struct cairn_location names[CAIRN_STACK_NAMES];

	for (size_t i = 0; i < rows->count; i++) {
		struct frame_row *row = &rows->row[i];
		const size_t count =
			cairn_stacks_names(stacks, row->lookup, names, CAIRN_STACK_NAMES);
		if (count == 0 || names[count - 1].offset > row->lookup)
			continue;
		row->function = names[count - 1].function;
		row->start = row->lookup - names[count - 1].offset;
	}
}

/* Give the snapshot a copy of its modules that can be modified. */
static bool exchange_modules(struct placeholders *p)
{
	struct snapshot *snapshot = &p->stacks->snapshot;
	const size_t capacity = snapshot->module_count + ARRAY_GROW_FIRST;
	struct snapshot_module *copy = calloc(capacity, sizeof(*copy));

	if (!copy)
		return false;
	p->modules = snapshot->modules;
	p->module_count = snapshot->module_count;
	p->module_capacity = snapshot->module_capacity;
	if (p->module_count > 0)
		memcpy(copy, p->modules, p->module_count * sizeof(*copy));
	snapshot->modules = copy;
	snapshot->module_capacity = capacity;
	p->exchanged = true;
	return true;
}

bool placeholders_make(struct placeholders *p, struct cairn_stacks *stacks, const char *directory)
{
	*p = (struct placeholders){ .stacks = stacks, .directory = directory };
	for (size_t i = 0; i < stacks->snapshot.thread_count && !p->rows.scarce; i++)
		for (bool more = cairn_stacks_begin(stacks, i); more && !p->rows.scarce;
		     more = cairn_stacks_next(stacks))
			collect_frame(&p->rows, stacks);
	settle_rows(&p->rows);
	if (p->rows.scarce)
		return false;
	name_rows(&p->rows, stacks);
	if (!exchange_modules(p))
		return false;
	add_code_modules(p);
	make_files(p);
	return !p->scarce;
}

void placeholders_finish(struct placeholders *p)
{
	struct snapshot *snapshot = &p->stacks->snapshot;

	if (p->exchanged) {
		free(snapshot->modules);
		snapshot->modules = p->modules;
		snapshot->module_count = p->module_count;
		snapshot->module_capacity = p->module_capacity;
	}
	for (size_t i = 0; i < p->count; i++)
		placeholder_file_finish(&p->file[i]);
	free(p->file);
	free(p->rows.row);
}
