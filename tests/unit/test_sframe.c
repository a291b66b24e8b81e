/* SPDX-License-Identifier: MIT */
/* Tests the SFrame decoder on all versions, FRE encodings and damaged fields. */
#include "fixture.h"
#include "formats/sframe/sframe.h"
#include "unit.h"

enum { ADDRESS = 0x9000 }; /* of the section; code lies on both sides of it */

#define ONE (FIXTURE_SP | FIXTURE_WORDS(1, 0)) /* a row of one word: CFA = SP + word */

/* A good table: an ordinary function, repeated blocks, and a function with wide rows. */
static const struct fixture_row plain_rows[] = {
	{ 0, ONE, { 8 } }, { 4, ONE, { 16 } }, { 4, ONE, { 24 } }, { 0x20, ONE, { 32 } }
};
static const struct fixture_row masked_rows[] = { { 0, ONE, { 8 } }, { 6, ONE, { 16 } } };
static const struct fixture_row wide_rows[] = {
	{ 0x100, ONE, { 8 } }, { 0x3f00, FIXTURE_SP | FIXTURE_WORDS(1, 2), { 0x123456 } }
};
static const struct fixture_function good_functions[] = {
	{ 0x5000, 0x40, FIXTURE_ADDR1, 0, 0, COUNT(plain_rows), plain_rows },
	{ 0x6000, 0x28, FIXTURE_MASKED, 0, 16, COUNT(masked_rows), masked_rows },
	{ 0xa000, 0x4000, FIXTURE_ADDR2, 0, 0, COUNT(wide_rows), wide_rows },
};

/* Every version with each of its machines. */
static const struct kind {
	uint8_t version, abi, flags;
} kinds[] = {
	{ 1, FIXTURE_AARCH64_BIG, 1 }, { 1, FIXTURE_AARCH64, 1 },     { 1, FIXTURE_AMD64, 1 },
	{ 2, FIXTURE_AARCH64_BIG, 1 }, { 2, FIXTURE_AARCH64, 1 },     { 2, FIXTURE_AMD64, 1 },
	{ 2, FIXTURE_S390X, 1 },       { 2, FIXTURE_AARCH64_BIG, 5 }, { 2, FIXTURE_AMD64, 5 },
	{ 2, FIXTURE_S390X, 5 },       { 3, FIXTURE_AARCH64_BIG, 5 }, { 3, FIXTURE_AARCH64, 5 },
	{ 3, FIXTURE_AMD64, 5 },       { 3, FIXTURE_S390X, 5 },       { 3, FIXTURE_AMD64, 1 },
};

static struct fixture_out *make_good(const struct kind *kind, struct fixture_places *places)
{
	static struct fixture_out section;
	struct fixture_table table = { kind->version, kind->abi, kind->flags, 0, 0, 3,
		                       good_functions };

	section = (struct fixture_out){ .big = fixture_is_big(kind->abi) };
	fixture_append(&section, ADDRESS, &table, places);
	return &section;
}

/* One lookup with the decoder alone, function 0 or the one that bisection finds. */
static enum cairn_status ask(struct cairn_bytes section, uint64_t va, struct cairn_rule *rule,
                             struct cairn_fault *fault)
{
	struct sframe_table table;
	struct sframe_function function;
	uint32_t index = 0;
	size_t at = 0;

	enum cairn_status status = sframe_next_table(section, ADDRESS, &at, &table, fault);
	if (status == CAIRN_OK && va != 0 && !sframe_find(&table, va, &index))
		return CAIRN_NOT_FOUND;
	if (status == CAIRN_OK)
		status = sframe_function(&table, index, &function, fault);
	if (status == CAIRN_OK)
		status = sframe_find_rule(&table, &function, va ? va : function.start, rule, fault);
	return status;
}

static const struct {
	uint64_t va;
	int64_t cfa; /* as stored; 0: not found */
	uint64_t start, end;
} good_answers[] = {
	{ 0x4fff, 0, 0, 0 },
	{ 0x5000, 8, 0x5000, 0x5004 },
	{ 0x5003, 8, 0x5000, 0x5004 },
	{ 0x5004, 24, 0x5004, 0x5020 }, /* of two rows at one start the last wins */
	{ 0x501f, 24, 0x5004, 0x5020 },
	{ 0x503f, 32, 0x5020, 0x5040 },
	{ 0x5040, 0, 0, 0 },
	{ 0x6000, 8, 0x6000, 0x6006 },
	{ 0x6006, 16, 0x6006, 0x6010 },
	{ 0x600f, 16, 0x6006, 0x6010 },
	{ 0x6010, 8, 0x6010, 0x6016 },
	{ 0x6026, 16, 0x6026, 0x6028 }, /* the last block is cut */
	{ 0x6028, 0, 0, 0 },
	{ 0xa000, 0, 0, 0 }, /* before the first row */
	{ 0xa0ff, 0, 0, 0 },
	{ 0xa100, 8, 0xa100, 0xdf00 },
	{ 0xdf00, 0x123456, 0xdf00, 0xe000 },
	{ 0xdfff, 0x123456, 0xdf00, 0xe000 },
	{ 0xe000, 0, 0, 0 },
	{ UINT64_MAX, 0, 0, 0 },
};

START_TEST(finds_in_a_good_table)
{
	const struct kind *kind = &kinds[_i];
	struct cairn_bytes section = unit_exact(fixture_out_bytes(make_good(kind, NULL)));

	for (size_t i = 0; i < COUNT(good_answers); i++) {
		struct cairn_rule rule;
		struct cairn_fault fault;
		int64_t cfa = good_answers[i].cfa;
		enum cairn_status status = ask(section, good_answers[i].va, &rule, &fault);

		ck_assert_int_eq(status, cfa ? CAIRN_OK : CAIRN_NOT_FOUND);
		if (!cfa)
			continue;
		if (kind->abi == FIXTURE_S390X)
			cfa = cfa * 8 + 160;
		ck_assert_int_eq(rule.cfa.offset, cfa);
		ck_assert_uint_eq(rule.start, good_answers[i].start);
		ck_assert_uint_eq(rule.end, good_answers[i].end);
		ck_assert_uint_le(rule.function, rule.start);
		ck_assert_uint_ge(rule.function_end, rule.end);
	}
}
END_TEST

