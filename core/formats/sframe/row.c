/* SPDX-License-Identifier: MIT */
/*
 * Rows, and the rules they stand for:
 *
 *	row  = start:width info:1 word:size*count
 *	info = base:1 (0 FP, 1 SP) count:4 size:2 (1, 2, 4 bytes) mangled:1
 *
 *	default words  = cfa [ra] [fp]      ra and fp only where the header does not fix them
 *	flexible words = (control offset) for cfa, ra, fp; a control of 0 alone is padding
 *	control        = register?:1 memory?:1 :1 register:*
 *
 * No words at all: there is no caller.
 */
#include "sframe.h"

#include "base/bytes.h"

enum {
	INFO_BASE_SP = 0x01,
	INFO_MANGLED = 0x80,
	CONTROL_REGISTER = 0x1,
	CONTROL_MEMORY = 0x2,
	CONTROL_UNUSED = 0x4,
	S390X_CFA_BIAS = 160, /* stored CFA offsets are (offset - 160) / 8 */
	S390X_CFA_SCALE = 8,
	PLT_GOT_STORED = 16, /* what GNU ld writes for .plt.got, and what is true */
	PLT_GOT_TRUE = 8,
};

unsigned sframe_row_words(uint8_t info)
{
	return info >> 1 & 0xf;
}

unsigned sframe_word_size(uint8_t info)
{
	static const uint8_t sizes[] = { 1, 2, 4, 0 };
	return sizes[info >> 5 & 3];
}

struct sframe_rows sframe_rows(const struct sframe_table *table,
                               const struct sframe_function *function)
{
	return (struct sframe_rows){ .table = table,
		                     .left = function->rows,
		                     .width = function->width,
		                     .at = function->rows_at };
}

static bool stop(struct sframe_rows *rows, enum cairn_status status, size_t at, const char *what)
{
	rows->left = 0;
	rows->fault = (struct cairn_fault){ status, rows->table->offset + at, what };
	return false;
}

bool sframe_next_row(struct sframe_rows *rows, struct sframe_row *row)
{
	const struct cairn_bytes bytes = rows->table->bytes;
	struct sframe_row r = { .at = rows->at };

	if (rows->left == 0)
		return false;
	if (rows->width > bytes.size - r.at)
		return stop(rows, CAIRN_TRUNCATED, r.at, "the table ends inside a row's start");
	r.start = (uint32_t)bytes_unsigned(bytes.data + r.at, rows->width, rows->table->big);
	if (rows->started && r.start < rows->previous)
		return stop(rows, CAIRN_MALFORMED, r.at, "rows do not ascend");
	r.words = r.at + rows->width + 1;
	if (r.words > bytes.size)
		return stop(rows, CAIRN_TRUNCATED, r.words - 1, "the table ends inside a row");
	r.info = bytes.data[r.words - 1];
	unsigned size = sframe_word_size(r.info);
	if (size == 0)
		return stop(rows, CAIRN_MALFORMED, r.words - 1, "undefined word size in a row");
	if (sframe_row_words(r.info) * size > bytes.size - r.words)
		return stop(rows, CAIRN_TRUNCATED, r.words, "the table ends inside a row's words");

	rows->at = r.words + sframe_row_words(r.info) * size;
	rows->previous = r.start;
	rows->started = true;
	rows->left--;
	*row = r;
	return true;
}

/* The words of one row, as they are decoded into a rule. */
struct words {
	const struct sframe_table *table;
	const struct sframe_row *row;
	unsigned count, size, next;
	struct cairn_fault *fault;
};

static size_t word_at(const struct words *w)
{
	return w->row->words + (size_t)w->next * w->size;
}

static int64_t next_signed(struct words *w)
{
	const uint8_t *p = w->table->bytes.data + word_at(w);
	w->next++;
	return bytes_signed(p, w->size, w->table->big);
}

static uint64_t next_unsigned(struct words *w)
{
	const uint8_t *p = w->table->bytes.data + word_at(w);
	w->next++;
	return bytes_unsigned(p, w->size, w->table->big);
}

static enum cairn_status refuse(struct words *w, enum cairn_status status, size_t at,
                                const char *what)
{
	*w->fault = (struct cairn_fault){ status, w->table->offset + at, what };
	return status;
}

/* DWARF numbers. */
static uint16_t sp_of(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 7 : machine == CAIRN_MACHINE_AARCH64 ? 31 : 15;
}

