/* SPDX-License-Identifier: MIT */
/*
 * Lookups through all ways to the answer, against a scan of the whole section; and what happens
 * when memory is short.  Linked with malloc and its relatives wrapped.
 */
#include "unwind/tables/sframe_rules.h"

#include "fixture.h"
#include "scan.h"
#include "unit.h"


/* 1. Memory that can be made short, and is counted */

enum {
	ADDRESS = 0x9000, /* of all sections */
	LIVE_MAX = 256,
};

static struct {
	bool armed;
	size_t calls, fail_at; /* calls so far, and the one that fails, from 1; 0: none */
	size_t now, peak;      /* bytes */
	struct live {
		void *block;
		size_t size;
	} live[LIVE_MAX];
} memory;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static bool refused(void)
{
	return memory.armed && ++memory.calls == memory.fail_at;
}

static void *enter(void *block, size_t size)
{
	struct live *at = memory.live;

	if (!memory.armed || !block)
		return block;
	while (at->block)
		if (++at == memory.live + LIVE_MAX)
			abort();
	*at = (struct live){ block, size };
	memory.now += size;
	memory.peak = memory.now > memory.peak ? memory.now : memory.peak;
	return block;
}

static void leave(const void *block)
{
	for (struct live *at = memory.live; block && at < memory.live + LIVE_MAX; at++)
		if (at->block == block) {
			memory.now -= at->size;
			at->block = NULL;
			return;
		}
}

void *__wrap_malloc(size_t size)
{
	return refused() ? NULL : enter(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return refused() ? NULL : enter(__real_calloc(count, size), count * size);
}

/* Old and new block are counted together for a moment, as they may both exist. */
void *__wrap_realloc(void *block, size_t size)
{
	void *grown = refused() ? NULL : enter(__real_realloc(block, size), size);

	if (grown)
		leave(block);
	return grown;
}

void __wrap_free(void *block)
{
	leave(block);
	__real_free(block);
}

/* From now on the nth call fails; only what the three functions below do is counted. */
static void arm(size_t fail_at)
{
	memory.calls = 0;
	memory.fail_at = fail_at;
	memory.now = memory.peak = 0;
}

static struct cairn_rules *counted_new(struct cairn_bytes bytes)
{
	memory.armed = true;
	struct cairn_rules *rules = cairn_rules_new(bytes, ADDRESS);
	memory.armed = false;
	return rules;
}

static void counted_index(struct cairn_rules *rules)
{
	memory.armed = true;
	cairn_rules_build_index(rules);
	memory.armed = false;
}

static enum cairn_status counted_find(struct cairn_rules *rules, uint64_t va,
                                      const struct cairn_rule **rule, struct cairn_fault *fault)
{
	memory.armed = true;
	enum cairn_status status = cairn_rules_find(rules, va, rule, fault);
	memory.armed = false;
	return status;
}

/* 2. Sections from a seed */

enum {
	TABLES_MAX = 4,
	FUNCTIONS_MAX = 24,
	ROWS_MAX = 6,
};

static uint32_t random_state;

/* Numbers below `limit`, the same for the same seed everywhere. */
static uint32_t below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(random_state >> 4) * limit >> 28);
}

static bool one_in(uint32_t n)
{
	return below(n) == 0;
}

static void random_rows(struct fixture_function *f, struct fixture_row *rows)
{
	uint32_t start = one_in(4) ? below(4) : 0;

	f->count = one_in(8) ? 0 : 1 + below(ROWS_MAX);
	f->rows = rows;
	for (uint32_t i = 0; i < f->count; i++) {
		uint8_t words = one_in(6) ? 0 : f->flexible ? 2 : (uint8_t)(1 + below(2));
		rows[i] = (struct fixture_row){ start, FIXTURE_WORDS(words, below(3)), { 0 } };
		rows[i].info |= (uint8_t)below(2);
		if (one_in(16))
			rows[i].info |= 0x60; /* an undefined size of words */
		rows[i].words[0] = f->flexible ? 0x51 : 8 * below(4);
		rows[i].words[1] = 8 * below(4);
		start += one_in(3) ? 0 : below(1 + f->size / 2);
		start &= 0xff;
	}
}

