/* SPDX-License-Identifier: MIT */
/*
 * Reads the tables in the section and their headers:
 *
 *	section = (table pad8)*
 *	table   = magic:2 version:1 flags:1 abi:1 fixed_fp:1 fixed_ra:1 aux:1 functions:4 rows:4
 *	          rows_size:4 records_at:4 rows_at:4 aux_header:byte[aux] ... record* ... row*
 *	record  = start:4 size:4 rows_at:4 rows:4 info:1                      version 1, 17 bytes
 *	        | the same, repeat:1 pad:2                                    version 2, 20 bytes
 *	        | start:8 size:4 rows_at:4                                    version 3, 16 bytes
 *
 * In the header, records_at and rows_at are relative to the end of the auxiliary header. All
 * numbers are in the target's byte order, which the magic number reveals, and nothing is aligned.
 */
#include "sframe.h"
#include "layout.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/reader.h"

enum {
	MAGIC_SWAPPED = 0xe2de,
	TABLE_ALIGNMENT = 8,
	BASE_SAMPLE = 256, /* maximum number of functions that sframe_correct_base() examines */
};

static const struct sframe_layout layouts[] = {
	[1] = { .record_size = 17,
	        .start_size = 4,
	        .flags = SFRAME_FLAG_SORTED | SFRAME_FLAG_FRAME_POINTER,
	        .unsorted_by_field = true },
	[2] = { .record_size = 20,
	        .start_size = 4,
	        .flags =
	                SFRAME_FLAG_SORTED | SFRAME_FLAG_FRAME_POINTER | SFRAME_FLAG_FIELD_RELATIVE,
	        .has_repeat = true,
	        .has_s390x = true,
	        .register_words = true,
	        .unsorted_by_field = true,
	        .writable = true,
	        .by_section = true },
	[3] = { .record_size = 16,
	        .start_size = 8,
	        .attribute_size = 5,
	        .flags = SFRAME_FLAG_SORTED | SFRAME_FLAG_FIELD_RELATIVE,
	        .has_repeat = true,
	        .has_s390x = true,
	        .flexible = true,
	        .signal = true,
	        .outermost = true,
	        .writable = true },
};

const struct sframe_layout *sframe_layout(unsigned version)
{
	return version < sizeof(layouts) / sizeof(*layouts) && layouts[version].record_size > 0
	               ? &layouts[version]
	               : NULL;
}

static enum cairn_machine machine_of(uint8_t abi)
{
	switch (abi) {
	case ABI_AARCH64_BIG:
	case ABI_AARCH64_LITTLE:
		return CAIRN_MACHINE_AARCH64;
	case ABI_AMD64:
		return CAIRN_MACHINE_AMD64;
	case ABI_S390X:
		return CAIRN_MACHINE_S390X;
	default:
		return CAIRN_MACHINE_NONE;
	}
}

/* Read the fields that all versions share (magic, version, flags, ABI) and derive the machine. */
static void read_preamble(struct reader *in, struct sframe_table *t)
{
	uint16_t magic = reader_u16(in);
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		reader_fail(in, CAIRN_MALFORMED, "bad SFrame magic");
	t->big = in->big = magic == MAGIC_SWAPPED;
	t->version = reader_u8(in);
	t->layout = sframe_layout(t->version);
	if (!t->layout) {
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown SFrame version");
		return;
	}
	t->flags = reader_u8(in);
	if (t->flags & ~t->layout->flags)
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown SFrame flag");
	t->abi = reader_u8(in);
	t->machine = machine_of(t->abi);
	if (t->machine == CAIRN_MACHINE_NONE || (t->abi == ABI_S390X && !t->layout->has_s390x))
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown machine");
	bool is_big = t->abi == ABI_AARCH64_BIG || t->abi == ABI_S390X;
	if (is_big != t->big)
		reader_fail(in, CAIRN_MALFORMED, "the byte order does not match the machine");
}

