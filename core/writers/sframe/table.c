/* SPDX-License-Identifier: MIT */
/*
 * Converts call frame information to SFrame rows, groups the rows into functions, encodes the
 * functions and assembles the table.
 */
#include "table.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/reader.h"
#include "base/rule_places.h"
#include "base/target_memory.h"
#include "formats/sframe/sframe.h"

#include <stdlib.h>
#include <string.h>

enum {
	AMD64_SP = 7,
	OP_DEREF = 0x06,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_PLUS_UCONST = 0x23,
};

static const struct cairn_register_rule unknown_location = { .kind = CAIRN_REGISTER_UNDEFINED };

/*
 * Parse a register plus an offset. The register may be the CFA, which consumers push before they
 * evaluate the expression.
 */
static bool read_base(struct reader *in, struct cairn_register_rule *place)
{
	const uint8_t code = reader_u8(in);

	if (code == OP_PLUS_UCONST) {
		place->base = CAIRN_BASE_CFA;
		place->offset = (int64_t)reader_uleb(in);
		return true;
	}
	place->base = (uint16_t)(code - OP_BREG0);
	place->offset = reader_sleb(in);
	return code >= OP_BREG0 && code <= OP_BREG31;
}

/*
 * Return the value that an expression computes. If `cfa` is true, the expression is the CFA rule
 * itself, and consumers do not push the CFA before they evaluate it. The byte order does not matter
 * because operands are LEB128.
 */
static struct cairn_register_rule read_value(struct cairn_bytes expression, bool cfa)
{
	struct reader in = reader_open(expression, false);
	struct cairn_register_rule place = { .kind = CAIRN_REGISTER_VALUE };

	if (!read_base(&in, &place) || (cfa && place.base == CAIRN_BASE_CFA))
		return unknown_location;
	if (reader_left(&in) > 0) {
		place.kind = CAIRN_REGISTER_MEMORY;
		if (reader_u8(&in) != OP_DEREF)
			return unknown_location;
	}
	return reader_ok(&in) && reader_left(&in) == 0 ? place : unknown_location;
}

/* Return the rule for a register saved at the address that an expression computes. */
static struct cairn_register_rule read_memory_place(struct cairn_bytes expression)
{
	struct cairn_register_rule place = read_value(expression, false);

	if (place.kind != CAIRN_REGISTER_VALUE)
		return unknown_location;
	place.kind = CAIRN_REGISTER_MEMORY;
	return place;
}

static struct cairn_register_rule find_register_location(const struct cfi_register_rule *rule,
                                                         uint16_t number)
{
	switch (rule->kind) {
	case CFI_RULE_SAME:
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_SAME_VALUE };
	case CFI_RULE_OFFSET:
		return (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
			                             rule->offset };
	case CFI_RULE_VAL_OFFSET:
		return (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, CAIRN_BASE_CFA,
			                             rule->offset };
	case CFI_RULE_REGISTER:
		if (rule->reg == number)
			return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_SAME_VALUE };
		return (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, rule->reg, 0 };
	case CFI_RULE_EXPRESSION:
		return read_memory_place(rule->expression);
	case CFI_RULE_VAL_EXPRESSION:
		return read_value(rule->expression, false);
	case CFI_RULE_UNSET:
	case CFI_RULE_UNDEFINED:
		break;
	}
	return unknown_location;
}

/*
 * Return a rule like find_register_location(), but treat a register without a rule as unchanged if
 * `kept` is true. This is correct for callee-saved registers and the link register.
 */
static struct cairn_register_rule find_unset_place(const struct cfi_register_rule *rule,
                                                   uint16_t number, bool kept)
{
	if (rule->kind == CFI_RULE_UNSET && kept)
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_SAME_VALUE };
	return find_register_location(rule, number);
}

/*
 * Return true if the caller's stack pointer equals the CFA, as SFrame readers assume. On s390x, it
 * is a fixed distance below the CFA, and compilers describe it as a saved register, which has the
 * same effect.
 */