START_TEST(reads_the_header)
{
	const struct kind *kind = &kinds[_i];
	struct fixture_out section = { .big = fixture_is_big(kind->abi) };
	struct fixture_table made = {
		kind->version, kind->abi, kind->flags, 5, 3, 3, good_functions
	};
	struct fixture_places places;
	struct sframe_table t;
	struct cairn_fault fault;
	size_t at = 0;

	fixture_append(&section, ADDRESS, &made, &places);
	ck_assert_int_eq(sframe_next_table(unit_exact(fixture_out_bytes(&section)), ADDRESS, &at,
	                                   &t, &fault),
	                 CAIRN_OK);
	ck_assert(t.version == kind->version && t.abi == kind->abi && t.flags == kind->flags);
	ck_assert(t.big == section.big && t.aux_size == 5 && t.fixed_fp == 0);
	ck_assert_int_eq(t.fixed_ra, kind->abi == FIXTURE_AMD64 ? -8 : 0);
	ck_assert(t.functions == 3 && t.claimed_rows == 8);
	ck_assert_uint_eq(t.records_at, SFRAME_HEADER + 5);
	ck_assert_uint_eq(t.rows_at + t.rows_size, section.size);
	ck_assert(t.offset == 0 && t.address == ADDRESS && t.bytes.size == section.size);
	for (uint32_t i = 0; i < 3; i++) {
		struct sframe_function f;
		ck_assert_int_eq(sframe_function(&t, i, &f, &fault), CAIRN_OK);
		ck_assert_uint_eq(f.start, good_functions[i].start);
		ck_assert_uint_eq(f.size, good_functions[i].size);
		ck_assert_uint_eq(f.rows, good_functions[i].count);
		ck_assert_uint_eq(f.record, places.functions[i].record);
		ck_assert_uint_eq(f.rows_at, places.functions[i].row[0]);
		ck_assert(f.masked == (i == 1) && f.repeat == (i == 1 ? 16 : 0));
	}
}
END_TEST

/* Where a cut table is noticed: the field that is not complete, or what the rows reach past. */
static size_t fault_of_cut(size_t size, size_t rows_at)
{
	static const size_t fields[] = { 0, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 28 };
	size_t field = 0;

	if (size >= SFRAME_HEADER)
		return size < rows_at ? 24 : 16;
	for (size_t i = 0; i + 1 < COUNT(fields) && fields[i + 1] <= size; i++)
		field = i + 1;
	return fields[field];
}

START_TEST(notices_every_cut)
{
	struct fixture_places places;
	struct fixture_out *section = make_good(&kinds[_i], &places);
	size_t rows_at =
		places.functions[0].rows < places.functions[0].row[0] && kinds[_i].version == 3
			? places.functions[0].rows
			: places.functions[0].row[0];

	for (size_t size = 0; size < section->size; size++) {
		struct cairn_bytes cut = unit_exact((struct cairn_bytes){ section->data, size });
		struct sframe_table table;
		struct cairn_fault fault;
		size_t at = 0;
		enum cairn_status status = sframe_next_table(cut, ADDRESS, &at, &table, &fault);

		ck_assert_int_eq(status, size ? CAIRN_TRUNCATED : CAIRN_NOT_FOUND);
		ck_assert_int_eq(fault.status, status);
		ck_assert_uint_eq(fault.offset, fault_of_cut(size, rows_at));
		ck_assert_int_eq(sframe_next_table(cut, ADDRESS, &at, &table, &fault),
		                 CAIRN_NOT_FOUND);
	}
}
END_TEST

/*
 * The good table with one field overwritten: what a lookup of function 0 answers, and the offset
 * of the fault.
 */
enum place { TABLE, RECORD, SIZE, ROWS_AT, ROWS, INFO, INFO2, REPEAT, ROW0, ROW1, ROW3, NOWHERE };

#define V1 2
#define V2 4
#define V3 8
#define ALL (V1 | V2 | V3)

static const struct {
	const char *name;
	unsigned versions;
	enum place place; /* what is overwritten */
	size_t plus, width;
	uint64_t value;
	uint64_t ask; /* offset in function 0 */
	enum cairn_status status;
	enum place at; /* where the fault is */
	size_t at_plus;
} refusals[] = {
	/* the table */
	{ "magic, first byte", ALL, TABLE, 0, 1, 0xe3, 0, CAIRN_MALFORMED, TABLE, 0 },
	{ "magic, second byte", ALL, TABLE, 1, 1, 0, 0, CAIRN_MALFORMED, TABLE, 0 },
	{ "version 0", ALL, TABLE, 2, 1, 0, 0, CAIRN_UNSUPPORTED, TABLE, 2 },
	{ "version 4", ALL, TABLE, 2, 1, 4, 0, CAIRN_UNSUPPORTED, TABLE, 2 },
	{ "version 255", ALL, TABLE, 2, 1, 255, 0, CAIRN_UNSUPPORTED, TABLE, 2 },
	{ "flag 4 in version 1", V1, TABLE, 3, 1, 0x5, 0, CAIRN_UNSUPPORTED, TABLE, 3 },
	{ "flag 8", ALL, TABLE, 3, 1, 0x9, 0, CAIRN_UNSUPPORTED, TABLE, 3 },
	{ "flag 0x80", ALL, TABLE, 3, 1, 0x80, 0, CAIRN_UNSUPPORTED, TABLE, 3 },
	{ "flag 2 in version 3", V3, TABLE, 3, 1, 0x7, 0, CAIRN_UNSUPPORTED, TABLE, 3 },
	{ "machine 0", ALL, TABLE, 4, 1, 0, 0, CAIRN_UNSUPPORTED, TABLE, 4 },
	{ "machine 5", ALL, TABLE, 4, 1, 5, 0, CAIRN_UNSUPPORTED, TABLE, 4 },
	{ "s390x in version 1", V1, TABLE, 4, 1, 4, 0, CAIRN_UNSUPPORTED, TABLE, 4 },
	{ "auxiliary header past the end", ALL, TABLE, 7, 1, 0xff, 0, CAIRN_TRUNCATED, TABLE, 28 },
	{ "functions behind the rows", ALL, TABLE, 20, 4, 0xfffffff0, 0, CAIRN_MALFORMED, TABLE,
	  20 },
	{ "one function too many", ALL, TABLE, 8, 4, 4, 0, CAIRN_MALFORMED, TABLE, 8 },
	{ "functions wrap 32 bits", ALL, TABLE, 8, 4, 0xf0f0f0f1, 0, CAIRN_MALFORMED, TABLE, 8 },
	{ "functions shifted", ALL, TABLE, 20, 4, 1, 0, CAIRN_MALFORMED, TABLE, 8 },
	{ "rows begin past the end", ALL, TABLE, 24, 4, 0xffffffff, 0, CAIRN_TRUNCATED, TABLE, 24 },
	{ "rows reach past the end", ALL, TABLE, 16, 4, 0xffffffff, 0, CAIRN_TRUNCATED, TABLE, 16 },
	{ "claimed rows do not matter", ALL, TABLE, 12, 4, 0xffffffff, 0, CAIRN_OK, NOWHERE, 0 },

	/* a function */
	{ "rows at 2^32 - 1", ALL, ROWS_AT, 0, 4, 0xffffffff, 0, CAIRN_MALFORMED, ROWS_AT, 0 },
	{ "rows at 2^32 - 5", V3, ROWS_AT, 0, 4, 0xfffffffb, 0, CAIRN_MALFORMED, ROWS_AT, 0 },
	{ "row type 3", ALL, INFO, 0, 1, 0x03, 0, CAIRN_UNSUPPORTED, INFO, 0 },
	{ "row type 15", ALL, INFO, 0, 1, 0x0f, 0, CAIRN_UNSUPPORTED, INFO, 0 },
	{ "unused bits of info", V1 | V2, INFO, 0, 1, 0xc0, 0, CAIRN_OK, NOWHERE, 0 },
	{ "unused bit of info", V3, INFO, 0, 1, 0x40, 0, CAIRN_OK, NOWHERE, 0 },
	{ "function type 2", V3, INFO2, 0, 1, 2, 0, CAIRN_UNSUPPORTED, INFO2, 0 },
	{ "function type 31", V3, INFO2, 0, 1, 31, 0, CAIRN_UNSUPPORTED, INFO2, 0 },
	{ "unused bits of info2", V3, INFO2, 0, 1, 0xe0, 0, CAIRN_OK, NOWHERE, 0 },
	{ "repeated block of size 0", V2 | V3, INFO, 0, 1, FIXTURE_MASKED, 0, CAIRN_MALFORMED,
	  REPEAT, 0 },
	{ "version 1 repeats 16", V1, INFO, 0, 1, FIXTURE_MASKED, 0x14, CAIRN_OK, NOWHERE, 0 },
	{ "too many rows", V1 | V2, ROWS, 0, 4, 0x40000000, 0, CAIRN_MALFORMED, ROWS, 0 },
	{ "too many rows", V3, ROWS, 0, 2, 0xffff, 0, CAIRN_MALFORMED, ROWS, 0 },
	{ "rows wrap 64 bits", V1 | V2, ROWS, 0, 4, 0xffffffff, 0, CAIRN_MALFORMED, ROWS, 0 },
	{ "no rows", V1 | V2, ROWS, 0, 4, 0, 0, CAIRN_NOT_FOUND, NOWHERE, 0 },
	{ "no rows: outermost", V3, ROWS, 0, 2, 0, 0, CAIRN_OK, NOWHERE, 0 },
	{ "empty", ALL, SIZE, 0, 4, 0, 0, CAIRN_NOT_FOUND, NOWHERE, 0 },

	/* a row */
	{ "rows descend", ALL, ROW1, 0, 1, 0, 0, CAIRN_OK, NOWHERE, 0 },
	{ "rows descend", ALL, ROW3, 0, 1, 3, 0x30, CAIRN_MALFORMED, ROW3, 0 },
	{ "rows descend further on", ALL, ROW3, 0, 1, 3, 0x03, CAIRN_OK, NOWHERE, 0 },
	{ "first row later", ALL, ROW0, 0, 1, 2, 1, CAIRN_NOT_FOUND, NOWHERE, 0 },
	{ "word size 3", ALL, ROW0, 1, 1, 0x60 | ONE, 0, CAIRN_MALFORMED, ROW0, 1 },
	{ "word size 3 in the next row", ALL, ROW1, 1, 1, 0x60 | ONE, 0, CAIRN_OK, NOWHERE, 0 },
	{ "word size 3 in the row", ALL, ROW1, 1, 1, 0x60 | ONE, 0x05, CAIRN_MALFORMED, ROW1, 1 },
	{ "word size 3 further on", ALL, ROW3, 1, 1, 0x60 | ONE, 0, CAIRN_OK, NOWHERE, 0 },
	{ "too many words", ALL, ROW0, 1, 1, FIXTURE_WORDS(4, 0), 0, CAIRN_MALFORMED, ROW0, 1 },
	{ "undefined", ALL, ROW3, 1, 1, 0, 0x30, CAIRN_OK, NOWHERE, 0 },
};