/* Read the locations of records and rows, and check them against the available bytes. */
static void read_layout(struct reader *in, struct sframe_table *t)
{
	t->functions = reader_u32(in);
	t->claimed_rows = reader_u32(in);
	uint32_t rows_size = reader_u32(in);
	uint32_t records_at = reader_u32(in);
	uint32_t rows_at = reader_u32(in);
	reader_skip(in, t->aux_size);

	size_t end = in->at;
	t->record_size = t->layout->record_size;
	t->records_at = end + records_at;
	t->rows_at = end + rows_at;
	t->rows_size = rows_size;
	if (records_at > rows_at)
		reader_fail_at(in, 20, CAIRN_MALFORMED, "the function table begins after the rows");
	else if ((uint64_t)t->functions * t->record_size > rows_at - records_at)
		reader_fail_at(in, 8, CAIRN_MALFORMED,
		               "the table is too short for the number of functions");
	if (rows_at > reader_left(in))
		reader_fail_at(in, 24, CAIRN_TRUNCATED, "rows begin past the end of the section");
	else if (rows_size > reader_left(in) - rows_at)
		reader_fail_at(in, 16, CAIRN_TRUNCATED, "rows extend past the end of the section");
}

/*
 * Return the base of the table's function starts. In versions 1 and 2 without
 * SFRAME_FLAG_FIELD_RELATIVE, it is the start of the table. However, a linked file with an unsorted
 * table comes from a linker that only applied relocations, which make each start relative to its
 * own field.
 */
static enum sframe_base base_of(const struct sframe_table *t)
{
	if (t->flags & SFRAME_FLAG_FIELD_RELATIVE)
		return SFRAME_BASE_FIELD;
	if (t->layout->unsorted_by_field && !(t->flags & SFRAME_FLAG_SORTED))
		return SFRAME_BASE_FIELD;
	return SFRAME_BASE_SECTION;
}

static enum cairn_status open_table(struct cairn_bytes bytes, struct sframe_table *table,
                                    struct cairn_fault *fault)
{
	struct reader in = reader_open(bytes, false);
	struct sframe_table t = { .bytes = bytes };

	read_preamble(&in, &t);
	if (!t.layout) {
		*fault = in.fault;
		return in.fault.status;
	}
	t.fixed_fp = reader_s8(&in);
	t.fixed_ra = reader_s8(&in);
	t.aux_size = reader_u8(&in);
	read_layout(&in, &t);
	if (!reader_ok(&in)) {
		*fault = in.fault;
		return in.fault.status;
	}
	t.bytes.size = t.rows_at + t.rows_size;
	t.base = base_of(&t);
	*table = t;
	return CAIRN_OK;
}

/*
 * Return true if another table starts at `at`. If the magic number is missing there, the rest of
 * the section is padding.
 */
static bool has_table_at(struct cairn_bytes section, size_t at)
{
	if (at == 0)
		return section.size > 0;
	if (at > section.size || section.size - at < SFRAME_HEADER)
		return false;
	uint16_t magic = bytes_u16(section.data + at, false);
	return magic == MAGIC || magic == MAGIC_SWAPPED;
}

enum cairn_status sframe_next_table(struct cairn_bytes section, uint64_t address, size_t *at,
                                    struct sframe_table *table, struct cairn_fault *fault)
{
	if (!has_table_at(section, *at)) {
		return fault_set_at(fault, CAIRN_NOT_FOUND, *at, "no SFrame table");
	}

	struct cairn_bytes rest = { section.data + *at, section.size - *at };
	enum cairn_status status = open_table(rest, table, fault);
	if (status != CAIRN_OK) {
		fault->offset += *at;
		*at = section.size;
		return status;
	}
	table->offset = *at;
	table->address = address + *at;
	size_t end = *at + table->bytes.size;
	*at = end + (TABLE_ALIGNMENT - end % TABLE_ALIGNMENT) % TABLE_ALIGNMENT;
	return CAIRN_OK;
}

static uint32_t functions_inside(const struct sframe_table *table, uint32_t sample, uint64_t low,
                                 uint64_t high)
{
	uint32_t inside = 0, size;
	uint64_t start;

	for (uint32_t i = 0; i < sample; i++) {
		sframe_extent(table, i, &start, &size);
		inside += start - low < high - low;
	}
	return inside;
}