static bool has_usual_sp(enum cairn_machine machine, const struct cfi_register_rule *sp,
                         const struct sframe_written_row *row)
{
	if (sp->kind == CFI_RULE_UNSET)
		return true;
	if (machine == CAIRN_MACHINE_S390X)
		return sp->kind == CFI_RULE_OFFSET || sp->kind == CFI_RULE_SAME ||
		       sp->kind == CFI_RULE_REGISTER;
	const struct cairn_register_rule place = find_register_location(sp, UINT16_MAX);
	if (place.kind == CAIRN_REGISTER_VALUE && place.base == CAIRN_BASE_CFA)
		return place.offset == 0;
	return place.kind != CAIRN_REGISTER_UNDEFINED && rule_is_same_location(&place, &row->cfa);
}

/*
 * Recognize the expression with which GNU ld describes all entries of a PLT on amd64: rsp + 8, plus
 * another 8 from the instruction after the push on:
 *
 *	breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus
 */
static bool read_plt(struct cairn_bytes expression, uint8_t *pushed, int64_t *offset)
{
	enum { OFFSET_AT = 1, PUSHED_AT = 6 };
	static const uint8_t form[] = { 0x77, 0, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22 };
	uint8_t bytes[sizeof(form)];

	if (expression.size != sizeof(form))
		return false;
	memcpy(bytes, expression.data, sizeof(form));
	*offset = bytes[OFFSET_AT];
	*pushed = (uint8_t)(bytes[PUSHED_AT] - OP_LIT0);
	bytes[OFFSET_AT] = bytes[PUSHED_AT] = 0;
	return memcmp(bytes, form, sizeof(form)) == 0 && *offset < 0x40 && *pushed > 0 &&
	       *pushed < PLACES_BLOCK;
}

static struct places refuse_row(enum cairn_sframe_loss loss)
{
	return (struct places){ .rows = 0, .loss = loss };
}

enum cairn_sframe_loss places_name_refusal(enum sframe_refusal refusal)
{
	switch (refusal) {
	case SFRAME_REFUSAL_NONE:
	case SFRAME_REFUSAL_CFA:
		return CAIRN_SFRAME_LOSS_CFA;
	case SFRAME_REFUSAL_RA:
		return CAIRN_SFRAME_LOSS_RA;
	case SFRAME_REFUSAL_FP:
		return CAIRN_SFRAME_LOSS_FP;
	case SFRAME_REFUSAL_OFFSET:
		return CAIRN_SFRAME_LOSS_OFFSET;
	case SFRAME_REFUSAL_OUTERMOST:
		return CAIRN_SFRAME_LOSS_OUTERMOST;
	}
	return CAIRN_SFRAME_LOSS_CFA;
}

static struct places find_plt_places(const struct sframe_format *format, const struct cfi_row *row,
                                     struct sframe_written_row first)
{
	uint8_t pushed;
	int64_t offset;

	if (format->machine != CAIRN_MACHINE_AMD64 || row->cfa.kind != CFI_RULE_VAL_EXPRESSION ||
	    row->start % PLACES_BLOCK != 0 || !read_plt(row->cfa.expression, &pushed, &offset))
		return refuse_row(CAIRN_SFRAME_LOSS_CFA);
	first.cfa = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, AMD64_SP, offset };
	struct places both = { .row = { first, first }, .rows = 2 };
	both.row[1].start = pushed;
	both.row[1].cfa.offset += 8;
	if (row->reg[AMD64_SP].kind != CFI_RULE_UNSET)
		return refuse_row(CAIRN_SFRAME_LOSS_SP);
	for (unsigned i = 0; i < 2; i++) {
		const enum sframe_refusal refusal = sframe_write_refusal(format, &both.row[i]);
		if (refusal != SFRAME_REFUSAL_NONE)
			return refuse_row(places_name_refusal(refusal));
	}
	return both;
}

