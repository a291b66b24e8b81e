/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes row tables (docs/formats/rowtable.md), in the byte order of the program:
 *
 *	file   = "CAIRNROW" version:4 machine:4 base:8 rows:8 rows_at:4 id_size:4 zero:24 id padding row*
 *	row    = start:4 flags:1 cfa_register:1 ra_kind:1 fp_kind:1 cfa_offset:4 ra_offset:2 fp_offset:2
 */
#include "rowtable.h"

#include "base/bytes.h"

#include <string.h>

enum {
	VERSION = 1,
	VERSION_AT = 8,
	MACHINE_AT = 12,
	BASE_AT = 16,
	ROWS_AT = 24,
	FIRST_AT = 32,
	ID_SIZE_AT = 36,
	RESERVED_AT = 40,
	/* field offsets in a row */
	FLAGS_AT = 4,
	CFA_REGISTER_AT = 5,
	RA_KIND_AT = 6,
	FP_KIND_AT = 7,
	CFA_OFFSET_AT = 8,
	RA_OFFSET_AT = 12,
	FP_OFFSET_AT = 14,
	FLAG_RULE = 1,
	FLAG_OUTERMOST = 2,
	FLAG_SIGNAL = 4,
	FLAG_MANGLED = 8,
	FLAG_KEY_B = 16,
	FLAG_CFA_MEMORY = 32,
	FLAGS_KNOWN = 63,
	KIND_NONE = 0,
	KIND_SAME = 1,
	KIND_FRAME = 2,    /* saved in memory at CFA + offset */
	KIND_REGISTER = 3, /* in a register, whose number is in the offset field */
	KINDS = 4,
	REGISTERS = 32,
	ALIGNMENT = 16,
	EM_S390 = 22,
	EM_X86_64 = 62,
	EM_AARCH64 = 183,
};

static const uint8_t magic[8] = { 'C', 'A', 'I', 'R', 'N', 'R', 'O', 'W' };

static enum cairn_status refuse_row_table(struct cairn_fault *fault, enum cairn_status status,
                                          size_t at, const char *what)
{
	*fault = (struct cairn_fault){ status, at, what };
	return status;
}

static enum cairn_machine read_machine(uint32_t number)
{
	switch (number) {
	case EM_X86_64:
		return CAIRN_MACHINE_AMD64;
	case EM_AARCH64:
		return CAIRN_MACHINE_AARCH64;
	case EM_S390:
		return CAIRN_MACHINE_S390X;
	default:
		return CAIRN_MACHINE_NONE;
	}
}

static bool has_rowtable_magic(struct cairn_bytes bytes)
{
	return bytes.size >= sizeof(magic) && memcmp(bytes.data, magic, sizeof(magic)) == 0;
}

static const uint8_t *row_at(const struct rowtable *table, uint64_t index)
{
	return table->bytes.data + table->rows_at + (size_t)index * ROWTABLE_ROW;
}

static uint32_t start_at(const struct rowtable *table, uint64_t index)
{
	return bytes_u32(row_at(table, index), table->big);
}

/* Return true if at least one byte of the address space follows the start of the last row. */
static bool is_in_space(const struct rowtable *table)
{
	return table->rows == 0 || table->base < UINT64_MAX - start_at(table, table->rows - 1);
}

/*
 * Check that rows are strictly ascending and contain only known flags, registers and kinds. Later
 * versions may define others, which this version would misinterpret.
 */
static enum cairn_status check_rows(const struct rowtable *table, struct cairn_fault *fault)
{
	for (uint64_t i = 0; i < table->rows; i++) {
		const uint8_t *row = row_at(table, i);
		const size_t at = table->rows_at + (size_t)i * ROWTABLE_ROW;
		if (i > 0 && start_at(table, i) <= start_at(table, i - 1))
			return refuse_row_table(fault, CAIRN_MALFORMED, at,
			                        "rows are not in ascending order");
		if (row[FLAGS_AT] & ~FLAGS_KNOWN)
			return refuse_row_table(fault, CAIRN_UNSUPPORTED, at + FLAGS_AT,
			                        "unknown flags");
		if (row[CFA_REGISTER_AT] >= REGISTERS)
			return refuse_row_table(fault, CAIRN_UNSUPPORTED, at + CFA_REGISTER_AT,
			                        "unknown register");
		if (row[RA_KIND_AT] >= KINDS || row[FP_KIND_AT] >= KINDS)
			return refuse_row_table(fault, CAIRN_UNSUPPORTED, at + RA_KIND_AT,
			                        "unknown register rule");
	}
	if (!is_in_space(table))
		return refuse_row_table(fault, CAIRN_MALFORMED, BASE_AT,
		                        "rows extend past the end of the address space");
	return CAIRN_OK;
}

static enum cairn_status check_sizes(const struct rowtable *table, struct cairn_fault *fault)
{
	const size_t size = table->bytes.size;