static size_t place_of(const struct fixture_places *p, enum place place)
{
	const struct fixture_place *f = &p->functions[0];

	switch (place) {
	case TABLE:
	case NOWHERE:
		return p->table;
	case RECORD:
		return f->record;
	case SIZE:
		return f->size;
	case ROWS_AT:
		return f->rows_at;
	case ROWS:
		return f->rows;
	case INFO:
		return f->info;
	case INFO2:
		return f->info2;
	case REPEAT:
		return f->repeat;
	case ROW0:
		return f->row[0];
	case ROW1:
		return f->row[1];
	case ROW3:
		return f->row[3];
	}
	return 0;
}

static void refuse_in(const struct kind *kind, int i)
{
	struct fixture_places places;
	struct fixture_out *section = make_good(kind, &places);
	struct cairn_fault fault = { .status = CAIRN_OK };
	struct cairn_rule rule;

	fixture_out_poke(section, place_of(&places, refusals[i].place) + refusals[i].plus,
	                 refusals[i].value, refusals[i].width);
	enum cairn_status status = ask(unit_exact(fixture_out_bytes(section)),
	                               0x5000 + refusals[i].ask, &rule, &fault);
	ck_assert_msg(status == refusals[i].status, "%s, version %u, machine %u: %s",
	              refusals[i].name, kind->version, kind->abi, cairn_status_text(status));
	if (refusals[i].at == NOWHERE)
		return;
	size_t at = place_of(&places, refusals[i].at) + refusals[i].at_plus;
	ck_assert_msg(fault.status == status && fault.offset == at && fault.what,
	              "%s, version %u, machine %u: fault at %llu, not %zu", refusals[i].name,
	              kind->version, kind->abi, (unsigned long long)fault.offset, at);
}

START_TEST(checks_each_field)
{
	unsigned tried = 0;

	for (size_t k = 0; k < COUNT(kinds); k++)
		if (refusals[_i].versions >> kinds[k].version & 1) {
			refuse_in(&kinds[k], _i);
			tried++;
		}
	ck_assert_uint_gt(tried, 0);
}
END_TEST

/* The machine's byte order against that of the magic. */
START_TEST(checks_the_byte_order)
{
	static const uint8_t others[] = { 0, FIXTURE_AARCH64, FIXTURE_AARCH64_BIG,
		                          FIXTURE_AARCH64_BIG, FIXTURE_AARCH64 };
	const struct kind *kind = &kinds[_i];
	struct fixture_out *section = make_good(kind, NULL);
	struct cairn_fault fault;
	struct cairn_rule rule;

	fixture_out_poke(section, 4, others[kind->abi], 1);
	ck_assert_int_eq(ask(unit_exact(fixture_out_bytes(section)), 0x5000, &rule, &fault),
	                 CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, 4);
}
END_TEST

/* The last row of a table that is too short for it, byte by byte. */
START_TEST(notices_rows_past_the_table)
{
	static const struct fixture_row row = { 0,
		                                FIXTURE_SP | FIXTURE_WORDS(2, 1),
		                                { 0x100, -0x100 } };
	struct fixture_function function = { 0x5000, 0x40, (uint8_t)_i, 0, 0, 1, &row };
	size_t width = (size_t)1 << _i, size = width + 5;

	for (size_t k = 0; k < COUNT(kinds); k++)
		for (size_t cut = 1; cut < size; cut++) {
			struct fixture_out section = { .big = fixture_is_big(kinds[k].abi) };
			struct fixture_table table = {
				kinds[k].version, kinds[k].abi, kinds[k].flags, 0, 0, 1, &function
			};
			struct fixture_places places;
			struct cairn_fault fault;
			struct cairn_rule rule;

			fixture_append(&section, ADDRESS, &table, &places);
			size_t attribute = kinds[k].version == 3 ? 5 : 0;
			fixture_out_poke(&section, 16, attribute + size - cut, 4);
			section.size -= cut;
			enum cairn_status status =
				ask(unit_exact(fixture_out_bytes(&section)), 0x5000, &rule, &fault);
			size_t row_at = places.functions[0].row[0];
			bool no_capacity = size - cut < width + 1;
			ck_assert_int_eq(status, no_capacity ? CAIRN_MALFORMED : CAIRN_TRUNCATED);
			ck_assert_uint_eq(fault.offset, no_capacity ? places.functions[0].rows
			                                            : row_at + width + 1);
		}
}
END_TEST

