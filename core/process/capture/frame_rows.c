/* SPDX-License-Identifier: MIT */
/* Collects rows of the frames that debuggers would not walk: those in modules without a file, in no module, or that no call frame information describes. */
#include "frame_rows.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "base/rule_places.h"
#include "base/sort.h"
#include "process/snapshot/vdso_image.h"
#include "unwind/target/arch.h"

#include <stdlib.h>

enum {
	DISTANCE_MAX = 1 << 30, /* from a stack pointer to the CFA */
	SEARCHED_WORDS = 64,    /* below the CFA, for a saved register */
	AMD64_SIGNAL = 120,     /* what the kernel keeps for a handler of amd64: rbp, */
	AMD64_SIGNAL_SP = 160,
	AMD64_SIGNAL_PC = 168,
	AARCH64_SIGNAL = 128 + 0xb8 + 29 * 8, /* x29, */
	AARCH64_SIGNAL_SP = 128 + 0xb8 + 31 * 8,
	AARCH64_SIGNAL_PC = 128 + 0xb8 + 32 * 8,
};

/* One frame of a walk. */
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

/* Where the frame keeps this value: where its own rule says, or near its end. */
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

/* Where calls leave the return address on the stack it is below the CFA; else it may still be in its register. */
static struct cairn_register_rule find_return_address(const struct row_maker *m)
{
	const struct cairn_rule *rule = &m->stacks->walk.step.rule;

	if (!m->arch->link)
		return has_word(m, m->cfa - m->arch->word, m->caller->pc)
		               ? in_memory(CAIRN_BASE_CFA, -(int64_t)m->arch->word)
		               : unknown_register;
	if (register_known(m->frame, m->arch->ra) && rule->ra.kind != CAIRN_REGISTER_MEMORY &&
	    arch_strip(m->frame->machine, m->frame->value[m->arch->ra], 0) == m->caller->pc)
		return same_register;
	return find_saved_value(m, &rule->ra, m->caller->pc);
}

/* The kernel's record of the interrupted registers. */
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

/* Along frame pointers of machines with a link register the stack pointer is not known: then the frame's own pointer is all there is. */
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

/* False: no row of call frame information leads from this frame to its caller. */
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

/* Debuggers know the entry point of a program, and what a table says, but not code that ends its thread. */
static bool is_untold_end(const struct stack_walk *walk)
{
	return !walk->step.at_entry && walk->step.stop == CAIRN_STOP_OUTERMOST &&
	       walk->step.method == CAIRN_UNWIND_METHOD_NONE;
}

/* Debuggers know a trampoline by its name, by a table, or by its code where no symbol is near: not the one of musl's library. */
static bool is_untold_trampoline(const struct stack_walk *walk)
{
	return walk->step.signal &&
	       !cairn_space_has_cfi(walk->space, stack_walk_lookup_address(walk));
}

/* Debuggers lead on themselves by call frame information, and from a call through a bad pointer. */
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

/* Two frames at one address; false: no row serves both. */
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
	if ((!has_sp && !has_fp) || !rule_is_same_place(&row->rule.ra, &other->rule.ra) ||
	    !rule_is_same_place(&row->rule.cfa, &other->rule.cfa))
		return false;
	row->has_sp = has_sp;
	row->has_fp = has_fp;
	if (!rule_is_same_place(&row->rule.fp, &other->rule.fp))
		row->rule.fp = unknown_register;
	return true;
}

/* Puts the rows into order, one for each address. */
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
	else if (!ARRAY_APPEND(rows->row, rows->count, rows->room, *row))
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

	if (!maker.arch || maker.frame->machine != stacks->snapshot.machine ||
	    !is_row_needed(stacks))
		return;
	if (make_row(&maker))
		keep_row(rows, &maker.row);
	else
		rows->left_out++;
}

struct cairn_rule frame_row_rule(const struct frame_row *row, enum cairn_machine machine)
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

bool frame_rows_collect(struct frame_rows *rows, struct cairn_stacks *stacks)
{
	*rows = (struct frame_rows){ .row = NULL };
	for (size_t i = 0; i < stacks->snapshot.thread_count && !rows->scarce; i++)
		for (bool more = cairn_stacks_begin(stacks, i); more && !rows->scarce;
		     more = cairn_stacks_next(stacks))
			collect_frame(rows, stacks);
	settle_rows(rows);
	return !rows->scarce;
}

void frame_rows_finish(struct frame_rows *rows)
{
	free(rows->row);
}

size_t frame_rows_find(const struct frame_rows *rows, uint64_t lookup)
{
	return SORTED_BELOW(rows->row, rows->count, lookup, lookup);
}