bool sframe_correct_base(struct sframe_table *table, uint64_t low, uint64_t high)
{
	uint32_t sample = table->functions < BASE_SAMPLE ? table->functions : BASE_SAMPLE;
	struct sframe_table other = *table;

	if (table->base == SFRAME_BASE_GIVEN || sample == 0 ||
	    functions_inside(table, sample, low, high) > 0)
		return false;
	other.base = table->base == SFRAME_BASE_FIELD ? SFRAME_BASE_SECTION : SFRAME_BASE_FIELD;
	if (functions_inside(&other, sample, low, high) < sample)
		return false;
	*table = other;
	return true;
}

/*
 * Reads function records. Version 3 moves the row count and all fields after it from the record to
 * a five-byte attribute before the function's rows:
 *
 *	attribute = rows:2 info:1 info2:1 repeat:1
 *	info      = type:4 masked:1 key_b:1 :1 signal:1 (version 3)
 *	info2     = kind:5 :3
 */

/*
 * Force inlining, so that the compiler generates specialized code for callers that pass constants.
 */
#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

enum {
	/* field offsets in a record, relative to the end of its start field */
	FIELD_SIZE = 0,
	FIELD_ROWS_AT = 4,
	FIELD_ROWS = 8,
	FIELD_INFO = 12,
	FIELD_REPEAT = 13,
	/* field offsets in an attribute */
	ATTRIBUTE_INFO = 2,
	ATTRIBUTE_INFO2 = 3,
	ATTRIBUTE_REPEAT = 4,
	ROW_TYPE_MAX = 2,
	INFO_TYPE = 0x0f,
};

static size_t record_at(const struct sframe_table *table, uint32_t index)
{
	return table->records_at + (size_t)index * table->record_size;
}

/*
 * Return the start of function `index`. The last four parameters repeat fields of the table, so
 * that constant arguments eliminate all branches.
 */
static ALWAYS_INLINE uint64_t start_of(const struct sframe_table *table, uint32_t index,
                                       uint8_t record_size, uint8_t start_size, bool big,
                                       enum sframe_base base)
{
	size_t at = table->records_at + (size_t)index * record_size;
	const uint8_t *record = table->bytes.data + at;
	uint64_t stored = start_size == 8 ? bytes_u64(record, big)
	                                  : (uint64_t)(int32_t)bytes_u32(record, big);

	switch (base) {
	case SFRAME_BASE_SECTION:
		return table->address + stored;
	case SFRAME_BASE_FIELD:
		return table->address + at + stored;
	case SFRAME_BASE_GIVEN:
		return table->starts[index];
	}
	return SFRAME_NO_START;
}

void sframe_extent(const struct sframe_table *table, uint32_t index, uint64_t *start,
                   uint32_t *size)
{
	const uint8_t *record = table->bytes.data + record_at(table, index);
	const uint8_t start_size = table->layout->start_size;

	*start = start_of(table, index, table->record_size, start_size, table->big, table->base);
	*size = bytes_u32(record + start_size + FIELD_SIZE, table->big);
}

static enum cairn_status reject_sframe_fde(const struct sframe_table *table,
                                           struct cairn_fault *fault, enum cairn_status status,
                                           size_t at, const char *what)
{
	*fault = (struct cairn_fault){ status, table->offset + at, what };
	return status;
}

/* Offsets in table.bytes of a function's first row and of the function's fields. */
struct fields {
	size_t first_row;
	/* `info2` and `repeat` are 0 if the version does not define these fields */
	size_t rows, info, info2, repeat;
};

/*
 * Return the offsets for a function. `record` is the offset of the function's record, and `rows_at`
 * the value that the record contains for the location of the rows.
 */
static struct fields locate_fde_fields(const struct sframe_table *t, size_t record, size_t rows_at)
{
	const struct sframe_layout *layout = t->layout;
	const size_t at = t->rows_at + rows_at, after = record + layout->start_size;

	if (layout->attribute_size > 0)
		return (struct fields){ at + layout->attribute_size, at, at + ATTRIBUTE_INFO,
			                at + ATTRIBUTE_INFO2, at + ATTRIBUTE_REPEAT };
	return (struct fields){ at, after + FIELD_ROWS, after + FIELD_INFO, 0,
		                layout->has_repeat ? after + FIELD_REPEAT : 0 };
}