static struct fixture_function random_function(uint8_t version, uint64_t low, uint32_t span,
                                               struct fixture_row *rows)
{
	struct fixture_function f = { .start = low + below(span), .size = below(2 + span / 4) };

	if (one_in(4))
		f.size = 0;
	f.info = (uint8_t)below(3);
	if (one_in(5)) {
		f.info |= FIXTURE_MASKED;
		f.repeat = (uint8_t)(1 + below(16));
	}
	if (version == 3 && one_in(4))
		f.info |= FIXTURE_SIGNAL;
	f.flexible = version == 3 && one_in(3);
	random_rows(&f, rows);
	return f;
}

static int ascending(const void *left, const void *right)
{
	const struct fixture_function *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

/* Sorted tables, unsorted ones, and such that lie about it. */
static void append_random_table(struct fixture_out *section, uint64_t low, uint32_t span)
{
	static struct fixture_row rows[FUNCTIONS_MAX][ROWS_MAX];
	static struct fixture_function functions[FUNCTIONS_MAX];
	uint8_t version = (uint8_t)(1 + below(3));
	uint8_t abi = (uint8_t)(1 + below(version == 1 ? 3 : 4));
	struct fixture_table table = { version, abi, 0, 0, (uint8_t)below(4), 0, functions };

	table.count = below(FUNCTIONS_MAX);
	for (uint32_t i = 0; i < table.count; i++)
		functions[i] = random_function(version, low, span, rows[i]);
	if (!one_in(4))
		qsort(functions, table.count, sizeof(*functions), ascending);
	table.flags = (uint8_t)(one_in(4) ? 0 : SFRAME_FLAG_SORTED);
	if (version == 3 || (version == 2 && one_in(2)))
		table.flags |= SFRAME_FLAG_FIELD_RELATIVE;
	section->big = fixture_is_big(abi);
	fixture_append(section, ADDRESS, &table, NULL);
	fixture_out_pad(section, 8);
}

struct range {
	uint64_t low;
	uint32_t span;
};

static struct range random_section(uint32_t seed, struct fixture_out *section)
{
	static const uint32_t spans[] = { 8, 60, 400, 3000 };
	struct range range;

	random_state = seed * 2654435761u + 1;
	range.span = spans[below(COUNT(spans))];
	range.low = one_in(8) ? 0 : one_in(8) ? (uint64_t)0 - range.span : 0x8f00;
	uint32_t tables = one_in(2) ? 1 : 1 + below(TABLES_MAX);
	section->size = 0;
	for (uint32_t i = 0; i < tables; i++)
		append_random_table(section, range.low, range.span);
	for (uint32_t i = one_in(3) ? 1 + below(3) : 0; i > 0; i--)
		section->data[below((uint32_t)section->size)] = (uint8_t)below(256);
	return range;
}

/* 3. All ways agree */

static void agree(struct cairn_rules *rules, uint64_t va, const char *way)
{
	struct cairn_fault fault, expected_fault;
	struct cairn_rule expected;
	const struct cairn_rule *rule;
	enum cairn_status scanned =
		scan_find(rules->section, ADDRESS, va, &expected, &expected_fault);
	enum cairn_status status = cairn_rules_find(rules, va, &rule, &fault);

	ck_assert_msg(status == scanned, "%s, %llx: %s, not %s", way, (unsigned long long)va,
	              cairn_status_name(status), cairn_status_name(scanned));
	if (status == CAIRN_OK)
		ck_assert_msg(scan_same_rule(rule, &expected),
		              "%s, %llx: %s in %llx..%llx, not %llx..%llx", way,
		              (unsigned long long)va, fixture_rule_text(rule),
		              (unsigned long long)rule->start, (unsigned long long)rule->end,
		              (unsigned long long)expected.start, (unsigned long long)expected.end);
	else if (status != CAIRN_NOT_FOUND)
		ck_assert_msg(fault.offset == expected_fault.offset && fault.status == status,
		              "%s, %llx: fault at %llu, not %llu", way, (unsigned long long)va,
		              (unsigned long long)fault.offset,
		              (unsigned long long)expected_fault.offset);
}

static void agree_everywhere(struct cairn_rules *rules, struct range range, const char *way)
{
	uint32_t step = range.span > 1000 ? 11 : 1;

	for (uint32_t i = 0; i < 2 * range.span + 8; i += step)
		agree(rules, range.low - 4 + i, way);
	for (uint32_t i = 0; i < 100; i++) /* with what is in the cache by now */
		agree(rules, range.low - 4 + below(2 * range.span), way);
	agree(rules, 0, way);
	agree(rules, UINT64_MAX, way);
}

START_TEST(all_ways_agree)
{
	static struct fixture_out section;
	struct range range = random_section((uint32_t)_i, &section);
	struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&section));
	struct cairn_rules *plain = cairn_rules_new(bytes, ADDRESS);
	struct cairn_rules *listed = cairn_rules_new(bytes, ADDRESS);
	struct cairn_rules *indexed = cairn_rules_new(bytes, ADDRESS);

	ck_assert(plain && listed && indexed);
	agree_everywhere(plain, range, "in place");
	ck_assert_int_eq(rules_list_functions(listed), CAIRN_OK);
	agree_everywhere(listed, range, "list");
	cairn_rules_build_index(indexed);
	agree_everywhere(indexed, range, "index");
	cairn_rules_build_index(plain); /* what is cached stays true */
	agree_everywhere(plain, range, "in place, then index");
	cairn_rules_free(plain);
	cairn_rules_free(listed);
	cairn_rules_free(indexed);
}
END_TEST