static uint16_t fp_of(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 6 : machine == CAIRN_MACHINE_AARCH64 ? 29 : 11;
}

static uint64_t highest_register(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 16 : 31;
}

/* A value at a fixed distance from the CFA, or unchanged. */
static struct cairn_place fixed_place(int8_t offset)
{
	if (offset == 0)
		return (struct cairn_place){ .kind = CAIRN_PLACE_SAME };
	return (struct cairn_place){ CAIRN_PLACE_MEMORY, CAIRN_BASE_CFA, offset };
}

static int64_t cfa_offset(const struct sframe_table *table, int64_t word)
{
	if (table->machine != CAIRN_MACHINE_S390X)
		return word;
	return word * S390X_CFA_SCALE + S390X_CFA_BIAS;
}

/* RA or FP of a default row.  s390x: 0 is padding (RA only), an odd word a register (version 2). */
static enum cairn_status saved_place(struct words *w, bool is_ra, struct cairn_place *place)
{
	size_t at = word_at(w);
	int64_t word = next_signed(w);
	bool s390x = w->table->machine == CAIRN_MACHINE_S390X;

	if (s390x && is_ra && word == 0)
		return CAIRN_OK;
	if (s390x && w->table->version == 2 && (word & 1)) {
		uint64_t number = (uint64_t)(word >> 1);
		if (number > highest_register(w->table->machine))
			return refuse(w, CAIRN_UNSUPPORTED, at, "a register that we do not know");
		*place = (struct cairn_place){ CAIRN_PLACE_VALUE, (uint16_t)number, 0 };
		return CAIRN_OK;
	}
	*place = (struct cairn_place){ CAIRN_PLACE_MEMORY, CAIRN_BASE_CFA, word };
	return CAIRN_OK;
}

static enum cairn_status default_rule(struct words *w, struct cairn_rule *rule)
{
	const struct sframe_table *t = w->table;
	bool tracks_ra = t->fixed_ra == 0, tracks_fp = t->fixed_fp == 0;
	enum cairn_status status = CAIRN_OK;

	if (w->count > 1u + tracks_ra + tracks_fp)
		return refuse(w, CAIRN_MALFORMED, w->row->words - 1, "too many words in a row");
	rule->cfa.kind = CAIRN_PLACE_VALUE;
	rule->cfa.base = w->row->info & INFO_BASE_SP ? sp_of(t->machine) : fp_of(t->machine);
	rule->cfa.offset = cfa_offset(t, next_signed(w));
	if (tracks_ra && w->next < w->count)
		status = saved_place(w, true, &rule->ra);
	if (status == CAIRN_OK && tracks_fp && w->next < w->count)
		status = saved_place(w, false, &rule->fp);
	return status;
}

/* One control word and, unless it is padding, its offset. */
static enum cairn_status flexible_place(struct words *w, bool is_cfa, struct cairn_place *place)
{
	size_t at = word_at(w);
	uint64_t control = next_unsigned(w);
	uint64_t number = control >> 3;

	if (!is_cfa && control == 0)
		return CAIRN_OK;
	if (is_cfa && !(control & CONTROL_REGISTER))
		return refuse(w, CAIRN_MALFORMED, at, "a CFA that counts from itself");
	if (control & CONTROL_UNUSED)
		return refuse(w, CAIRN_UNSUPPORTED, at, "an unknown bit in a control word");
	if ((control & CONTROL_REGISTER) && number > highest_register(w->table->machine))
		return refuse(w, CAIRN_UNSUPPORTED, at, "a register that we do not know");
	place->kind = control & CONTROL_MEMORY ? CAIRN_PLACE_MEMORY : CAIRN_PLACE_VALUE;
	place->base = control & CONTROL_REGISTER ? (uint16_t)number : CAIRN_BASE_CFA;
	place->offset = next_signed(w);
	if (is_cfa)
		place->offset = cfa_offset(w->table, place->offset);
	return CAIRN_OK;
}

/*
 * Do the words come out as pairs, a lone padding counted?  2 cfa; 3 cfa, padding; 4 cfa, ra;
 * 5 cfa, padding, fp; 6 all.
 */
static bool pairs_fit(const struct words *w)
{
	struct words probe = *w;

	probe.next = 2;
	for (int i = 0; i < 2 && probe.next < probe.count; i++) {
		bool pair = next_unsigned(&probe) != 0;
		probe.next += pair;
	}
	return probe.next == probe.count;
}