enum cairn_status sframe_function(const struct sframe_table *table, uint32_t index,
                                  struct sframe_function *function, struct cairn_fault *fault)
{
	const uint8_t *data = table->bytes.data;
	const struct sframe_layout *layout = table->layout;
	const bool big = table->big;
	const size_t record = record_at(table, index);
	uint64_t start;
	uint32_t size;

	sframe_extent(table, index, &start, &size);
	if (size > 0 && sframe_is_placed(table, start) && start + (size - 1) < start)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, record,
		                         "a function extends past the end of the address space");
	size_t field = record + layout->start_size + FIELD_ROWS_AT;
	size_t rows_at = bytes_u32(data + field, big);
	if (rows_at > table->rows_size || layout->attribute_size > table->rows_size - rows_at)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, field,
		                         "rows begin past the end of the table");

	struct fields fields = locate_fde_fields(table, record, rows_at);
	uint8_t info = data[fields.info], kind = fields.info2 ? data[fields.info2] & 0x1f : 0;
	bool masked = info & INFO_MASKED;
	uint8_t repeat = fields.repeat ? data[fields.repeat] : SFRAME_V1_REPEAT;
	if ((info & INFO_TYPE) > ROW_TYPE_MAX)
		return reject_sframe_fde(table, fault, CAIRN_UNSUPPORTED, fields.info,
		                         "unknown row type");
	if (kind > KIND_FLEXIBLE)
		return reject_sframe_fde(table, fault, CAIRN_UNSUPPORTED, fields.info2,
		                         "unknown function type");
	if (masked && repeat == 0)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, fields.repeat,
		                         "a repeated block has size 0");

	uint8_t width = (uint8_t)(1 << (info & INFO_TYPE));
	uint32_t rows = layout->attribute_size > 0 ? bytes_u16(data + fields.rows, big)
	                                           : bytes_u32(data + fields.rows, big);
	if ((uint64_t)rows * (width + 1u) > table->bytes.size - fields.first_row)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, fields.rows,
		                         "the table is too short for the number of rows");
	*function = (struct sframe_function){ .start = start,
		                              .size = size,
		                              .rows = rows,
		                              .record = table->offset + record,
		                              .rows_at = fields.first_row,
		                              .width = width,
		                              .repeat = masked ? repeat : 0,
		                              .masked = masked,
		                              .flexible = kind == KIND_FLEXIBLE,
		                              .signal = layout->signal && info & INFO_SIGNAL,
		                              .key_b = sframe_signs(table) && info & INFO_KEY_B };
	return CAIRN_OK;
}

/*
 * Return the last function that starts at or below `va`, or function 0. Each round loads three
 * starts, which do not depend on each other, and selects a quarter with conditional moves, so that
 * there is no branch to mispredict. Plain bisection has the same throughput but 50 % more latency,
 * and loading seven starts per round gains nothing. Callers pass the last four parameters as
 * constants.
 */
static ALWAYS_INLINE uint32_t bisect_fdes(const struct sframe_table *table, uint64_t va,
                                          uint8_t record_size, uint8_t start_size, bool big,
                                          enum sframe_base base)
{
	uint32_t at = 0, count = table->functions;

	while (count >= 4) {
		uint32_t quarter = count / 4, middle = at + 2 * quarter;
		bool first =
			start_of(table, at + quarter, record_size, start_size, big, base) <= va;
		bool second = start_of(table, middle, record_size, start_size, big, base) <= va;
		bool third =
			start_of(table, middle + quarter, record_size, start_size, big, base) <= va;
		uint32_t low = first ? at + quarter : at;
		uint32_t high = third ? middle + quarter : middle;
		at = second ? high : low;
		count -= 3 * quarter;
	}
	for (; count > 1; count--)
		at += start_of(table, at + 1, record_size, start_size, big, base) <= va;
	return at;
}

/*
 * Return the index of the first function that starts before its predecessor (function 0: before
 * `start`), or the number of functions if the table is sorted.
 */
