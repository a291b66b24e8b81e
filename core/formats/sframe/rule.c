/* SPDX-License-Identifier: MIT */
/*
 * Turns the words of a row into a rule:
 *
 *	default words  = cfa [ra] [fp]      ra and fp only where the header does not fix them
 *	flexible words = (control offset) for cfa, ra, fp; a control of 0 alone is padding
 *	control        = register?:1 memory?:1 :1 register:*
 *
 * A row without words marks the outermost function.
 */
#include "sframe.h"

#include "base/bytes.h"
#include "base/fault.h"

#include "layout.h"

enum {
	/* CFA offset that GNU ld writes for .plt.got; the correct offset follows */
	PLT_GOT_STORED = 16,
	PLT_GOT_TRUE = 8,
};

struct words {
	const struct sframe_table *table;
	size_t at; /* offset of the first word in the table */
	unsigned count, size;
};

static size_t word_at(const struct words *w, unsigned number)
{
	return w->at + (size_t)number * w->size;
}

static int64_t signed_word(const struct words *w, unsigned number)
{
	return bytes_signed(w->table->bytes.data + word_at(w, number), w->size, w->table->big);
}

static uint64_t unsigned_word(const struct words *w, unsigned number)
{
	return bytes_unsigned(w->table->bytes.data + word_at(w, number), w->size, w->table->big);
}

static enum cairn_status reject_fre(const struct sframe_table *table, struct cairn_fault *fault,
                                    enum cairn_status status, size_t at, const char *what)
{
	*fault = (struct cairn_fault){ status, table->offset + at, what };
	return status;
}

static uint64_t highest_register(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 16 : 31;
}

/*
 * Return the rule for a register that the header saves at a fixed offset from the CFA; 0 means that
 * the register is unchanged.
 */
static struct cairn_register_rule fixed_place(int8_t offset)
{
	if (offset == 0)
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_SAME_VALUE };
	return (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, offset };
}

static int64_t cfa_offset(const struct sframe_table *table, int64_t word)
{
	if (table->machine != CAIRN_MACHINE_S390X)
		return word;
	return word * S390X_CFA_SCALE + S390X_CFA_BIAS;
}

/*
 * Return true if an odd word for RA or FP names the register that contains the value (s390x,
 * version 2).
 */
static bool may_name_registers(const struct sframe_table *table)
{
	return table->machine == CAIRN_MACHINE_S390X && table->version == 2;
}

static enum cairn_status check_default(const struct words *w, struct cairn_fault *fault)
{
	const struct sframe_table *t = w->table;

	if (w->count > 1u + (t->fixed_ra == 0) + (t->fixed_fp == 0))
		return reject_fre(t, fault, CAIRN_MALFORMED, w->at - 1, "too many words in a row");
	if (!may_name_registers(t))
		return CAIRN_OK;
	for (unsigned i = 1; i < w->count; i++) {
		int64_t word = signed_word(w, i);
		if ((word & 1) && (uint64_t)(word >> 1) > highest_register(t->machine))
			return reject_fre(t, fault, CAIRN_UNSUPPORTED, word_at(w, i),
			                  "an unknown register");
	}
	return CAIRN_OK;
}

/* Set *place from the RA or FP word of a default row. On s390x a 0 for RA is padding. */
static void saved_place(const struct sframe_table *table, int64_t word, bool is_ra,
                        struct cairn_register_rule *place)
{
	if (table->machine == CAIRN_MACHINE_S390X && is_ra && word == 0)
		return;
	if (may_name_registers(table) && (word & 1))
		*place = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, (uint16_t)(word >> 1),
			                               0 };
	else
		*place =
			(struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, word };
}