/* Two rows are claimed; the first takes so much that nothing, or half a row, is left. */
START_TEST(notices_a_row_short_of_bytes)
{
	static const struct fixture_row rows[] = { { 0, ONE, { 8 } }, { 0x10, ONE, { 8 } } };
	struct fixture_function function = { 0x5000, 0x40, FIXTURE_ADDR4, 0, 0, 2, rows };
	static const struct {
		size_t left; /* bytes of the second row */
		size_t fault;
	} cuts[] = { { 3, 0 }, { 4, 4 }, { 5, 5 } };

	for (size_t k = 0; k < COUNT(kinds); k++) {
		struct fixture_out section = { .big = fixture_is_big(kinds[k].abi) };
		struct fixture_table table = {
			kinds[k].version, kinds[k].abi, kinds[k].flags, 0, 0, 1, &function
		};
		struct fixture_places places;
		struct cairn_fault fault;
		struct cairn_rule rule;

		fixture_append(&section, ADDRESS, &table, &places);
		size_t first = places.functions[0].row[0];
		/* the words of row 0 swallow what row 1 should have */
		size_t second = section.size - cuts[_i].left;
		size_t words = second - first - 5;
		ck_assert_uint_le(words, 15);
		fixture_out_poke(&section, first + 4, FIXTURE_SP | FIXTURE_WORDS(words, 0), 1);
		fixture_out_poke(&section, second, 0, 4 < cuts[_i].left ? 4 : cuts[_i].left);
		if (cuts[_i].left > 4)
			fixture_out_poke(&section, second + 4, ONE, 1);
		ck_assert_int_eq(
			ask(unit_exact(fixture_out_bytes(&section)), 0x5000, &rule, &fault),
			CAIRN_TRUNCATED);
		ck_assert_uint_eq(fault.offset, second + cuts[_i].fault);
	}
}
END_TEST

/* Where the rows of a function may begin at the latest: at the end, in version 3 an attribute
 * before. */
START_TEST(rows_begin_before_the_end)
{
	const struct kind *kind = &kinds[_i];
	size_t attribute = kind->version == 3 ? 5 : 0;

	for (size_t late = 0; late < 4; late++) {
		struct fixture_places places;
		struct fixture_out *section = make_good(kind, &places);
		struct cairn_fault fault;
		struct cairn_rule rule;
		size_t first = places.functions[0].row[0] - attribute;
		size_t from = section->size - first - attribute + late;

		fixture_out_poke(section, places.functions[0].rows_at, from, 4);
		if (attribute && late == 0) /* the last bytes are an attribute without rows */
			memset(section->data + section->size - attribute, 0, attribute);
		enum cairn_status status =
			ask(unit_exact(fixture_out_bytes(section)), 0x5000, &rule, &fault);
		if (late > 0)
			ck_assert(status == CAIRN_MALFORMED &&
			          fault.offset == places.functions[0].rows_at);
		else if (attribute)
			ck_assert_int_eq(status, CAIRN_OK);
		else
			ck_assert(status == CAIRN_MALFORMED &&
			          fault.offset == places.functions[0].rows);
	}
}
END_TEST

/* A function at the very top of the address space ends at 2^64 and no further. */
static const struct {
	const char *name;
	uint64_t start;
	uint32_t size;
	enum cairn_status status;
} tops[] = {
	{ "ends below", (uint64_t)-0x101, 0x100, CAIRN_OK },
	{ "ends at 2^64", (uint64_t)-0x100, 0x100, CAIRN_OK },
	{ "one byte further", (uint64_t)-0xff, 0x100, CAIRN_MALFORMED },
	{ "the last byte", UINT64_MAX, 1, CAIRN_OK },
	{ "from the last byte", UINT64_MAX, 2, CAIRN_MALFORMED },
	{ "from 0", 0, 0xffffffff, CAIRN_OK },
};

START_TEST(ends_with_the_address_space)
{
	for (size_t k = 0; k < COUNT(kinds); k++) {
		struct fixture_function function = {
			tops[_i].start,    tops[_i].size, FIXTURE_ADDR1, 0, 0,
			COUNT(plain_rows), plain_rows
		};
		struct fixture_table made = {
			kinds[k].version, kinds[k].abi, kinds[k].flags, 0, 0, 1, &function
		};
		struct fixture_out section = { .big = fixture_is_big(kinds[k].abi) };
		struct fixture_places places;
		struct sframe_function f;
		struct sframe_table table;
		struct cairn_fault fault;
		size_t at = 0;

		fixture_append(&section, ADDRESS, &made, &places);
		ck_assert_int_eq(sframe_next_table(unit_exact(fixture_out_bytes(&section)), ADDRESS,
		                                   &at, &table, &fault),
		                 CAIRN_OK);
		enum cairn_status status = sframe_function(&table, 0, &f, &fault);
		ck_assert_msg(status == tops[_i].status, "%s", tops[_i].name);
		if (status == CAIRN_OK)
			ck_assert_uint_eq(f.start, tops[_i].start);
		else
			ck_assert_uint_eq(fault.offset, places.functions[0].record);
	}
}
END_TEST

/* What one row says.  Row 0 of a function at 0x5000. */
#define C FIXTURE_AARCH64
#define X FIXTURE_AMD64
#define Z FIXTURE_S390X