static enum cairn_status flexible_rule(struct words *w, struct cairn_rule *rule)
{
	if (w->count < 2 || !pairs_fit(w))
		return refuse(w, CAIRN_MALFORMED, w->row->words - 1,
		              "the words of a flexible row are no pairs");
	enum cairn_status status = flexible_place(w, true, &rule->cfa);
	if (status == CAIRN_OK && w->next < w->count)
		status = flexible_place(w, false, &rule->ra);
	if (status == CAIRN_OK && w->next < w->count)
		status = flexible_place(w, false, &rule->fp);
	return status;
}

/*
 * GNU ld 2.44 to 2.47 say sp+16 for the entries of .plt.got on amd64, where nothing has been
 * pushed: sp+8 is true.  Such an entry is one masked row; .plt and .plt.sec differ.  To go when
 * programs linked with those are out of use.
 */
static void patch_plt_got(const struct sframe_table *table, const struct sframe_function *function,
                          const struct sframe_row *row, struct cairn_rule *rule)
{
	if (table->machine != CAIRN_MACHINE_AMD64 || !function->masked || function->rows != 1 ||
	    row->start != 0 || rule->cfa.kind != CAIRN_PLACE_VALUE ||
	    rule->cfa.base != sp_of(table->machine) || rule->cfa.offset != PLT_GOT_STORED)
		return;
	rule->cfa.offset = PLT_GOT_TRUE;
	rule->patched = true;
}

static struct cairn_rule empty_rule(const struct sframe_table *table,
                                    const struct sframe_function *function)
{
	return (struct cairn_rule){ .ra = fixed_place(table->fixed_ra),
		                    .fp = fixed_place(table->fixed_fp),
		                    .start = function->start,
		                    .end = function->start + function->size,
		                    .function = function->start,
		                    .function_end = function->start + function->size,
		                    .machine = table->machine,
		                    .signal = function->signal,
		                    .key_b = function->key_b };
}

static void make_outermost(struct cairn_rule *rule)
{
	rule->outermost = true;
	rule->cfa = rule->ra = rule->fp = (struct cairn_place){ .kind = CAIRN_PLACE_UNKNOWN };
}

enum cairn_status sframe_rule(const struct sframe_table *table,
                              const struct sframe_function *function, const struct sframe_row *row,
                              struct cairn_rule *rule, struct cairn_fault *fault)
{
	struct words w = { table, row,  sframe_row_words(row->info), sframe_word_size(row->info),
		           0,     fault };
	struct cairn_rule result = empty_rule(table, function);
	enum cairn_status status = CAIRN_OK;

	result.mangled = (row->info & INFO_MANGLED) != 0;
	if (w.count == 0)
		make_outermost(&result);
	else if (function->flexible)
		status = flexible_rule(&w, &result);
	else
		status = default_rule(&w, &result);
	if (status != CAIRN_OK)
		return status;
	*rule = result;
	return CAIRN_OK;
}

/* Version 3 alone: a signal trampoline that SFrame cannot express, or the outermost function. */
static enum cairn_status rule_without_rows(const struct sframe_table *table,
                                           const struct sframe_function *function,
                                           struct cairn_rule *rule, struct cairn_fault *fault)
{
	if (table->version < 3) {
		*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, function->record, "no rows" };
		return CAIRN_NOT_FOUND;
	}
	*rule = empty_rule(table, function);
	make_outermost(rule);
	rule->outermost = !function->signal;
	rule->trampoline = function->signal;
	return CAIRN_OK;
}

/* The range of pcs around `va` for which the rows give the same answer. */
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
	uint64_t offset = va - function->start;
	struct sframe_rows rows = sframe_rows(table, function);
	struct sframe_row row, found = { .words = 0 };
	uint64_t next = UINT64_MAX;

	if (function->rows == 0)
		return rule_without_rows(table, function, rule, fault);
	if (function->masked)
		offset %= function->repeat;
	while (next == UINT64_MAX && sframe_next_row(&rows, &row)) {
		if (row.start <= offset)
			found = row;
		else
			next = row.start;
	}
	*fault = rows.fault;
	if (fault->status != CAIRN_OK)
		return fault->status;
	if (found.words == 0) {
		*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, function->record,
			                       "the first row begins later" };
		return CAIRN_NOT_FOUND;
	}
	enum cairn_status status = sframe_rule(table, function, &found, rule, fault);
	if (status == CAIRN_OK) {
		patch_plt_got(table, function, &found, rule);
		set_range(function, va, found.start, next, rule);
	}
	return status;
}