static ALWAYS_INLINE uint32_t find_first_descent(const struct sframe_table *table, uint64_t start,
                                                 uint8_t record_size, uint8_t start_size, bool big,
                                                 enum sframe_base base)
{
	uint32_t at = 0;

	for (; at < table->functions; at++) {
		uint64_t next = start_of(table, at, record_size, start_size, big, base);
		if (next < start)
			break;
		start = next;
	}
	return at;
}

/*
 * Call `walk` with constant arguments for the common table layouts, so that the compiler generates
 * a specialized copy of `walk` for each layout.
 */
static ALWAYS_INLINE uint32_t call_by_table_kind(const struct sframe_table *table, uint64_t va,
                                                 uint32_t (*walk)(const struct sframe_table *,
                                                                  uint64_t, uint8_t, uint8_t, bool,
                                                                  enum sframe_base))
{
	const uint8_t record_size = table->record_size, start_size = table->layout->start_size;
	bool by_section = !table->big && table->base == SFRAME_BASE_SECTION;
	bool by_field = !table->big && table->base == SFRAME_BASE_FIELD;

	/* record layouts of versions 1, 2 and 3 */
	if (by_section && record_size == 17 && start_size == 4)
		return walk(table, va, 17, 4, false, SFRAME_BASE_SECTION);
	if (by_section && record_size == 20 && start_size == 4)
		return walk(table, va, 20, 4, false, SFRAME_BASE_SECTION);
	if (by_field && record_size == 20 && start_size == 4)
		return walk(table, va, 20, 4, false, SFRAME_BASE_FIELD);
	if (by_field && record_size == 16 && start_size == 8)
		return walk(table, va, 16, 8, false, SFRAME_BASE_FIELD);
	return walk(table, va, record_size, start_size, table->big, table->base);
}

bool sframe_is_sorted(const struct sframe_table *table)
{
	return call_by_table_kind(table, 0, find_first_descent) == table->functions;
}

/*
 * Find the function that contains `va`. Skip functions of size 0, which may have the same start as
 * a real function and be sorted before or after it.
 */
bool sframe_find(const struct sframe_table *table, uint64_t va, uint32_t *index)
{
	uint64_t start;
	uint32_t size;

	if (table->functions == 0)
		return false;
	*index = call_by_table_kind(table, va, bisect_fdes);
	sframe_extent(table, *index, &start, &size);
	while (size == 0 && *index > 0)
		sframe_extent(table, --*index, &start, &size);
	return start <= va && va - start < size;
}

/*
 * Iterates over the rows of a function and finds the row for an offset:
 *
 *	row  = start:width info:1 word:size*count
 *	info = base:1 (0 FP, 1 SP) count:4 size:2 (1, 2, 4 bytes) mangled:1
 *
 * sframe_rule() interprets the words.
 */

enum {
	INFO_SIZE = 0x60, /* undefined word size: both size bits are set */
	ROW_MAX = 4 + 1 + SFRAME_MAX_WORDS * 4,
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

static bool stop_at_bad_fre(struct sframe_rows *rows, enum cairn_status status, size_t at,
                            const char *what)
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
		return stop_at_bad_fre(rows, CAIRN_TRUNCATED, r.at,
		                       "the table ends inside the start address of a row");
	r.start = (uint32_t)bytes_unsigned(bytes.data + r.at, rows->width, rows->table->big);
	if (rows->started && r.start < rows->previous)
		return stop_at_bad_fre(rows, CAIRN_MALFORMED, r.at,
		                       "rows are not in ascending order");
	rows->previous = r.start;
	rows->started = true;
	r.words = r.at + rows->width + 1;
	if (r.words > bytes.size)
		return stop_at_bad_fre(rows, CAIRN_TRUNCATED, r.words - 1,
		                       "the table ends inside a row");
	r.info = bytes.data[r.words - 1];
	unsigned size = sframe_word_size(r.info);
	if (size == 0)
		return stop_at_bad_fre(rows, CAIRN_MALFORMED, r.words - 1,
		                       "a row has an undefined data word size");
	if (sframe_row_words(r.info) * size > bytes.size - r.words)
		return stop_at_bad_fre(rows, CAIRN_TRUNCATED, r.words,
		                       "the table ends inside the data words of a row");