static void default_rule(const struct words *w, bool by_sp, struct cairn_rule *rule)
{
	const struct sframe_table *t = w->table;
	uint16_t base = by_sp ? sframe_sp(t->machine) : sframe_fp(t->machine);
	unsigned next = 1;

	rule->cfa = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, base,
		                                  cfa_offset(t, signed_word(w, 0)) };
	if (t->fixed_ra == 0 && next < w->count)
		saved_place(t, signed_word(w, next++), true, &rule->ra);
	if (t->fixed_fp == 0 && next < w->count)
		saved_place(t, signed_word(w, next), false, &rule->fp);
}

/*
 * Return true if the words form complete pairs, where a single 0 is padding. Two words: CFA; 3:
 * CFA, padding; 4: CFA, RA; 5: CFA, padding, FP; 6: all.
 */
static bool pairs_fit(const struct words *w)
{
	unsigned next = 2;

	for (int i = 0; i < 2 && next < w->count; i++)
		next += unsigned_word(w, next) != 0 ? 2 : 1;
	return next == w->count;
}

/* Check the control words. Each is followed by an offset, except padding. */
static enum cairn_status check_flexible(const struct words *w, struct cairn_fault *fault)
{
	const struct sframe_table *t = w->table;

	if (!pairs_fit(w))
		return reject_fre(t, fault, CAIRN_MALFORMED, w->at - 1,
		                  "the words of a flexible row are not pairs");
	for (unsigned i = 0; i < w->count; i++) {
		uint64_t control = unsigned_word(w, i);
		size_t at = word_at(w, i);
		if (i > 0 && control == 0)
			continue;
		if (i++ == 0 && !(control & CONTROL_REGISTER))
			return reject_fre(t, fault, CAIRN_MALFORMED, at,
			                  "a CFA that is computed from itself");
		if (control & CONTROL_UNUSED)
			return reject_fre(t, fault, CAIRN_UNSUPPORTED, at,
			                  "an unknown bit in a control word");
		if ((control & CONTROL_REGISTER) &&
		    control >> CONTROL_SHIFT > highest_register(t->machine))
			return reject_fre(t, fault, CAIRN_UNSUPPORTED, at, "an unknown register");
	}
	return CAIRN_OK;
}

/*
 * Read the pair that starts at word `number` into *place, and return the number of the next pair's
 * first word.
 */
static unsigned flexible_place(const struct words *w, unsigned number,
                               struct cairn_register_rule *place)
{
	uint64_t control = number < w->count ? unsigned_word(w, number) : 0;

	if (control == 0)
		return number + 1;
	place->kind = control & CONTROL_MEMORY ? CAIRN_REGISTER_MEMORY : CAIRN_REGISTER_VALUE;
	place->base =
		control & CONTROL_REGISTER ? (uint16_t)(control >> CONTROL_SHIFT) : CAIRN_BASE_CFA;
	place->offset = signed_word(w, number + 1);
	return number + 2;
}

static void flexible_rule(const struct words *w, struct cairn_rule *rule)
{
	unsigned next = flexible_place(w, 0, &rule->cfa);

	rule->cfa.offset = cfa_offset(w->table, rule->cfa.offset);
	next = flexible_place(w, next, &rule->ra);
	flexible_place(w, next, &rule->fp);
}

/*
 * GNU ld 2.44 to 2.47 write sp+16 for the entries of .plt.got on amd64. Nothing has been pushed
 * there, so sp+8 is correct. Such a function has a single masked row, unlike .plt and .plt.sec.
 * Remove this when programs linked by these versions are out of use.
 */
void sframe_correct_rule(const struct sframe_table *table, const struct sframe_function *function,
                         const struct sframe_row *row, struct cairn_rule *rule)
{
	if (table->machine != CAIRN_MACHINE_AMD64 || !function->masked || function->rows != 1 ||
	    row->start != 0 || rule->cfa.kind != CAIRN_REGISTER_VALUE ||
	    rule->cfa.base != sframe_sp(table->machine) || rule->cfa.offset != PLT_GOT_STORED)
		return;
	rule->cfa.offset = PLT_GOT_TRUE;
	rule->patched = true;
}