struct places places_find(const struct sframe_format *format, const struct ehframe_cie *cie,
                          const struct cfi_row *row)
{
	const struct arch *arch = arch_of(format->machine);
	struct sframe_written_row out = { .mangled = row->mangled };

	if (cie->ra != arch->ra || (row->mangled && format->machine != CAIRN_MACHINE_AARCH64))
		return refuse_row(CAIRN_SFRAME_LOSS_RA);
	if (cie->signal && !sframe_layout(format->version)->signal)
		return refuse_row(CAIRN_SFRAME_LOSS_SIGNAL);
	out.outermost = row->reg[row->ra].kind == CFI_RULE_UNDEFINED;
	out.ra = find_unset_place(&row->reg[row->ra], (uint16_t)arch->ra, arch->link);
	out.fp = find_unset_place(&row->reg[arch->fp], (uint16_t)arch->fp, true);
	out.cfa = row->cfa.kind == CFI_RULE_REGISTER
	                  ? (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, row->cfa.reg,
		                                          row->cfa.offset }
	                  : read_value(row->cfa.expression, true);
	if (!out.outermost && out.cfa.kind == CAIRN_REGISTER_UNDEFINED)
		return find_plt_places(format, row, out);
	if (!out.outermost && !has_usual_sp(format->machine, &row->reg[arch->sp], &out))
		return refuse_row(CAIRN_SFRAME_LOSS_SP);
	const enum sframe_refusal refusal = sframe_write_refusal(format, &out);
	if (refusal != SFRAME_REFUSAL_NONE)
		return refuse_row(places_name_refusal(refusal));
	return (struct places){ .row = { out }, .rows = 1 };
}

/*
 * In version 2, starts are 32-bit offsets from the record or from the table. All records together
 * occupy at most DRAFT_RECORDS_MAX bytes, so every record can store a start within DRAFT_REACH of
 * the table.
 */
enum { DRAFT_RECORDS_MAX = 1 << 28, DRAFT_REACH = INT32_MAX - DRAFT_RECORDS_MAX };

void sframe_draft_finish(struct sframe_draft *draft)
{
	byte_buffer_finish(&draft->data);
	slot_table_finish(&draft->slots);
	free(draft->record);
	free(draft->row);
	free(draft->shared);
}

static uint64_t hash_shared(const void *items, uint32_t number)
{
	const struct sframe_draft *draft = items;
	const struct sframe_shared *shared = &draft->shared[number - 1];

	return hash_text((struct cairn_bytes){ draft->data.data + shared->at, shared->size },
	                 draft->slots.key);
}

static bool is_same_data(const void *items, uint32_t number, const void *key)
{
	const struct sframe_draft *draft = items;
	const struct sframe_shared *a = &draft->shared[number - 1], *b = key;

	return a->size == b->size &&
	       memcmp(draft->data.data + a->at, draft->data.data + b->at, a->size) == 0;
}

/*
 * Share the data of the function that has just been appended at `at`: if an earlier function has
 * equal data, remove the new copy. Returns the offset of the data to use.
 */
static uint32_t share_data(struct sframe_draft *draft, uint32_t at)
{
	const struct sframe_shared key = { at, (uint32_t)draft->data.size - at };

	if (!slot_table_reserve(&draft->slots, draft->shared_count, hash_shared, draft) ||
	    !array_grow(&draft->shared, &draft->shared_capacity, draft->shared_count + 1,
	                sizeof(*draft->shared))) {
		draft->failed = true;
		return at;
	}
	const struct cairn_bytes bytes = { draft->data.data + at, key.size };
	uint32_t *slot = slot_table_find(&draft->slots, hash_text(bytes, draft->slots.key),
	                                 is_same_data, draft, &key);
	if (*slot != 0) {
		draft->data.size = at;
		return draft->shared[*slot - 1].at;
	}
	draft->shared[draft->shared_count++] = key;
	*slot = (uint32_t)draft->shared_count;
	return at;
}

static struct sframe_written_row *find_open_rows(const struct sframe_draft *draft)
{
	return draft->kept > 0 ? draft->row + draft->kept : draft->row;
}