/* 4. What is made, and when */

static const struct fixture_row simple_rows[] = { { 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } },
	                                          { 4, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 16 } } };

/* Functions of 16 bytes one behind the other. */
static void make_functions(struct fixture_out *section, uint32_t count, uint8_t flags)
{
	static struct fixture_function functions[1024];
	struct fixture_table table = { 3, FIXTURE_AMD64, flags, 0, 0, count, functions };

	ck_assert_uint_le(count, COUNT(functions));
	for (uint32_t i = 0; i < count; i++)
		functions[i] =
			(struct fixture_function){ 0x10000 + 16 * i, 16, 0, 0, 0, 2, simple_rows };
	section->big = false;
	fixture_append(section, ADDRESS, &table, NULL);
}

static enum cairn_status ask(struct cairn_rules *rules, uint64_t va, int64_t *cfa)
{
	const struct cairn_rule *rule;
	struct cairn_fault fault;
	enum cairn_status status = counted_find(rules, va, &rule, &fault);

	if (status == CAIRN_OK)
		*cfa = rule->cfa.offset;
	return status;
}

START_TEST(sorted_table_needs_no_memory)
{
	static struct fixture_out section;
	int64_t cfa;

	make_functions(&section, 100, 5);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	arm(0);
	ck_assert_int_eq(ask(rules, 0x10000 + 16 * 99 + 15, &cfa), CAIRN_OK);
	ck_assert_int_eq(cfa, 16);
	ck_assert_int_eq(ask(rules, 0x10000 + 16 * 100, &cfa), CAIRN_NOT_FOUND);
	ck_assert_uint_eq(memory.calls, 0);
	ck_assert(!rules->functions && !rules->flat);
	cairn_rules_free(rules);
}
END_TEST