static const struct {
	const char *name;
	uint8_t version, abi, info, flexible;
	struct fixture_row row;
	const char *rule; /* NULL: refused */
	enum cairn_status status;
	size_t fault; /* from the row's first byte */
} rules[] = {
	{ "cfa from sp", 1, X, 0, 0, { 0, ONE, { 8 } }, "r7+8 [cfa-8] u -", CAIRN_OK, 0 },
	{ "cfa from fp",
	  2,
	  X,
	  0,
	  0,
	  { 0, FIXTURE_WORDS(1, 0), { 16 } },
	  "r6+16 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "amd64 with fp",
	  1,
	  X,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 16, -16 } },
	  "r7+16 [cfa-8] [cfa-16] -",
	  CAIRN_OK,
	  0 },
	{ "negative cfa",
	  3,
	  X,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 1), { -300, 300 } },
	  "r7-300 [cfa-8] [cfa+300] -",
	  CAIRN_OK,
	  0 },
	{ "4-byte words",
	  2,
	  X,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 2), { 0x12345678, -0x7fffffff } },
	  "r7+305419896 [cfa-8] [cfa-2147483647] -",
	  CAIRN_OK,
	  0 },
	{ "amd64, three words",
	  2,
	  X,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(3, 0), { 16, -16, 0 } },
	  NULL,
	  CAIRN_MALFORMED,
	  1 },
	{ "aarch64 leaf", 1, C, 0, 0, { 0, ONE, { 0 } }, "r31+0 u u -", CAIRN_OK, 0 },
	{ "aarch64 frame",
	  2,
	  C,
	  0,
	  0,
	  { 0, FIXTURE_FP | FIXTURE_WORDS(3, 0), { 32, -24, -32 } },
	  "r29+32 [cfa-24] [cfa-32] -",
	  CAIRN_OK,
	  0 },
	{ "aarch64, big-endian",
	  2,
	  FIXTURE_AARCH64_BIG,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(3, 1), { 0x1234, -24, -32 } },
	  "r31+4660 [cfa-24] [cfa-32] -",
	  CAIRN_OK,
	  0 },
	{ "aarch64 without fp",
	  3,
	  C,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 32, -24 } },
	  "r31+32 [cfa-24] u -",
	  CAIRN_OK,
	  0 },
	{ "aarch64, four words",
	  1,
	  C,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(4, 0), { 32, -24, -32, 0 } },
	  NULL,
	  CAIRN_MALFORMED,
	  1 },
	{ "signed",
	  2,
	  C,
	  0,
	  0,
	  { 0, FIXTURE_MANGLED | FIXTURE_SP | FIXTURE_WORDS(2, 0), { 32, -24 } },
	  "r31+32 [cfa-24] u M",
	  CAIRN_OK,
	  0 },
	{ "signed with key B",
	  1,
	  C,
	  FIXTURE_KEY_B,
	  0,
	  { 0, FIXTURE_MANGLED | ONE, { 0 } },
	  "r31+0 u u MB",
	  CAIRN_OK,
	  0 },
	{ "amd64 signs nothing",
	  1,
	  X,
	  FIXTURE_KEY_B,
	  0,
	  { 0, FIXTURE_MANGLED | ONE, { 8 } },
	  "r7+8 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "s390x signs nothing",
	  3,
	  Z,
	  FIXTURE_KEY_B,
	  0,
	  { 0, FIXTURE_MANGLED | ONE, { 0 } },
	  "r15+160 u u -",
	  CAIRN_OK,
	  0 },
	{ "no words", 1, X, 0, 0, { 0, 0, { 0 } }, "- - - O", CAIRN_OK, 0 },
	{ "no words", 2, C, 0, 0, { 0, FIXTURE_SP, { 0 } }, "- - - O", CAIRN_OK, 0 },
	{ "no words", 3, Z, 0, 0, { 0, 0, { 0 } }, "- - - O", CAIRN_OK, 0 },
	{ "no words, flexible", 3, X, 0, 1, { 0, 0, { 0 } }, "- - - O", CAIRN_OK, 0 },
	{ "signal frame",
	  3,
	  X,
	  FIXTURE_SIGNAL,
	  0,
	  { 0, ONE, { 8 } },
	  "r7+8 [cfa-8] u S",
	  CAIRN_OK,
	  0 },
	{ "no signal bit before version 3",
	  2,
	  X,
	  FIXTURE_SIGNAL,
	  0,
	  { 0, ONE, { 8 } },
	  "r7+8 [cfa-8] u -",
	  CAIRN_OK,
	  0 },

	{ "s390x scales the cfa", 2, Z, 0, 0, { 0, ONE, { 0 } }, "r15+160 u u -", CAIRN_OK, 0 },
	{ "s390x, negative",
	  3,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_FP | FIXTURE_WORDS(1, 0), { -20 } },
	  "r11+0 u u -",
	  CAIRN_OK,
	  0 },
	{ "s390x, large",
	  2,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(1, 2), { 0x7fffffff } },
	  "r15+17179869336 u u -",
	  CAIRN_OK,
	  0 },
	{ "s390x saves both",
	  2,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(3, 0), { 20, -48, -72 } },
	  "r15+320 [cfa-48] [cfa-72] -",
	  CAIRN_OK,
	  0 },
	{ "s390x, padding for ra",
	  3,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(3, 0), { 20, 0, -72 } },
	  "r15+320 u [cfa-72] -",
	  CAIRN_OK,
	  0 },
	{ "s390x, registers",
	  2,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(3, 0), { 0, 16 << 1 | 1, 63 } },
	  "r15+160 r16+0 r31+0 -",
	  CAIRN_OK,
	  0 },
	{ "s390x, ra in a register far off",
	  2,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 0, 65 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  3 },
	{ "s390x, fp in a register far off",
	  2,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(3, 1), { 0, -48, 65 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  6 },
	{ "s390x, negative register",
	  2,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 0, -1 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  3 },
	{ "s390x, odd offset in version 3",
	  3,
	  Z,
	  0,
	  0,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 0, 33 } },
	  "r15+160 [cfa+33] u -",
	  CAIRN_OK,
	  0 },

	{ "flexible: cfa",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0x51, 8 } },
	  "r10+8 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: cfa in memory",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0x33, -8 } },
	  "[r6-8] [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: register 0",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0x01, 8 } },
	  "r0+8 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: unsigned control",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0x83, -128 } },
	  "[r16-128] [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: lone padding",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(3, 0), { 0x51, 0, 0 } },
	  "r10+0 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: ra",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(4, 1), { 0x51, 0, 0x2, 0x100 } },
	  "r10+0 [cfa+256] u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: ra by value",
	  3,
	  C,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(4, 0), { 0xf9, 0, 0x89, 0 } },
	  "r31+0 r17+0 u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: padding, fp",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(5, 0), { 0x33, -8, 0, 0x32 | 1, 0 } },
	  "[r6-8] [cfa-8] [r6+0] -",
	  CAIRN_OK,
	  0 },
	{ "flexible: all",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(6, 0), { 0x51, 8, 0x2, -8, 0x2, -16 } },
	  "r10+8 [cfa-8] [cfa-16] -",
	  CAIRN_OK,
	  0 },
	{ "flexible: all, 4-byte words",
	  3,
	  Z,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(6, 2), { 0x79, 0, 0x81, 0, 0x2, -0x10000 } },
	  "r15+160 r16+0 [cfa-65536] -",
	  CAIRN_OK,
	  0 },
	{ "flexible: base bit ignored",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 0x51, 8 } },
	  "r10+8 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: one word",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(1, 0), { 0x51 } },
	  NULL,
	  CAIRN_MALFORMED,
	  1 },
	{ "flexible: half a pair for ra",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(3, 0), { 0x51, 8, 0x2 } },
	  NULL,
	  CAIRN_MALFORMED,
	  1 },
	{ "flexible: half a pair for fp",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(5, 0), { 0x51, 8, 0x2, -8, 0x2 } },
	  NULL,
	  CAIRN_MALFORMED,
	  1 },
	{ "flexible: padding, half a pair",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(4, 0), { 0x51, 8, 0, 0x2 } },
	  NULL,
	  CAIRN_MALFORMED,
	  1 },
	{ "flexible: seven words",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(7, 0), { 0x51, 8, 0x2, -8, 0x2, -16, 0 } },
	  NULL,
	  CAIRN_MALFORMED,
	  1 },
	{ "flexible: cfa from the cfa",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0x2, 8 } },
	  NULL,
	  CAIRN_MALFORMED,
	  2 },
	{ "flexible: cfa padding",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0, 8 } },
	  NULL,
	  CAIRN_MALFORMED,
	  2 },
	{ "flexible: bit 2 of cfa",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0x55, 8 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  2 },
	{ "flexible: bit 2 of ra",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(4, 0), { 0x51, 8, 0x6, 0 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  4 },
	{ "flexible: bit 2 of fp",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(5, 1), { 0x51, 8, 0, 0x6, 0 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  8 },
	{ "flexible: register 17 on amd64",
	  3,
	  X,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0x89, 8 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  2 },
	{ "flexible: register 31",
	  3,
	  C,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 0), { 0xf9, 8 } },
	  "r31+8 u u -",
	  CAIRN_OK,
	  0 },
	{ "flexible: register 32",
	  3,
	  C,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(2, 1), { 0x101, 8 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  2 },
	{ "flexible: ra in register 2^29 - 1",
	  3,
	  Z,
	  0,
	  1,
	  { 0, FIXTURE_WORDS(4, 2), { 0x79, 0, -7, 0 } },
	  NULL,
	  CAIRN_UNSUPPORTED,
	  10 },

	{ "plt.got put right",
	  2,
	  X,
	  FIXTURE_MASKED,
	  0,
	  { 0, ONE, { 16 } },
	  "r7+8 [cfa-8] u P",
	  CAIRN_OK,
	  0 },
	{ "plt.got already right",
	  3,
	  X,
	  FIXTURE_MASKED,
	  0,
	  { 0, ONE, { 8 } },
	  "r7+8 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "only masked rows are put right",
	  3,
	  X,
	  0,
	  0,
	  { 0, ONE, { 16 } },
	  "r7+16 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
	{ "only on amd64",
	  3,
	  C,
	  FIXTURE_MASKED,
	  0,
	  { 0, ONE, { 16 } },
	  "r31+16 u u -",
	  CAIRN_OK,
	  0 },
	{ "only from sp",
	  2,
	  X,
	  FIXTURE_MASKED,
	  0,
	  { 0, FIXTURE_WORDS(1, 0), { 16 } },
	  "r6+16 [cfa-8] u -",
	  CAIRN_OK,
	  0 },
};

START_TEST(decodes_a_row)
{
	struct fixture_function function = { 0x5000, 0x40, rules[_i].info, rules[_i].flexible,
		                             16,     1,    &rules[_i].row };
	struct fixture_table table = { rules[_i].version, rules[_i].abi, 1, 0, 0, 1, &function };
	struct fixture_out section = { .big = fixture_is_big(rules[_i].abi) };
	struct fixture_places places;
	struct cairn_fault fault;
	struct cairn_rule rule;

	fixture_append(&section, ADDRESS, &table, &places);
	enum cairn_status status =
		ask(unit_exact(fixture_out_bytes(&section)), 0x5000, &rule, &fault);
	ck_assert_msg(status == rules[_i].status, "%s: %s", rules[_i].name,
	              cairn_status_text(status));
	if (status == CAIRN_OK)
		ck_assert_msg(strcmp(fixture_rule_text(&rule), rules[_i].rule) == 0, "%s: %s",
		              rules[_i].name, fixture_rule_text(&rule));
	else
		ck_assert_msg(fault.status == status &&
		                      fault.offset == places.functions[0].row[0] + rules[_i].fault,
		              "%s: fault at %llu", rules[_i].name,
		              (unsigned long long)fault.offset);
}
END_TEST

/* Functions without rows in version 3. */
START_TEST(functions_without_rows)
{
	struct fixture_function function = { 0x5000, 0x40, _i ? FIXTURE_SIGNAL : 0, 0, 0, 0, NULL };
	struct fixture_table table = { 3, FIXTURE_AMD64, 5, 0, 0, 1, &function };
	struct fixture_out section = { .big = false };
	struct cairn_fault fault;
	struct cairn_rule rule;

	fixture_append(&section, ADDRESS, &table, NULL);
	ck_assert_int_eq(ask(unit_exact(fixture_out_bytes(&section)), 0x503f, &rule, &fault),
	                 CAIRN_OK);
	ck_assert_str_eq(fixture_rule_text(&rule), _i ? "- - - ST" : "- - - O");
	ck_assert(rule.start == 0x5000 && rule.end == 0x5040);
	ck_assert(rule.machine == CAIRN_MACHINE_AMD64);
}
END_TEST

/* A row may be fixed for the frame pointer too, though nobody writes that. */
START_TEST(fixed_frame_pointer)
{
	struct fixture_out *section = make_good(&kinds[_i], NULL);
	struct cairn_fault fault;
	struct cairn_rule rule;

	fixture_out_poke(section, 5, (uint64_t)-16, 1);
	ck_assert_int_eq(ask(unit_exact(fixture_out_bytes(section)), 0x5000, &rule, &fault),
	                 CAIRN_OK);
	ck_assert(rule.fp.kind == CAIRN_REGISTER_MEMORY && rule.fp.base == CAIRN_BASE_CFA &&
	          rule.fp.offset == -16);
}
END_TEST

/* Rows at and past the function's end are there, but never in force. */
START_TEST(ignores_rows_past_the_end)
{
	static const struct fixture_row rows[] = { { 0, ONE, { 8 } },
		                                   { 0x10, ONE, { 16 } },
		                                   { 0x11, ONE, { 24 } } };
	struct fixture_function function = { 0x5000, 0x10, 0, 0, 0, COUNT(rows), rows };
	struct fixture_table table = { kinds[_i].version, kinds[_i].abi, kinds[_i].flags, 0, 0, 1,
		                       &function };
	struct fixture_out section = { .big = fixture_is_big(kinds[_i].abi) };
	struct cairn_fault fault;
	struct cairn_rule rule;

	fixture_append(&section, ADDRESS, &table, NULL);
	ck_assert_int_eq(ask(unit_exact(fixture_out_bytes(&section)), 0x500f, &rule, &fault),
	                 CAIRN_OK);
	ck_assert(rule.start == 0x5000 && rule.end == 0x5010);
	ck_assert_int_eq(ask(unit_exact(fixture_out_bytes(&section)), 0x5010, &rule, &fault),
	                 CAIRN_NOT_FOUND);
}
END_TEST

/* Bisection with empty functions before, behind and around the real one. */
static const struct {
	const char *name;
	uint32_t sizes[4]; /* of functions at 0x5000, 0x5000, 0x5000, 0x5010 */
	uint64_t va;
	int index; /* -1: none */
} empties[] = {
	{ "none empty", { 8, 8, 8, 8 }, 0x5000, 2 },
	{ "empty behind", { 8, 8, 0, 8 }, 0x5007, 1 },
	{ "empty before", { 0, 0, 8, 8 }, 0x5000, 2 },
	{ "empty around", { 0, 8, 0, 8 }, 0x5000, 1 },
	{ "between", { 0, 8, 0, 8 }, 0x5008, -1 },
	{ "all empty", { 0, 0, 0, 0 }, 0x5000, -1 },
	{ "last empty", { 8, 0, 0, 0 }, 0x5010, -1 },
	{ "last empty, inside the one before", { 0x20, 0, 0, 0 }, 0x5010, 0 },
	{ "past the last", { 8, 8, 8, 8 }, 0x5018, -1 },
	{ "in the last", { 8, 8, 8, 8 }, 0x5017, 3 },
	{ "below the first", { 8, 8, 8, 8 }, 0x4fff, -1 },
	{ "never further back", { 0x40, 0, 0, 8 }, 0x5018, -1 },
};

START_TEST(steps_over_empty_functions)
{
	struct fixture_function functions[4];
	struct fixture_table made = { 0, 0, 0, 0, 0, 4, functions };

	for (uint32_t i = 0; i < 4; i++)
		functions[i] = (struct fixture_function){
			i < 3 ? 0x5000 : 0x5010, empties[_i].sizes[i], 0, 0, 0, 1, plain_rows
		};
	for (size_t k = 0; k < COUNT(kinds); k++) {
		struct fixture_out section = { .big = fixture_is_big(kinds[k].abi) };
		struct sframe_table table;
		struct cairn_fault fault;
		uint32_t index;
		size_t at = 0;

		made.version = kinds[k].version;
		made.abi = kinds[k].abi;
		made.flags = kinds[k].flags;
		fixture_append(&section, ADDRESS, &made, NULL);
		ck_assert_int_eq(sframe_next_table(fixture_out_bytes(&section), ADDRESS, &at,
		                                   &table, &fault),
		                 CAIRN_OK);
		bool found = sframe_find(&table, empties[_i].va, &index);
		ck_assert_msg(found == (empties[_i].index >= 0), "%s", empties[_i].name);
		if (found)
			ck_assert_msg((int)index == empties[_i].index, "%s: %u", empties[_i].name,
			              index);
	}
}
END_TEST

START_TEST(finds_nothing_in_an_empty_table)
{
	struct fixture_table made = { kinds[_i].version, kinds[_i].abi, kinds[_i].flags, 0, 0, 0,
		                      good_functions };
	struct fixture_out section = { .big = fixture_is_big(kinds[_i].abi) };
	struct sframe_table table;
	struct cairn_fault fault;
	uint32_t index;
	size_t at = 0;

	fixture_append(&section, ADDRESS, &made, NULL);
	struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&section));
	ck_assert_int_eq(sframe_next_table(bytes, ADDRESS, &at, &table, &fault), CAIRN_OK);
	ck_assert(!sframe_find(&table, 0, &index) && sframe_is_sorted(&table));
	ck_assert(!sframe_correct_base(&table, 0, UINT64_MAX));
	ck_assert_int_eq(sframe_next_table(bytes, ADDRESS, &at, &table, &fault), CAIRN_NOT_FOUND);
}
END_TEST