static void write_gathered(struct sframe_draft *draft, const struct sframe_written_function *f)
{
	const size_t at = draft->data.size,
		     most = SFRAME_WRITE_ATTRIBUTE + (size_t)f->rows * SFRAME_WRITE_ROW_MAX;

	if (!array_grow(&draft->record, &draft->record_capacity, draft->records + 1,
	                sizeof(*draft->record)) ||
	    !byte_buffer_extend(&draft->data, most)) {
		draft->failed = true;
		return;
	}
	struct sframe_record *record = &draft->record[draft->records++];
	struct sink out = sink_open(draft->data.data + at, most);
	sframe_write_function(&out, &draft->format, f, record);
	draft->data.size = at + out.size;
	record->rows_at = draft->share ? share_data(draft, (uint32_t)at) : (uint32_t)at;
	draft->rows += f->rows;
	draft->failed = draft->failed || draft->rows > UINT32_MAX ||
	                draft->records > DRAFT_RECORDS_MAX / sframe_layout(2)->record_size;
}

/*
 * Return true if the function in progress can be joined to the previous function. It must begin
 * where the previous one ends. All row starts must still fit into one byte, which also limits the
 * number of rows that readers must scan.
 */
static bool joins_before(const struct sframe_draft *draft)
{
	const struct sframe_written_function *f = &draft->function, *before = &draft->before;
	const uint64_t distance = f->start - before->start;

	return draft->kept > 0 && f->repeat == 0 && f->rows > 0 && distance == before->size &&
	       distance + f->row[f->rows - 1].start <= UINT8_MAX &&
	       f->size <= UINT32_MAX - before->size && f->signal == before->signal &&
	       f->key_b == before->key_b &&
	       sframe_write_needs_flexible(&draft->format, f) ==
	               sframe_write_needs_flexible(&draft->format, before);
}

static void join_function(struct sframe_draft *draft)
{
	const struct sframe_written_function *f = &draft->function;
	struct sframe_written_function *before = &draft->before;
	const uint32_t distance = before->size;
	const uint32_t first =
		sframe_write_is_same_rule(&draft->row[draft->kept - 1], &f->row[0]) ? 1 : 0;

	draft->data.size = draft->record[--draft->records].rows_at;
	draft->rows -= before->rows;
	for (uint32_t i = first; i < f->rows; i++) {
		struct sframe_written_row *row = &draft->row[before->rows++];
		*row = f->row[i];
		row->start += distance;
	}
	before->size += f->size;
	before->row = draft->row;
	draft->kept = before->rows;
	write_gathered(draft, before);
}

/* Keep the function's rows, because the next function may be joined to it. */
static void keep_function(struct sframe_draft *draft)
{
	const struct sframe_written_function *f = &draft->function;
	const bool joins = f->repeat == 0 && f->rows > 0;

	if (joins)
		memmove(draft->row, f->row, f->rows * sizeof(*f->row));
	draft->before = *f;
	draft->before.row = draft->row;
	draft->kept = joins ? f->rows : 0;
}

static void close_function(struct sframe_draft *draft)
{
	struct sframe_written_function *f = &draft->function;

	if (!draft->open || draft->failed)
		return;
	draft->open = false;
	f->row = find_open_rows(draft);
	f->size = (uint32_t)(draft->end - f->start);
	if (draft->join && joins_before(draft)) {
		join_function(draft);
		return;
	}
	write_gathered(draft, f);
	if (draft->join && !draft->failed)
		keep_function(draft);
}

void sframe_draft_begin(struct sframe_draft *draft, bool signal, bool key_b)
{
	close_function(draft);
	draft->function.signal = signal;
	draft->function.key_b = key_b;
}

void sframe_draft_end(struct sframe_draft *draft)
{
	close_function(draft);
}

static void open_function(struct sframe_draft *draft, uint64_t low, uint8_t repeat)
{
	close_function(draft);
	draft->open = true;
	draft->function.start = draft->end = low;
	draft->function.repeat = repeat;
	draft->function.rows = 0;
}

static void put_row(struct sframe_draft *draft, uint64_t start,
                    const struct sframe_written_row *row)
{
	struct sframe_written_function *f = &draft->function;

	if (!array_grow(&draft->row, &draft->row_capacity, draft->kept + f->rows + 1,
	                sizeof(*draft->row))) {
		draft->failed = true;
		return;
	}
	struct sframe_written_row *put = &find_open_rows(draft)[f->rows++];
	*put = *row;
	put->start = (uint32_t)start;
}