	rows->at = r.words + sframe_row_words(r.info) * size;
	rows->left--;
	*row = r;
	return true;
}

/*
 * Find the row that applies at `offset` with few checks per row. Return false if the caller has to
 * use the checked loop: if the table is big-endian, a row up to the offset is invalid, or fewer
 * bytes than the largest row are left. A table of row sizes by info byte would be no faster than
 * computing them.
 */
static bool find_row_fast(const struct sframe_rows *rows, uint64_t offset, struct sframe_row *found,
                          uint64_t *next)
{
	const struct sframe_table *table = rows->table;
	const uint8_t *data = table->bytes.data;
	const uint32_t mask = UINT32_MAX >> (32 - 8 * rows->width);
	const size_t none = SIZE_MAX, width = rows->width;
	size_t at = rows->at, at_found = none;
	uint32_t previous = 0;

	if (table->big || table->bytes.size < ROW_MAX)
		return false;
	const size_t last = table->bytes.size - ROW_MAX;
	*next = UINT64_MAX;
	for (uint32_t left = rows->left; left > 0; left--) {
		if (at > last)
			return false;
		uint32_t start = bytes_u32(data + at, false) & mask;
		uint8_t info = data[at + width];
		if (start < previous || (info & INFO_SIZE) == INFO_SIZE)
			return false;
		if (start > offset) {
			*next = start;
			break;
		}
		previous = start;
		at_found = at;
		at += width + 1 + (sframe_row_words(info) << (info >> 5 & 3));
	}
	if (at_found == none)
		return false;
	*found = (struct sframe_row){ previous, data[at_found + width], at_found,
		                      at_found + width + 1 };
	return true;
}

/*
 * If the damaged row starts after `offset`, clear the fault, set *next to the start of that row,
 * and return true. Only its start is needed, because the previous row ends there.
 */
static bool later_row_is_damaged(struct sframe_rows *rows, uint64_t offset, uint64_t *next)
{
	if (rows->fault.status == CAIRN_OK || rows->previous <= offset)
		return false;
	*next = rows->previous;
	rows->fault.status = CAIRN_OK;
	return true;
}

/*
 * Find the last row that starts at or before `offset`. `rows` must be a new cursor. Set *next to
 * the start of the following row, or to UINT64_MAX for the last row. Return false if the first row
 * starts after `offset`. If a row is invalid, also return false, and set rows->fault.
 */
static bool find_row(struct sframe_rows *rows, uint64_t offset, struct sframe_row *found,
                     uint64_t *next)
{
	struct sframe_row row;
	bool any = false;

	if (find_row_fast(rows, offset, found, next))
		return true;
	for (*next = UINT64_MAX; sframe_next_row(rows, &row); any = true) {
		if (row.start > offset) {
			*next = row.start;
			break;
		}
		*found = row;
	}
	return any && (rows->fault.status == CAIRN_OK || later_row_is_damaged(rows, offset, next));
}

/*
 * Converts the words of a row to a rule:
 *
 *	default words  = cfa [ra] [fp]      ra and fp only where the header does not fix them
 *	flexible words = (control offset) for cfa, ra, fp; a control of 0 alone is padding
 *	control        = register?:1 memory?:1 :1 register:*
 *
 * A row without words marks the outermost function.
 */

enum {
	/* CFA offset that GNU ld writes for .plt.got, and the correct one */
	PLT_GOT_STORED = 16,
	PLT_GOT_TRUE = 8,
};

struct words {
	const struct sframe_table *table;
	size_t at; /* offset of the first word in table.bytes */
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
 * Return the rule for a register that all functions save at the CFA offset in the header. If the
 * offset is 0, the register is unchanged.
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

/* Return true if odd words for RA and FP encode register numbers instead of CFA offsets. */
static bool may_name_registers(const struct sframe_table *table)
{
	return table->machine == CAIRN_MACHINE_S390X && table->layout->register_words;
}

static enum cairn_status check_default(const struct words *w, struct cairn_fault *fault)
{
	const struct sframe_table *t = w->table;