/* Which base a table's flags ask for, by version. */
static const struct {
	uint8_t version, flags;
	enum sframe_base base;
} bases[] = {
	{ 1, 0, SFRAME_BASE_FIELD },   { 1, 1, SFRAME_BASE_SECTION }, { 1, 3, SFRAME_BASE_SECTION },
	{ 2, 0, SFRAME_BASE_FIELD },   { 2, 1, SFRAME_BASE_SECTION }, { 2, 2, SFRAME_BASE_FIELD },
	{ 2, 4, SFRAME_BASE_FIELD },   { 2, 7, SFRAME_BASE_FIELD },   { 3, 0, SFRAME_BASE_SECTION },
	{ 3, 1, SFRAME_BASE_SECTION }, { 3, 4, SFRAME_BASE_FIELD },   { 3, 5, SFRAME_BASE_FIELD },
};

START_TEST(starts_count_from_the_right_base)
{
	struct kind kind = { bases[_i].version, FIXTURE_AMD64, bases[_i].flags };
	struct fixture_out *section = make_good(&kind, NULL);
	struct sframe_table table;
	struct cairn_fault fault;
	uint64_t start;
	uint32_t size;
	size_t at = 0;

	ck_assert_int_eq(
		sframe_next_table(fixture_out_bytes(section), ADDRESS, &at, &table, &fault),
		CAIRN_OK);
	ck_assert_int_eq(table.base, bases[_i].base);
	for (uint32_t i = 0; i < table.functions; i++) {
		sframe_extent(&table, i, &start, &size);
		ck_assert_uint_eq(start, good_functions[i].start);
	}
}
END_TEST