static void add_row(struct sframe_draft *draft, uint64_t start,
                    const struct sframe_written_row *row)
{
	const uint32_t rows = draft->function.rows;

	if (rows == 0 || !sframe_write_is_same_rule(&find_open_rows(draft)[rows - 1], row))
		put_row(draft, start, row);
}

static bool continues_function(const struct sframe_draft *draft, uint64_t low, uint64_t high)
{
	const struct sframe_written_function *f = &draft->function;

	return draft->open && f->repeat == 0 && f->rows > 0 && draft->end == low &&
	       high - f->start <= UINT32_MAX && f->rows < SFRAME_WRITE_ROWS_MAX;
}

/*
 * Return true if the format can store `low` as a function's start, wherever in the table the
 * function's record is.
 */
static bool is_in_reach(const struct sframe_draft *draft, uint64_t low)
{
	const uint64_t distance = low - draft->address;

	return sframe_layout(draft->format.version)->start_size == 8 || draft->relocatable ||
	       distance + DRAFT_REACH <= 2 * (uint64_t)DRAFT_REACH;
}

bool sframe_draft_add(struct sframe_draft *draft, uint64_t low, uint64_t high,
                      const struct places *places)
{
	if (places->rows == 2)
		return sframe_draft_add_block(draft, low, high, PLACES_BLOCK, places->row, 2);
	if (high - low > UINT32_MAX || !is_in_reach(draft, low))
		return false;
	if (!continues_function(draft, low, high))
		open_function(draft, low, 0);
	if (!draft->failed)
		add_row(draft, low - draft->function.start, &places->row[0]);
	draft->end = high;
	return true;
}

bool sframe_draft_add_block(struct sframe_draft *draft, uint64_t low, uint64_t high, uint8_t repeat,
                            const struct sframe_written_row *row, uint32_t count)
{
	if (high - low > UINT32_MAX || !is_in_reach(draft, low))
		return false;
	open_function(draft, low, repeat);
	/*
	 * Do not merge equal rows, because readers would mistake a block with a single row for a
	 * block that a linker is known to write incorrectly, and would change its rule.
	 */
	for (uint32_t i = 0; i < count && !draft->failed; i++)
		put_row(draft, row[i].start, &row[i]);
	draft->end = high;
	return true;
}

bool sframe_draft_add_rowless(struct sframe_draft *draft, uint64_t low, uint64_t high)
{
	return sframe_draft_add_block(draft, low, high, 0, NULL, 0);
}

static void write_records(const struct sframe_draft *draft, struct sink *out)
{
	const struct sframe_layout *layout = sframe_layout(draft->format.version);
	const uint8_t size = layout->record_size;
	const bool by_section = layout->by_section && draft->format.by_section;

	for (size_t i = 0; i < draft->records; i++) {
		const uint64_t field = draft->address + SFRAME_HEADER + i * size;
		const uint64_t base = by_section ? draft->address : field;
		const bool in_reach = sframe_write_record(
			out, &draft->format, draft->relocatable ? draft->record[i].start : base,
			&draft->record[i]);
		INVARIANT(in_reach);
		(void)in_reach;
	}
}

void sframe_draft_write(struct sframe_draft *draft, struct byte_buffer *out)
{
	const struct sframe_totals totals = { (uint32_t)draft->records, (uint32_t)draft->rows,
		                              (uint32_t)draft->data.size };
	const size_t size =
		SFRAME_HEADER + draft->records * sframe_layout(draft->format.version)->record_size;

	draft->failed = draft->failed || draft->data.failed;
	uint8_t *head = draft->failed ? NULL : byte_buffer_extend(out, size);
	if (!head)
		return;
	struct sink sink = sink_open(head, size);
	sframe_write_header(&sink, &draft->format, &totals);
	if (draft->relocatable)
		head[SFRAME_FLAGS_AT] &= (uint8_t)~SFRAME_FLAG_SORTED;
	write_records(draft, &sink);
	byte_buffer_bytes(out, draft->data.data, draft->data.size);
}