	if (table->build_id.size > ROWTABLE_ID_MAX || ROWTABLE_HEADER + table->build_id.size > size)
		return refuse_row_table(fault, CAIRN_MALFORMED, ID_SIZE_AT,
		                        "invalid build ID size");
	if (table->rows_at < ROWTABLE_HEADER + table->build_id.size || table->rows_at > size ||
	    table->rows_at % ALIGNMENT)
		return refuse_row_table(fault, CAIRN_MALFORMED, FIRST_AT,
		                        "rows begin at an invalid offset");
	if (table->rows > (size - table->rows_at) / ROWTABLE_ROW)
		return refuse_row_table(fault, CAIRN_TRUNCATED, ROWS_AT,
		                        "the file is too short for the number of rows");
	return CAIRN_OK;
}

enum cairn_status rowtable_open(struct cairn_bytes bytes, struct rowtable *table,
                                struct cairn_fault *fault)
{
	struct rowtable t = { .bytes = bytes };

	if (bytes.size < ROWTABLE_HEADER)
		return refuse_row_table(fault, CAIRN_TRUNCATED, bytes.size,
		                        "the data ends inside the header");
	if (!has_rowtable_magic(bytes))
		return refuse_row_table(fault, CAIRN_MALFORMED, 0, "not a row table");
	t.big = bytes_u32(bytes.data + VERSION_AT, true) == VERSION;
	if (bytes_u32(bytes.data + VERSION_AT, t.big) != VERSION)
		return refuse_row_table(fault, CAIRN_UNSUPPORTED, VERSION_AT, "unknown version");
	t.machine = read_machine(bytes_u32(bytes.data + MACHINE_AT, t.big));
	if (t.machine == CAIRN_MACHINE_NONE)
		return refuse_row_table(fault, CAIRN_UNSUPPORTED, MACHINE_AT, "unknown machine");
	t.base = bytes_u64(bytes.data + BASE_AT, t.big);
	t.rows = bytes_u64(bytes.data + ROWS_AT, t.big);
	t.rows_at = bytes_u32(bytes.data + FIRST_AT, t.big);
	t.build_id = (struct cairn_bytes){ bytes.data + ROWTABLE_HEADER,
		                           bytes_u32(bytes.data + ID_SIZE_AT, t.big) };
	for (size_t i = RESERVED_AT; i < ROWTABLE_HEADER; i++)
		if (bytes.data[i])
			return refuse_row_table(fault, CAIRN_UNSUPPORTED, i, "unknown field");
	enum cairn_status status = check_sizes(&t, fault);
	if (status == CAIRN_OK)
		status = check_rows(&t, fault);
	if (status == CAIRN_OK)
		*table = t;
	return status;
}

static struct cairn_register_rule read_place(uint8_t kind, uint16_t offset)
{
	struct cairn_register_rule place = { .kind = CAIRN_REGISTER_UNDEFINED };

	if (kind == KIND_SAME)
		place.kind = CAIRN_REGISTER_SAME_VALUE;
	else if (kind == KIND_FRAME)
		place = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
			                              (int16_t)offset };
	else if (kind == KIND_REGISTER && offset < REGISTERS)
		place = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, offset, 0 };
	return place;
}

static struct cairn_rule read_rule(const struct rowtable *table, const uint8_t *row)
{
	const uint8_t flags = row[FLAGS_AT];
	struct cairn_rule rule = { .machine = table->machine,
		                   .outermost = flags & FLAG_OUTERMOST,
		                   .signal = flags & FLAG_SIGNAL,
		                   .mangled = flags & FLAG_MANGLED,
		                   .key_b = flags & FLAG_KEY_B };

	if (rule.outermost)
		return rule;
	rule.cfa = (struct cairn_register_rule){
		flags & FLAG_CFA_MEMORY ? CAIRN_REGISTER_MEMORY : CAIRN_REGISTER_VALUE,
		row[CFA_REGISTER_AT], (int32_t)bytes_u32(row + CFA_OFFSET_AT, table->big)
	};
	rule.ra = read_place(row[RA_KIND_AT], bytes_u16(row + RA_OFFSET_AT, table->big));
	rule.fp = read_place(row[FP_KIND_AT], bytes_u16(row + FP_OFFSET_AT, table->big));
	return rule;
}

enum cairn_status rowtable_find(const struct rowtable *table, uint64_t va, struct cairn_rule *rule)
{
	uint64_t low = 0, high = table->rows;

	if (va < table->base || va - table->base > UINT32_MAX)
		return CAIRN_NOT_FOUND;
	const uint64_t offset = va - table->base;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		if (start_at(table, middle) <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !(row_at(table, low - 1)[FLAGS_AT] & FLAG_RULE))
		return CAIRN_NOT_FOUND;
	*rule = read_rule(table, row_at(table, low - 1));
	rule->start = rule->function = table->base + start_at(table, low - 1);
	rule->end = rule->function_end =
		low < table->rows ? table->base + start_at(table, low) : rule->start + 1;
	return CAIRN_OK;
}