/* A table whose flags lie about the base, and one that is elsewhere altogether. */
START_TEST(settles_a_wrong_base)
{
	struct kind kind = { 2, FIXTURE_AMD64, 1 };
	struct fixture_out *section = make_good(&kind, NULL);
	struct sframe_table table;
	struct cairn_fault fault;
	uint64_t start;
	uint32_t size;
	size_t at = 0;

	fixture_out_poke(section, 3, 5, 1); /* now it claims to count from the field */
	ck_assert_int_eq(
		sframe_next_table(fixture_out_bytes(section), ADDRESS, &at, &table, &fault),
		CAIRN_OK);
	ck_assert(!sframe_correct_base(&table, 0x5000, 0xe000)); /* some lie there either way */
	ck_assert(!sframe_correct_base(&table, 0x5000, 0x5001)); /* not all lie there */
	table.functions = 1;
	ck_assert(!sframe_correct_base(&table, 0x7000, 0x8000)); /* none, either way */
	ck_assert(sframe_correct_base(&table, 0x5000, 0x5001));
	ck_assert_int_eq(table.base, SFRAME_BASE_SECTION);
	sframe_extent(&table, 0, &start, &size);
	ck_assert_uint_eq(start, 0x5000);
	ck_assert(!sframe_correct_base(&table, 0x5000, 0x5001)); /* already right */
}
END_TEST

START_TEST(given_starts_replace_the_stored)
{
	static const uint64_t starts[] = { 0x100000000, SFRAME_NO_START, 0x300000000 };
	struct fixture_out *section = make_good(&kinds[_i], NULL);
	struct sframe_table table;
	struct sframe_function f;
	struct cairn_fault fault;
	size_t at = 0;

	ck_assert_int_eq(
		sframe_next_table(fixture_out_bytes(section), ADDRESS, &at, &table, &fault),
		CAIRN_OK);
	table.base = SFRAME_BASE_GIVEN;
	table.starts = starts;
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(sframe_function(&table, i, &f, &fault), CAIRN_OK);
		ck_assert_uint_eq(f.start, starts[i]);
	}
	ck_assert(!sframe_correct_base(&table, 0x5000, 0xe000));
}
END_TEST

START_TEST(looks_whether_a_table_is_sorted)
{
	static const uint64_t orders[][3] = { { 1, 2, 3 }, { 1, 1, 1 }, { 1, 3, 2 }, { 2, 1, 3 } };

	for (size_t i = 0; i < COUNT(orders); i++) {
		struct fixture_function functions[3];
		struct fixture_table made = {
			kinds[_i].version, kinds[_i].abi, kinds[_i].flags, 0, 0, 3, functions
		};
		struct fixture_out section = { .big = fixture_is_big(kinds[_i].abi) };
		struct sframe_table table;
		struct cairn_fault fault;
		size_t at = 0;

		for (int f = 0; f < 3; f++)
			functions[f] = (struct fixture_function){ orders[i][f] << 12, 8, 0, 0, 0, 1,
				                                  plain_rows };
		fixture_append(&section, ADDRESS, &made, NULL);
		ck_assert_int_eq(sframe_next_table(fixture_out_bytes(&section), ADDRESS, &at,
		                                   &table, &fault),
		                 CAIRN_OK);
		ck_assert(sframe_is_sorted(&table) == (i < 2));
	}
}
END_TEST