START_TEST(index_comes_when_it_pays)
{
	static struct fixture_out section;
	int64_t cfa;

	make_functions(&section, 1000, 5);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	for (unsigned i = 0; i < RULES_INDEX_AFTER - 1; i++)
		ck_assert_int_eq(ask(rules, 0x4000 + i, &cfa), CAIRN_NOT_FOUND);
	ck_assert(!rules->flat);
	ck_assert_int_eq(ask(rules, 0x10000, &cfa), CAIRN_OK);
	ck_assert(rules->flat);
	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_int_eq(ask(rules, 0x10003 + 16 * i, &cfa), CAIRN_OK);
		ck_assert_int_eq(cfa, 8);
	}
	cairn_rules_free(rules);
}
END_TEST

/* The cache has 1024 entries: a pc that falls on a used one pushes it out and nothing else. */
START_TEST(cache_answers_only_inside_the_rule)
{
	static struct fixture_out section;
	const struct cairn_rule *first, *second;

	make_functions(&section, 1000, 5);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	ck_assert_int_eq(cairn_rules_find(rules, 0x10005, &first, NULL), CAIRN_OK);
	ck_assert_int_eq(cairn_rules_find(rules, 0x10005, &second, NULL), CAIRN_OK);
	ck_assert_ptr_eq(first, second);
	ck_assert_uint_eq(rules->uncached, 1);
	for (uint64_t va = 0x10000; va < 0x10000 + 16000; va++) {
		ck_assert_int_eq(cairn_rules_find(rules, va, &first, NULL), CAIRN_OK);
		ck_assert(first->start <= va && va < first->end);
		ck_assert_int_eq(first->cfa.offset, va % 16 < 4 ? 8 : 16);
	}
	cairn_rules_free(rules);
}
END_TEST

/* One function reaches far over the next; both are asked for with pcs that share a cache entry. */
START_TEST(cache_respects_overlaps)
{
	struct fixture_function functions[] = {
		{ 0x10000, 0x4000, 0, 0, 0, 1, &simple_rows[0] },
		{ 0x11000, 0x10, 0, 0, 0, 2, simple_rows },
	};
	struct fixture_table table = { 3, FIXTURE_AMD64, 5, 0, 0, COUNT(functions), functions };
	static struct fixture_out section;
	const struct cairn_rule *rule;

	fixture_append(&section, ADDRESS, &table, NULL);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	for (uint64_t va = 0x10000; va < 0x11000; va++) {
		ck_assert_int_eq(cairn_rules_find(rules, va, &rule, NULL), CAIRN_OK);
		ck_assert_uint_eq(rule->function, 0x10000);
		ck_assert_uint_eq(rule->end, 0x11000);
	}
	for (uint64_t va = 0x11000; va < 0x11010; va++) {
		ck_assert_int_eq(cairn_rules_find(rules, va, &rule, NULL), CAIRN_OK);
		ck_assert_uint_eq(rule->function, 0x11000);
	}
	ck_assert_int_eq(cairn_rules_find(rules, 0x11010, &rule, NULL), CAIRN_NOT_FOUND);
	cairn_rules_free(rules);
}
END_TEST

/* Functions from one end of the address space to the other, the last of them past it. */
START_TEST(index_of_a_span_that_wraps)
{
	struct fixture_function functions[] = {
		{ 0x8000, 0x40, 0, 0, 0, 2, simple_rows },
		{ 0x8040, 0x40, 0, 0, 0, 2, simple_rows },
		{ 0x20000, 0x20000, 0, 0, 0, 2, simple_rows },
		{ 0x90000000001002f, 0xff000000, 0, 0, 0, 2, simple_rows },
		{ 0xfffffffffe0080b0, 0x10000010, 0, 0, 0, 2, simple_rows },
	};
	struct fixture_table table = { 3, FIXTURE_AMD64, 5, 0, 0, COUNT(functions), functions };
	static struct fixture_out section;

	fixture_append(&section, ADDRESS, &table, NULL);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	cairn_rules_build_index(rules);
	for (uint64_t va = 0; va < 0x10000000; va += 0x7fff)
		agree(rules, va, "index");
	for (uint64_t va = 0xfffffffffe000000; va > 0x10000000; va += 0x7fff)
		agree(rules, va, "index");
	cairn_rules_free(rules);
}
END_TEST