	if (w->count > 1u + (t->fixed_ra == 0) + (t->fixed_fp == 0))
		return reject_fre(t, fault, CAIRN_MALFORMED, w->at - 1,
		                  "a row has too many data words");
	if (!may_name_registers(t))
		return CAIRN_OK;
	for (unsigned i = 1; i < w->count; i++) {
		int64_t word = signed_word(w, i);
		if ((word & 1) && (uint64_t)(word >> 1) > highest_register(t->machine))
			return reject_fre(t, fault, CAIRN_UNSUPPORTED, word_at(w, i),
			                  "unknown register");
	}
	return CAIRN_OK;
}

/*
 * Convert the RA or FP word of a default row to the rule *place. On s390x, an RA word of 0 is
 * padding and leaves *place unchanged.
 */
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
 * Return true if the words form complete (control, offset) pairs; a single 0 is padding. 2 words:
 * CFA; 3: CFA, padding; 4: CFA, RA; 5: CFA, padding, FP; 6: all three.
 */
static bool pairs_fit(const struct words *w)
{
	unsigned next = 2;

	for (int i = 0; i < 2 && next < w->count; i++)
		next += unsigned_word(w, next) != 0 ? 2 : 1;
	return next == w->count;
}

/* Check the control words. Each is followed by an offset, except 0, which is padding. */
static enum cairn_status check_flexible(const struct words *w, struct cairn_fault *fault)
{
	const struct sframe_table *t = w->table;

	if (!pairs_fit(w))
		return reject_fre(t, fault, CAIRN_MALFORMED, w->at - 1,
		                  "the data words of a flexible row do not form pairs");
	for (unsigned i = 0; i < w->count; i++) {
		uint64_t control = unsigned_word(w, i);
		size_t at = word_at(w, i);
		if (i > 0 && control == 0)
			continue;
		if (i++ == 0 && !(control & CONTROL_REGISTER))
			return reject_fre(t, fault, CAIRN_MALFORMED, at,
			                  "the CFA rule refers to the CFA itself");
		if (control & CONTROL_UNUSED)
			return reject_fre(t, fault, CAIRN_UNSUPPORTED, at,
			                  "a control word has an unknown bit set");
		if ((control & CONTROL_REGISTER) &&
		    control >> CONTROL_SHIFT > highest_register(t->machine))
			return reject_fre(t, fault, CAIRN_UNSUPPORTED, at, "unknown register");
	}
	return CAIRN_OK;
}

/*
 * Convert the (control, offset) pair that starts at word `number` to the rule *place. Return the
 * index of the first word after the pair.
 */
static unsigned flexible_location(const struct words *w, unsigned number,
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
	unsigned next = flexible_location(w, 0, &rule->cfa);

	rule->cfa.offset = cfa_offset(w->table, rule->cfa.offset);
	next = flexible_location(w, next, &rule->ra);
	flexible_location(w, next, &rule->fp);
}

/*
 * GNU ld 2.44 to 2.47 write the CFA sp+16 for the entries of .plt.got on amd64. These entries have
 * not pushed anything, so sp+8 is correct. Such a function has a single masked row, unlike .plt and
 * .plt.sec. Remove this when programs linked by these versions are out of use.
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
 * Create the rule for a function without rows. In version 3, such a function is a signal trampoline
 * that SFrame cannot express, or the outermost function. In older versions, it has no rule.
 */
static enum cairn_status rule_without_rows(const struct sframe_table *table,
                                           const struct sframe_function *function,
                                           struct cairn_rule *rule, struct cairn_fault *fault)
{
	if (!table->layout->outermost)
		return fault_set_at(fault, CAIRN_NOT_FOUND, function->record, "no rows");
	empty_rule(table, function, rule);
	make_outermost(rule);
	rule->outermost = !function->signal;
	rule->trampoline = function->signal;
	return CAIRN_OK;
}

/*
 * Set the address range around `va` to which the row applies. In a masked function, this range lies
 * within one repetition of the block.
 */
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
	if (!find_row(&rows, offset, &row, &next)) {
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