static bool has_kind(const struct cairn_register_rule *place)
{
	if (place->kind == CAIRN_REGISTER_SAME_VALUE)
		return true;
	if (place->kind == CAIRN_REGISTER_VALUE)
		return place->base < REGISTERS && place->offset == 0;
	return place->kind == CAIRN_REGISTER_MEMORY && place->base == CAIRN_BASE_CFA;
}

static bool has_short_offset(const struct cairn_register_rule *place)
{
	return place->kind == CAIRN_REGISTER_SAME_VALUE ||
	       (place->offset >= INT16_MIN && place->offset <= INT16_MAX);
}

bool rowtable_can_say(const struct cairn_rule *rule, enum cairn_sframe_loss *loss)
{
	if (rule->outermost)
		return true;
	*loss = CAIRN_SFRAME_LOSS_CFA;
	if ((rule->cfa.kind != CAIRN_REGISTER_VALUE && rule->cfa.kind != CAIRN_REGISTER_MEMORY) ||
	    rule->cfa.base >= REGISTERS)
		return false;
	*loss = CAIRN_SFRAME_LOSS_RA;
	if (rule->trampoline || !has_kind(&rule->ra))
		return false;
	*loss = CAIRN_SFRAME_LOSS_FP;
	if (!has_kind(&rule->fp))
		return false;
	*loss = CAIRN_SFRAME_LOSS_OFFSET;
	return rule->cfa.offset >= INT32_MIN && rule->cfa.offset <= INT32_MAX &&
	       has_short_offset(&rule->ra) && has_short_offset(&rule->fp);
}

static void put_number(struct sink *out, bool big, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		sink_u8(out, (uint8_t)(value >> 8 * (big ? width - 1 - i : i)));
}

static uint32_t find_number(enum cairn_machine machine)
{
	if (machine == CAIRN_MACHINE_AMD64)
		return EM_X86_64;
	return machine == CAIRN_MACHINE_S390X ? EM_S390 : EM_AARCH64;
}

void rowtable_write_head(struct sink *out, const struct rowtable *table)
{
	sink_bytes(out, magic, sizeof(magic));
	put_number(out, table->big, VERSION, 4);
	put_number(out, table->big, find_number(table->machine), 4);
	put_number(out, table->big, table->base, 8);
	put_number(out, table->big, table->rows, 8);
	put_number(out, table->big, table->rows_at, 4);
	put_number(out, table->big, table->build_id.size, 4);
	while (out->size < ROWTABLE_HEADER)
		sink_u8(out, 0);
	sink_bytes(out, table->build_id.data, table->build_id.size);
	while (out->size < table->rows_at)
		sink_u8(out, 0);
}

static uint8_t choose_kind(const struct cairn_register_rule *place)
{
	return place->kind == CAIRN_REGISTER_SAME_VALUE ? KIND_SAME
	       : place->kind == CAIRN_REGISTER_MEMORY   ? KIND_FRAME
	       : place->kind == CAIRN_REGISTER_VALUE    ? KIND_REGISTER
	                                                : KIND_NONE;
}

static uint64_t choose_offset(const struct cairn_register_rule *place)
{
	if (place->kind == CAIRN_REGISTER_VALUE)
		return place->base;
	return place->kind == CAIRN_REGISTER_MEMORY ? (uint64_t)place->offset : 0;
}

static uint8_t choose_flags(const struct cairn_rule *rule)
{
	return (uint8_t)(FLAG_RULE | (rule->outermost ? FLAG_OUTERMOST : 0) |
	                 (rule->signal ? FLAG_SIGNAL : 0) | (rule->mangled ? FLAG_MANGLED : 0) |
	                 (rule->key_b ? FLAG_KEY_B : 0) |
	                 (!rule->outermost && rule->cfa.kind == CAIRN_REGISTER_MEMORY
	                          ? FLAG_CFA_MEMORY
	                          : 0));
}

void rowtable_write_row(struct sink *out, bool big, uint32_t start, const struct cairn_rule *rule)
{
	static const struct cairn_rule nothing = { .outermost = true };
	const struct cairn_rule *r = rule ? rule : &nothing;
	const bool places = !r->outermost;

	put_number(out, big, start, 4);
	sink_u8(out, rule ? choose_flags(rule) : 0);
	sink_u8(out, places ? (uint8_t)r->cfa.base : 0);
	sink_u8(out, places ? choose_kind(&r->ra) : KIND_NONE);
	sink_u8(out, places ? choose_kind(&r->fp) : KIND_NONE);
	put_number(out, big, places ? (uint64_t)r->cfa.offset : 0, 4);
	put_number(out, big, places ? choose_offset(&r->ra) : 0, 2);
	put_number(out, big, places ? choose_offset(&r->fp) : 0, 2);
}