START_TEST(empty_section_finds_nothing)
{
	struct cairn_bytes none = BYTES("");
	struct cairn_rules *rules = cairn_rules_new(none, ADDRESS);
	struct cairn_fault fault;
	const struct cairn_rule *rule;

	ck_assert_int_eq(cairn_rules_find(rules, 0, &rule, &fault), CAIRN_NOT_FOUND);
	ck_assert_int_eq(fault.status, CAIRN_NOT_FOUND);
	cairn_rules_build_index(rules);
	ck_assert_int_eq(cairn_rules_find(rules, 1, &rule, NULL), CAIRN_NOT_FOUND);
	cairn_rules_free(rules);
	cairn_rules_free(NULL);
}
END_TEST

/* A damaged function costs that function; of several faults the function's comes first. */
START_TEST(faults_stay_where_they_are)
{
	static struct fixture_out section;
	struct fixture_table table = { 2,
		                       FIXTURE_AMD64,
		                       5,
		                       0,
		                       0,
		                       2,
		                       (struct fixture_function[]){
					       { 0x10000, 16, 3, 0, 0, 0, NULL },
					       { 0x10010, 16, 0, 0, 0, 2, simple_rows } } };
	struct fixture_places places;
	struct cairn_fault fault;
	const struct cairn_rule *rule;

	fixture_append(&section, ADDRESS, &table, &places);
	fixture_out_pad(&section, 8);
	size_t second = section.size;
	fixture_out_text(&section, "\xe2\xde\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
	                 28);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	for (int way = 0; way < 2; way++) {
		ck_assert_int_eq(cairn_rules_find(rules, 0x10000, &rule, &fault),
		                 CAIRN_UNSUPPORTED);
		ck_assert_uint_eq(fault.offset, places.functions[0].info);
		ck_assert_int_eq(cairn_rules_find(rules, 0x10010, &rule, &fault), CAIRN_OK);
		ck_assert_int_eq(cairn_rules_find(rules, 0x10020, &rule, &fault),
		                 CAIRN_UNSUPPORTED);
		ck_assert_uint_eq(fault.offset, second + 2);
		cairn_rules_build_index(rules);
	}
	cairn_rules_free(rules);
}
END_TEST

START_TEST(settles_the_base_of_its_tables)
{
	static struct fixture_out section;
	int64_t cfa;

	make_functions(&section, 10, 5);
	section.data[3] = SFRAME_FLAG_SORTED; /* now they seem to count from the section */
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	rules_correct_base(rules, 0x20000, 0x30000); /* none lies there either way */
	rules_correct_base(rules, 0x10000, 0x10010); /* not all would */
	ck_assert(!rules->rebased);
	ck_assert_int_eq(ask(rules, 0x10090, &cfa), CAIRN_NOT_FOUND);
	cairn_rules_free(rules);
	rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	rules_correct_base(rules, 0x10000, 0x100a0);
	ck_assert(rules->rebased);
	ck_assert_int_eq(ask(rules, 0x10090, &cfa), CAIRN_OK);
	cairn_rules_free(rules);
}
END_TEST

START_TEST(finds_the_function_of_a_rule)
{
	static struct fixture_out section;
	const struct sframe_table *table;
	struct sframe_function f;

	make_functions(&section, 20, _i ? 4 : 5);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	if (_i)
		ck_assert_int_eq(rules_list_functions(rules), CAIRN_OK);
	for (uint32_t i = 0; i < 20; i++) {
		ck_assert(rules_function(rules, 0x10000 + 16 * i, &table, &f));
		ck_assert(f.start == 0x10000 + 16 * i && f.size == 16 && f.rows == 2);
		ck_assert(!rules_function(rules, 0x10001 + 16 * i, &table, &f));
	}
	ck_assert(!rules_function(rules, 0x10000 + 16 * 20, &table, &f));
	ck_assert(!rules_function(rules, 0, &table, &f));
	cairn_rules_free(rules);
}
END_TEST