/* Several tables of different versions, padding between them, and what may follow the last. */
static const struct {
	const char *name;
	struct cairn_bytes behind;
	enum cairn_status status; /* after the three tables */
	size_t fault;             /* from the end of the third, padded */
} tails[] = {
	{ "nothing", BYTES(""), CAIRN_NOT_FOUND, 0 },
	{ "zeros", BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	  CAIRN_NOT_FOUND, 0 },
	{ "magic alone", BYTES("\xe2\xde"), CAIRN_NOT_FOUND, 0 },
	{ "magic, a byte short of a header",
	  BYTES("\xe2\xde\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), CAIRN_NOT_FOUND, 0 },
	{ "version 9", BYTES("\xe2\xde\x9\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	  CAIRN_UNSUPPORTED, 2 },
	{ "rows cut", BYTES("\xde\xe2\3\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"),
	  CAIRN_TRUNCATED, 16 },
};

START_TEST(walks_over_tables)
{
	struct fixture_out section = { .big = false };
	struct fixture_places places[3];
	struct sframe_table table;
	struct cairn_fault fault;
	size_t at = 0;

	for (uint8_t i = 0; i < 3; i++) {
		struct fixture_table made = { (uint8_t)(i + 1), FIXTURE_AMD64, i ? 5 : 1, i, i,
			                      i + 1u,           good_functions };
		fixture_append(&section, ADDRESS, &made, &places[i]);
		fixture_out_pad(&section, 8);
	}
	size_t end = section.size;
	fixture_out_text(&section, (const char *)tails[_i].behind.data, tails[_i].behind.size);
	struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&section));
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(sframe_next_table(bytes, ADDRESS, &at, &table, &fault), CAIRN_OK);
		ck_assert(table.offset == places[i].table && table.version == i + 1);
		ck_assert(table.address == ADDRESS + table.offset && table.functions == i + 1);
		for (uint32_t f = 0; f <= i; f++) {
			uint64_t start;
			uint32_t size;
			sframe_extent(&table, f, &start, &size);
			ck_assert_uint_eq(start, good_functions[f].start);
		}
	}
	enum cairn_status status = sframe_next_table(bytes, ADDRESS, &at, &table, &fault);
	ck_assert_msg(status == tails[_i].status && fault.status == status, "%s", tails[_i].name);
	if (status != CAIRN_NOT_FOUND)
		ck_assert_uint_eq(fault.offset, end + tails[_i].fault);
	ck_assert_int_eq(sframe_next_table(bytes, ADDRESS, &at, &table, &fault), CAIRN_NOT_FOUND);
}
END_TEST

/* Faults in a second table count from the section, not from the table. */
START_TEST(faults_count_from_the_section)
{
	const struct kind *kind = &kinds[_i];
	struct fixture_out section = { .big = fixture_is_big(kind->abi) };
	struct fixture_table made = {
		kind->version, kind->abi, kind->flags, 0, 0, 3, good_functions
	};
	struct fixture_places places;
	struct sframe_table table;
	struct sframe_function f;
	struct cairn_fault fault;
	struct cairn_rule rule;
	size_t at = 0;

	fixture_append(&section, ADDRESS, &made, NULL);
	fixture_out_pad(&section, 8);
	fixture_append(&section, ADDRESS, &made, &places);
	ck_assert_int_eq(
		sframe_next_table(fixture_out_bytes(&section), ADDRESS, &at, &table, &fault),
		CAIRN_OK);
	ck_assert_int_eq(
		sframe_next_table(fixture_out_bytes(&section), ADDRESS, &at, &table, &fault),
		CAIRN_OK);
	fixture_out_poke(&section, places.functions[0].row[0] + 1, 0x61, 1);
	ck_assert_int_eq(sframe_function(&table, 0, &f, &fault), CAIRN_OK);
	ck_assert_uint_eq(f.record, places.functions[0].record);
	ck_assert_int_eq(sframe_find_rule(&table, &f, f.start, &rule, &fault), CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, places.functions[0].row[0] + 1);
	fixture_out_poke(&section, places.functions[0].row[0] + 1, FIXTURE_WORDS(4, 0), 1);
	ck_assert_int_eq(sframe_find_rule(&table, &f, f.start, &rule, &fault), CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, places.functions[0].row[0] + 1);
	fixture_out_poke(&section, places.functions[0].info, 0xf, 1);
	ck_assert_int_eq(sframe_function(&table, 0, &f, &fault), CAIRN_UNSUPPORTED);
	ck_assert_uint_eq(fault.offset, places.functions[0].info);
}
END_TEST

static void add_tables(Suite *suite)
{
	TCase *tables = tcase_create("tables");

	tcase_add_loop_test(tables, reads_the_header, 0, COUNT(kinds));
	tcase_add_loop_test(tables, notices_every_cut, 0, COUNT(kinds));
	tcase_add_loop_test(tables, checks_the_byte_order, 0, COUNT(kinds));
	tcase_add_loop_test(tables, finds_nothing_in_an_empty_table, 0, COUNT(kinds));
	tcase_add_loop_test(tables, starts_count_from_the_right_base, 0, COUNT(bases));
	tcase_add_test(tables, settles_a_wrong_base);
	tcase_add_loop_test(tables, given_starts_replace_the_stored, 0, COUNT(kinds));
	tcase_add_loop_test(tables, looks_whether_a_table_is_sorted, 0, COUNT(kinds));
	tcase_add_loop_test(tables, walks_over_tables, 0, COUNT(tails));
	tcase_add_loop_test(tables, faults_count_from_the_section, 0, COUNT(kinds));
	suite_add_tcase(suite, tables);
}

static void add_rows(Suite *suite)
{
	TCase *rows = tcase_create("rows");

	tcase_add_loop_test(rows, checks_each_field, 0, COUNT(refusals));
	tcase_add_loop_test(rows, notices_rows_past_the_table, 0, 3);
	tcase_add_loop_test(rows, notices_a_row_short_of_bytes, 0, 3);
	tcase_add_loop_test(rows, rows_begin_before_the_end, 0, COUNT(kinds));
	tcase_add_loop_test(rows, ends_with_the_address_space, 0, COUNT(tops));
	tcase_add_loop_test(rows, decodes_a_row, 0, COUNT(rules));
	tcase_add_loop_test(rows, functions_without_rows, 0, 2);
	tcase_add_loop_test(rows, fixed_frame_pointer, 0, COUNT(kinds));
	tcase_add_loop_test(rows, ignores_rows_past_the_end, 0, COUNT(kinds));
	suite_add_tcase(suite, rows);
}

int main(void)
{
	Suite *suite = suite_create("sframe");
	TCase *lookup = tcase_create("lookup");

	add_tables(suite);
	add_rows(suite);
	tcase_add_loop_test(lookup, finds_in_a_good_table, 0, COUNT(kinds));
	tcase_add_loop_test(lookup, steps_over_empty_functions, 0, COUNT(empties));
	suite_add_tcase(suite, lookup);
	return unit_run(suite);
}