static void empty_rule(const struct sframe_table *table, const struct sframe_function *function,
                       struct cairn_rule *rule)
{
	const uint64_t start = function->start, end = start + function->size;

	*rule = (struct cairn_rule){ .ra = fixed_place(table->fixed_ra),
		                     .fp = fixed_place(table->fixed_fp),
		                     .start = start,
		                     .end = end,
		                     .function = start,
		                     .function_end = end,
		                     .machine = table->machine,
		                     .signal = function->signal,
		                     .key_b = function->key_b };
}

static void make_outermost(struct cairn_rule *rule)
{
	rule->outermost = true;
	rule->cfa = rule->ra = rule->fp =
		(struct cairn_register_rule){ .kind = CAIRN_REGISTER_UNDEFINED };
}

enum cairn_status sframe_rule(const struct sframe_table *table,
                              const struct sframe_function *function, const struct sframe_row *row,
                              struct cairn_rule *rule, struct cairn_fault *fault)
{
	const struct words w = { table, row->words, sframe_row_words(row->info),
		                 sframe_word_size(row->info) };
	enum cairn_status status = CAIRN_OK;

	if (w.count > 0)
		status = function->flexible ? check_flexible(&w, fault) : check_default(&w, fault);
	if (status != CAIRN_OK)
		return status;
	empty_rule(table, function, rule);
	rule->mangled = sframe_signs(table) && row->info & INFO_MANGLED;
	if (w.count == 0)
		make_outermost(rule);
	else if (function->flexible)
		flexible_rule(&w, rule);
	else
		default_rule(&w, row->info & INFO_BASE_SP, rule);
	return CAIRN_OK;
}

/*
 * Make the rule of a function without rows. In version 3 it is a signal trampoline that SFrame
 * cannot express, or the outermost function; in older versions nothing is known.
 */
static enum cairn_status rule_without_rows(const struct sframe_table *table,
                                           const struct sframe_function *function,
                                           struct cairn_rule *rule, struct cairn_fault *fault)
{
	if (table->version < 3) {
		return fault_set_at(fault, CAIRN_NOT_FOUND, function->record, "no rows");
	}
	empty_rule(table, function, rule);
	make_outermost(rule);
	rule->outermost = !function->signal;
	rule->trampoline = function->signal;
	return CAIRN_OK;
}

/* Set the range of addresses around `va` for which the rows give the same answer. */
static void set_range(const struct sframe_function *f, uint64_t va, uint32_t low, uint64_t high,
                      struct cairn_rule *rule)
{
	uint64_t base = f->start;
	uint64_t limit = f->size;

	if (f->masked) {
		uint64_t block = (va - f->start) / f->repeat * f->repeat;
		base = f->start + block;
		limit = f->size - block < f->repeat ? f->size - block : f->repeat;
	}
	rule->start = base + low;
	rule->end = base + (high < limit ? high : limit);
}

enum cairn_status sframe_find_rule(const struct sframe_table *table,
                                   const struct sframe_function *function, uint64_t va,
                                   struct cairn_rule *rule, struct cairn_fault *fault)
{
	struct sframe_rows rows = sframe_rows(table, function);
	uint64_t offset = va - function->start, next;
	struct sframe_row row;

	if (function->rows == 0)
		return rule_without_rows(table, function, rule, fault);
	if (function->masked)
		offset %= function->repeat;
	if (!sframe_find_row(&rows, offset, &row, &next)) {
		*fault = rows.fault;
		if (fault->status == CAIRN_OK)
			*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, function->record,
				                       "the first row begins after the address" };
		return fault->status;
	}
	enum cairn_status status = sframe_rule(table, function, &row, rule, fault);
	if (status == CAIRN_OK) {
		sframe_correct_rule(table, function, &row, rule);
		set_range(function, va, row.start, next, rule);
	}
	return status;
}