/* 5. Memory: short, and bounded */

/* Sections that take each way of allocating. */
static void make_for_memory(int which, struct fixture_out *section)
{
	static struct fixture_row rows[200];
	struct fixture_function wide = { 0x10000, 0x10000, FIXTURE_ADDR2, 0, 0, COUNT(rows), rows };
	struct fixture_table shapes = { 3, FIXTURE_AMD64, 5, 0, 0, 1, &wide };

	section->size = 0;
	switch (which) {
	case 0: /* in place */
		make_functions(section, 20, 5);
		break;
	case 1: /* a list */
		make_functions(section, 20, 4);
		break;
	case 2: /* several tables */
		for (int i = 0; i < 5; i++) {
			make_functions(section, 3 + (uint32_t)i, 5);
			fixture_out_pad(section, 8);
		}
		break;
	default: /* many distinct rules */
		for (uint32_t i = 0; i < COUNT(rows); i++)
			rows[i] = (struct fixture_row){ 4 * i, FIXTURE_WORDS(1, 1), { 8 * i } };
		section->big = false;
		fixture_append(section, ADDRESS, &shapes, NULL);
		break;
	}
}

/* Ask with memory as it is: the truth, or that there is none. */
static void ask_under_pressure(struct cairn_rules *rules, bool *short_of_memory)
{
	for (uint64_t va = 0xfff0; va < 0x10200; va += 7) {
		struct cairn_rule expected;
		const struct cairn_rule *rule;
		struct cairn_fault fault;
		enum cairn_status scanned =
			scan_find(rules->section, ADDRESS, va, &expected, &fault);
		enum cairn_status status = counted_find(rules, va, &rule, &fault);

		if (status == CAIRN_NO_MEMORY) {
			ck_assert_int_eq(fault.status, CAIRN_NO_MEMORY);
			*short_of_memory = true;
			status = counted_find(rules, va, &rule, &fault); /* there is again */
		}
		ck_assert_int_eq(status, scanned);
		if (status == CAIRN_OK)
			ck_assert(scan_same_rule(rule, &expected));
	}
}

START_TEST(survives_a_failed_allocation)
{
	static struct fixture_out section;
	bool refused_new = false, refused_find = false, done = false;

	make_for_memory(_i, &section);
	for (size_t n = 1; !done; n++) {
		arm(n);
		struct cairn_rules *rules = counted_new(fixture_out_bytes(&section));
		refused_new |= !rules;
		if (rules) {
			ask_under_pressure(rules, &refused_find);
			counted_index(rules);
			ask_under_pressure(rules, &refused_find);
			cairn_rules_free(rules);
		}
		ck_assert_msg(memory.now == 0, "%zu bytes lost", memory.now);
		ck_assert_uint_lt(n, 100);
		done = memory.calls < n;
	}
	ck_assert(refused_new);
	ck_assert(refused_find == (_i == 1 || _i == 2));
}
END_TEST

/*
 * What the index may take for each byte of the section: 24 for a function of 16, 12 and 4 for a
 * row of 2, and twice the rows while they grow; beyond that the cache and the shapes.
 */
enum {
	BYTES_PER_BYTE = 24,
	BYTES_AT_ALL = sizeof(struct cairn_rules) + 4096 +
	               2 * RULE_POOL_MAX * (sizeof(struct cairn_rule) + 4 * sizeof(uint32_t)),
};

static size_t peak_of_index(struct cairn_bytes bytes, bool *flat)
{
	const struct cairn_rule *rule;

	arm(0);
	struct cairn_rules *rules = counted_new(bytes);
	ck_assert_ptr_nonnull(rules);
	counted_index(rules);
	(void)!counted_find(rules, 0x10000, &rule, NULL);
	*flat = rules->flat != NULL;
	cairn_rules_free(rules);
	return memory.peak;
}

START_TEST(memory_is_bounded_by_the_section)
{
	static struct fixture_out section;
	bool flat;

	random_section((uint32_t)_i, &section);
	ck_assert_uint_le(peak_of_index(fixture_out_bytes(&section), &flat),
	                  BYTES_PER_BYTE * section.size + BYTES_AT_ALL);
	make_for_memory(_i % 4, &section);
	ck_assert_uint_le(peak_of_index(fixture_out_bytes(&section), &flat),
	                  BYTES_PER_BYTE * section.size + sizeof(struct cairn_rules) + 65536);
	ck_assert(flat);
}
END_TEST

/*
 * A thousand functions that all claim the same 20,000 rows: 20 million rows in 60 kilobytes.  With
 * equal starts they would not even grow an index, only take for ever.
 */
START_TEST(shared_rows_make_no_index)
{
	static struct fixture_out section;
	static struct fixture_row rows[20000];
	static struct fixture_function functions[1000];
	struct fixture_table table = { 1, FIXTURE_AMD64, 1, 0, 0, COUNT(functions), functions };
	struct fixture_places places;
	bool flat;

	for (uint32_t i = 0; i < COUNT(rows); i++)
		rows[i] = (struct fixture_row){ _i ? i / 100 : 0, 0, { 0 } };
	for (uint32_t i = 0; i < COUNT(functions); i++)
		functions[i] =
			(struct fixture_function){ 0x10000 + 256 * i, 256, 0, 0, 0, 0, NULL };
	functions[0].rows = rows;
	functions[0].count = COUNT(rows);
	section.size = 0;
	fixture_append(&section, ADDRESS, &table, &places);
	for (uint32_t i = 1; i < COUNT(functions); i++) {
		size_t record = places.functions[0].record + 17 * i;
		fixture_out_poke(&section, record + 8, 0, 4);
		fixture_out_poke(&section, record + 12, COUNT(rows), 4);
	}
	ck_assert_uint_le(peak_of_index(unit_exact(fixture_out_bytes(&section)), &flat),
	                  BYTES_PER_BYTE * section.size + BYTES_AT_ALL);
	ck_assert(!flat);
	struct cairn_rules *rules = cairn_rules_new(fixture_out_bytes(&section), ADDRESS);
	cairn_rules_build_index(rules);
	agree(rules, 0x10000 + 256 * 500 + 77, "without an index");
	cairn_rules_free(rules);
}
END_TEST

static void add_memory(Suite *suite)
{
	TCase *tests = tcase_create("memory");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, survives_a_failed_allocation, 0, 4);
	tcase_add_loop_test(tests, memory_is_bounded_by_the_section, 0, 40);
	tcase_add_loop_test(tests, shared_rows_make_no_index, 0, 2);
	suite_add_tcase(suite, tests);
}

int main(void)
{
	Suite *suite = suite_create("rules");
	TCase *lookup = tcase_create("lookup");

	tcase_set_timeout(lookup, 60);
	tcase_add_loop_test(lookup, all_ways_agree, 0, 200);
	tcase_add_test(lookup, sorted_table_needs_no_memory);
	tcase_add_test(lookup, index_comes_when_it_pays);
	tcase_add_test(lookup, cache_answers_only_inside_the_rule);
	tcase_add_test(lookup, cache_respects_overlaps);
	tcase_add_test(lookup, index_of_a_span_that_wraps);
	tcase_add_test(lookup, empty_section_finds_nothing);
	tcase_add_test(lookup, faults_stay_where_they_are);
	tcase_add_test(lookup, settles_the_base_of_its_tables);
	tcase_add_loop_test(lookup, finds_the_function_of_a_rule, 0, 2);
	suite_add_tcase(suite, lookup);
	add_memory(suite);
	return unit_run(suite);
}
