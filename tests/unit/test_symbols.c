/* SPDX-License-Identifier: MIT */
/*
 * Symbols as a host uses them: which file may serve, and that the cache gives what the file holds,
 * whatever it had to drop and however short memory is.  Linked with malloc and its relatives
 * wrapped.
 */
#include "unit.h"

#include "fixture_elf.h"
#include "fixture_gsym.h"

#include "base/polling.h"
#include "symbols/symbols.h"
#include "writers/gsym/writer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 60, STEP = 0x40, BASE = 0x1000, TEXT_MAX = 512 };

/* The allocation that fails next, counted down; below 0 none does. */
static long until_short = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

static long held; /* blocks that are allocated; what Check itself does changes it, too */

static void *note_block(void *block)
{
	held += block != NULL;
	return block;
}

static bool runs_short(void)
{
	return until_short >= 0 && until_short-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return runs_short() ? NULL : note_block(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return runs_short() ? NULL : note_block(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	if (runs_short())
		return NULL;
	return block ? __real_realloc(block, size) : note_block(__real_realloc(NULL, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return runs_short() ? NULL : note_block(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *block)
{
	held -= block != NULL;
	__real_free(block);
}

static const char *const files[][2] = { { "src", "a.c" }, { "src", "b.h" } };

#define LINES "\x7e\3\12\6\x1f\1\2\x1c\1\1\x39\x50\0"

static const struct fixture_node nodes[] = {
	{ 0, "run", 0, 0, 1, { { 0, 0x20 } } },
	{ 1, "clamp", 1, 11, 2, { { 8, 8 }, { 0x18, 4 } } },
	{ 2, "limit", 2, 7, 1, { { 2, 2 } } },
	{ 2, "outside", 2, 8, 1, { { 16, 30 } } },
	{ 1, "hidden", 1, 12, 1, { { 10, 12 } } },
};

static const struct fixture_function_info twins[] = {
	{ BASE, 0x20, "twin", BYTES("\2\2\x15\2\0\0"), .nodes = NULL },
};

/* Functions of all kinds, over and over. */
static void describe(struct fixture_function_info all[FUNCTIONS])
{
	const struct fixture_function_info kinds[] = {
		{ 0, 0x20, "run", BYTES(LINES), nodes, 5, twins, 1, .calls = NULL },
		{ 0, 8, "stub", { NULL, 0 }, .nodes = NULL },
		{ 0, 0x60, "outer", BYTES("\0\1\4\2\4\2\4\1\3\3\1\2\4\1\0\2\4\0"), .nodes = NULL },
		{ 0, 0, "label", BYTES("\0\0\3\4\0"), .nodes = NULL },
		{ 0, 4, "damaged", BYTES("\0\0\1\2\x80"), .nodes = NULL },
		{ 0, 0x30, "backward",
		  BYTES("\0\1\3\4\2\x10\2\xf8\xff\xff\xff\xff\xff\xff\xff\xff\1\4\0"),
		  .nodes = NULL },
	};

	for (size_t i = 0; i < FUNCTIONS; i++) {
		all[i] = kinds[i % COUNT(kinds)];
		all[i].start = BASE + STEP * i;
	}
	all[10].start = all[11].start; /* two at one address */
}

static struct cairn_bytes make_file(const struct fixture_function_info *all, bool with_id)
{
	static struct fixture_out out;
	const struct fixture_gsym made = { .version = 1,
		                           .width = 4,
		                           .base = BASE,
		                           .uuid = { (const uint8_t *)"identity", with_id ? 8 : 0 },
		                           .functions = all,
		                           .count = FUNCTIONS,
		                           .files = (const char *const(*)[2])files,
		                           .file_count = COUNT(files) };

	fixture_gsym(&out, &made, NULL);
	return unit_exact(fixture_out_bytes(&out));
}

static struct cairn_symbols *open_all(void)
{
	struct fixture_function_info all[FUNCTIONS];
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault;

	describe(all);
	ck_assert_int_eq(cairn_symbols_open_bytes(make_file(all, true), NULL, &symbols, &fault),
	                 CAIRN_OK);
	return symbols;
}

static void add_location(char *text, const struct cairn_location *l)
{
	size_t at = strlen(text);
	char path[64];

	cairn_location_path(l, path, sizeof(path));
	snprintf(text + at, TEXT_MAX - at, "%.*s+%llu/%u %s:%u%s|", (int)l->function.size,
	         (const char *)l->function.data, (unsigned long long)l->offset, l->size, path,
	         l->line, l->inlined ? " in" : "");
}

/* All of an answer: locations, folded functions, and the flaw. */
static void gather(struct cairn_lookup_result *answer, char text[TEXT_MAX])
{
	struct cairn_location l;

	text[0] = '\0';
	do {
		while (cairn_lookup_result_next(answer, &l))
			add_location(text, &l);
		strcat(text, "/");
	} while (cairn_lookup_result_next_folded(answer));
	strcat(text, cairn_status_name(answer->fault.status));
}

static void check_address(struct cairn_symbols *symbols, uint64_t va, bool eager)
{
	char expected[TEXT_MAX], got[TEXT_MAX];
	struct cairn_lookup_result read, kept;
	enum cairn_status status = cairn_symbols_find_uncached(symbols, va, &read);

	ck_assert_int_eq(symbols_find(symbols, va, eager, &kept), status);
	gather(&read, expected);
	gather(&kept, got);
	ck_assert_str_eq(got, expected);
}

/* The cache against the file, for each byte, with bounds from nothing to plenty. */
static const size_t bounds[] = { 0, 100, 2000, 5000, 8000, 20000, 100000, 1 << 20 };

START_TEST(cache_gives_what_the_file_holds)
{
	struct cairn_symbols *symbols = open_all();

	cairn_symbols_set_cache(symbols, bounds[_i]);
	for (unsigned round = 0; round < 4; round++)
		for (uint64_t va = BASE - 2; va < BASE + STEP * FUNCTIONS + 0x100; va++)
			check_address(symbols, va, round > 2);
	ck_assert_uint_le(symbols->cache.peak, bounds[_i]);
	ck_assert(bounds[_i] < 20000 || symbols->cache.count > 0);
	check_address(symbols, UINT64_MAX, false);
	check_address(symbols, 0, false);
	cairn_symbols_free(symbols);
}
END_TEST

START_TEST(decodes_what_is_asked_often)
{
	struct cairn_symbols *symbols = open_all();
	struct cairn_lookup_result answer;

	for (unsigned i = 0; i < 10; i++)
		ck_assert_int_eq(cairn_symbols_find(symbols, BASE + 9, &answer), CAIRN_OK);
	ck_assert_uint_eq(symbols->cache.decodings, 1);
	ck_assert_uint_eq(symbols->cache.count, 1);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_int_eq(cairn_symbols_find(symbols, BASE + 4 * STEP, &answer), CAIRN_OK);
	ck_assert_uint_eq(symbols->cache.decodings, 2); /* the damaged one, and never again */
	ck_assert_uint_eq(symbols->cache.count, 1);
	cairn_symbols_free(symbols);
}
END_TEST

/*
 * Where not all functions fit that are in use, the cache is of no use to some, and must not be a burden:
 * decoding one costs several lookups.
 */
START_TEST(does_not_decode_in_turn)
{
	enum { ROUNDS = 100 };
	struct cairn_symbols *symbols = open_all();
	struct cairn_lookup_result answer;

	cairn_symbols_set_cache(symbols, 16000);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (uint64_t i = 0; i < FUNCTIONS; i++)
			ck_assert_int_eq(cairn_symbols_find(symbols, BASE + STEP * i, &answer),
			                 CAIRN_OK);
	ck_assert(symbols->cache.is_full);
	ck_assert_uint_gt(symbols->cache.count, 0);
	/* each function once before the cache was full, and once in 64 lookups after that */
	ck_assert_uint_le(symbols->cache.decodings, FUNCTIONS + FUNCTIONS * ROUNDS / 64);
	cairn_symbols_free(symbols);
}
END_TEST

enum { CALLS = 100000, CALL_STEP = 4 };

/* GSYM of one function with that many inlined calls, and a row for each. */
static void make_huge(struct gsym_output *output)
{
	static struct cairn_range range[CALLS];
	static struct function_inline call[CALLS];
	static struct function_row row[CALLS];
	static const struct cairn_bytes none = BYTES(""), name = BYTES("inner");
	const struct function_file file[] = { { none, none }, { BYTES("src"), BYTES("a.c") } };
	struct gsym_writer_options options = { .version = 1, .base = BASE, .uuid = none };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct function_sink sink = gsym_shard_sink(gsym_writer_shard(writer));

	for (uint32_t i = 0; i < CALLS; i++) {
		uint64_t va = BASE + CALL_STEP * (uint64_t)i;
		range[i] = (struct cairn_range){ va, va + CALL_STEP - 1 };
		call[i] = (struct function_inline){ 1, i, 1, 1, i + 1, 0, name, 0, 0 };
		row[i] = (struct function_row){ .va = va, .file = 1, .line = i + 7 };
	}
	const struct function huge = { .start = BASE,
		                       .size = CALL_STEP * CALLS,
		                       .name = BYTES("huge"),
		                       .files = file,
		                       .file_count = COUNT(file),
		                       .rows = row,
		                       .row_count = CALLS,
		                       .range = range,
		                       .inlines = call,
		                       .inline_count = CALLS };
	ck_assert_int_eq(sink.take(sink.context, &huge), CAIRN_OK);
	ck_assert_int_eq(gsym_writer_order(writer), CAIRN_OK);
	ck_assert_int_eq(gsym_writer_image(writer, 0, UINT64_MAX, output), CAIRN_OK);
	gsym_writer_free(writer);
}

/* The memory that one decoding may take is enough for the largest functions there are. */
START_TEST(decodes_a_function_of_many_calls)
{
	struct gsym_output output;
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault;

	make_huge(&output);
	ck_assert_int_eq(cairn_symbols_open_bytes((struct cairn_bytes){ output.data, output.size },
	                                          NULL, &symbols, &fault),
	                 CAIRN_OK);
	for (uint64_t i = 0; i < 200; i++)
		check_address(symbols, BASE + CALL_STEP * CALLS / 200 * i + i % CALL_STEP, false);
	ck_assert_uint_eq(symbols->cache.decodings, 1);
	ck_assert_uint_eq(symbols->cache.count, 1);
	cairn_symbols_free(symbols);
	free(output.data);
}
END_TEST

START_TEST(answers_many)
{
	struct cairn_symbols *symbols = open_all();
	uint64_t vas[400];
	struct cairn_batch batch;

	for (size_t i = 0; i < COUNT(vas); i++)
		vas[i] = BASE + i * 7919 % (STEP * FUNCTIONS + 0x40);
	ck_assert_int_eq(cairn_symbols_find_many(symbols, vas, COUNT(vas), &batch), CAIRN_OK);
	ck_assert_uint_eq(batch.count, COUNT(vas));
	for (size_t i = 0; i < COUNT(vas); i++) {
		char expected[TEXT_MAX] = "", got[TEXT_MAX] = "";
		struct cairn_lookup_result answer;
		struct cairn_location l;
		enum cairn_status status = cairn_symbols_find_uncached(symbols, vas[i], &answer);
		while (cairn_lookup_result_next(&answer, &l))
			add_location(expected, &l);
		for (size_t k = 0; k < batch.items[i].count; k++)
			add_location(got, &batch.locations[batch.items[i].first + k]);
		ck_assert_str_eq(got, expected);
		ck_assert_int_eq(batch.items[i].fault.status, answer.fault.status);
		ck_assert_int_eq(batch.items[i].has_folded,
		                 status == CAIRN_OK && cairn_lookup_result_next_folded(&answer));
	}
	cairn_batch_free(&batch);
	ck_assert_int_eq(cairn_symbols_find_many(symbols, vas, 0, &batch), CAIRN_OK);
	ck_assert_uint_eq(batch.count, 0);
	cairn_batch_free(&batch);
	cairn_symbols_free(symbols);
}
END_TEST

/* The same while memory is short, which the test itself must not be. */
static void check_address_short(struct cairn_symbols *symbols, uint64_t va, bool eager)
{
	char expected[TEXT_MAX] = "", got[TEXT_MAX] = "";
	struct cairn_lookup_result read, kept;
	enum cairn_status status = cairn_symbols_find_uncached(symbols, va, &read);
	enum cairn_status found = symbols_find(symbols, va, eager, &kept);

	gather(&read, expected);
	gather(&kept, got);
	long left = until_short;
	until_short = -1;
	ck_assert_int_eq(found, status);
	ck_assert_str_eq(got, expected);
	until_short = left;
}

/* Short of memory at the n-th allocation: an answer all the same, or CAIRN_NO_MEMORY. */
START_TEST(survives_short_memory)
{
	struct cairn_symbols *symbols = open_all();
	uint64_t vas[] = { BASE + 9, BASE + 9, BASE + 9, BASE + 10, BASE + 2 * STEP + 0x50 };
	struct cairn_batch batch;

	until_short = _i;
	for (unsigned i = 0; i < 4; i++)
		for (uint64_t va = BASE; va < BASE + 4 * STEP; va += 3)
			check_address_short(symbols, va, i == 3);
	enum cairn_status status = cairn_symbols_find_many(symbols, vas, COUNT(vas), &batch);
	until_short = -1;
	ck_assert(status == CAIRN_OK || status == CAIRN_NO_MEMORY);
	cairn_batch_free(&batch);
	cairn_symbols_free(symbols);
}
END_TEST

START_TEST(batch_survives_short_memory)
{
	struct cairn_symbols *symbols = open_all();
	struct cairn_batch batch;
	uint64_t vas[300];

	for (size_t i = 0; i < COUNT(vas); i++)
		vas[i] = BASE + 10;
	until_short = _i;
	enum cairn_status status = cairn_symbols_find_many(symbols, vas, COUNT(vas), &batch);
	until_short = -1;
	ck_assert(status == CAIRN_OK || (status == CAIRN_NO_MEMORY && batch.items == NULL));
	cairn_batch_free(&batch);
	cairn_symbols_free(symbols);
}
END_TEST

START_TEST(opening_survives_short_memory)
{
	struct fixture_function_info all[FUNCTIONS];
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault;

	describe(all);
	struct cairn_bytes file = make_file(all, true);
	until_short = 0;
	enum cairn_status status = cairn_symbols_open_bytes(file, NULL, &symbols, &fault);
	until_short = -1;
	ck_assert_int_eq(status, CAIRN_NO_MEMORY);
	ck_assert_ptr_null(symbols);
	cairn_symbols_free(NULL);
}
END_TEST

static const struct {
	bool file_has_one;
	struct cairn_bytes wanted;
	enum cairn_status status;
} identities[] = {
	{ true, BYTES("identity"), CAIRN_OK },        { true, BYTES(""), CAIRN_OK },
	{ true, BYTES("identitY"), CAIRN_MISMATCH },  { true, BYTES("identity!"), CAIRN_MISMATCH },
	{ true, BYTES("ident"), CAIRN_MISMATCH },     { false, BYTES(""), CAIRN_OK },
	{ false, BYTES("identity"), CAIRN_MISMATCH },
};

START_TEST(serves_its_own_build_only)
{
	struct fixture_function_info all[FUNCTIONS];
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	describe(all);
	options.build_id = identities[_i].wanted;
	struct cairn_bytes file = make_file(all, identities[_i].file_has_one);
	enum cairn_status status = cairn_symbols_open_bytes(file, &options, &symbols, &fault);
	ck_assert_int_eq(status, identities[_i].status);
	if (status == CAIRN_OK) {
		ck_assert_uint_eq(cairn_symbols_build_id(symbols).size,
		                  identities[_i].file_has_one ? 8 : 0);
		ck_assert_int_eq(cairn_symbols_is_of_build(symbols, identities[_i].wanted),
		                 identities[_i].wanted.size > 0);
		cairn_symbols_free(symbols);
	} else {
		ck_assert_int_eq(fault.status, CAIRN_MISMATCH);
		ck_assert_ptr_nonnull(fault.what);
	}
}
END_TEST

/* main [0x640,0x664) with a call that was inlined into [0x64c,0x658), as symbfile and Breakpad. */
#define SYMBFILE                                                                                  \
	"symbfile\0\1"                                                                            \
	"\x1c\2\x60\xc0\x0c\x10\x24\x1a\4main\x22\3a.c\x42\x0a\x0a\3\0\x08\x10\x12\3\x26\x27\x29" \
	"\x22\2\x08\x18\x10\x0c\x1a\6inside\x22\3b.h\x28\x28\x32\3a."                             \
	"c\x38\1\x42\6\x0a\1\0\x12\1\x17"
#define BREAKPAD_MODULE "MODULE Linux x86_64 04030201060508070909090909090909"
#define BREAKPAD_LINES                                                           \
	"\nFILE 0 a.c\nFILE 1 b.h\nINLINE_ORIGIN 0 inside\nFUNC 640 24 0 main\n" \
	"INLINE 0 40 0 0 64c c\n640 8 38 0\n648 4 39 0\n64c c 23 1\n658 c 41 0\n"

static const struct {
	struct cairn_bytes file, wanted;
	enum cairn_symbol_format format;
	enum cairn_status status;
	size_t id;       /* bytes of the build ID */
	uint64_t damage; /* where; 0: none */
} foreign[] = {
	{ BYTES(SYMBFILE), BYTES(""), CAIRN_SYMBOLS_SYMBFILE, CAIRN_OK, 0, 0 },
	{ BYTES(SYMBFILE), BYTES("identity"), CAIRN_SYMBOLS_SYMBFILE, CAIRN_MISMATCH, 0, 0 },
	{ BYTES(SYMBFILE "\x1d\2\x08"), BYTES(""), CAIRN_SYMBOLS_SYMBFILE, CAIRN_OK, 0, 76 },
	{ BYTES("symbfile\0\1\x1d\2\x08"), BYTES(""), CAIRN_SYMBOLS_SYMBFILE, CAIRN_TRUNCATED, 0,
	  10 },
	{ BYTES("symbfile\0\1"), BYTES(""), CAIRN_SYMBOLS_SYMBFILE, CAIRN_NOT_FOUND, 0, 0 },
	{ BYTES(BREAKPAD_MODULE "0 a" BREAKPAD_LINES), BYTES(""), CAIRN_SYMBOLS_BREAKPAD, CAIRN_OK,
	  16, 0 },
	/* the module's ID is the beginning of the build ID */
	{ BYTES(BREAKPAD_MODULE "0 a" BREAKPAD_LINES),
	  BYTES("\1\2\3\4\5\6\7\x08\x09\x09\x09\x09\x09\x09\x09\x09"
	        "abcd"),
	  CAIRN_SYMBOLS_BREAKPAD, CAIRN_OK, 16, 0 },
	{ BYTES(BREAKPAD_MODULE "0 a" BREAKPAD_LINES),
	  BYTES("\1\2\3\4\5\6\7\x08\x09\x09\x09\x09\x09\x09\x09\x08"
	        "abcd"),
	  CAIRN_SYMBOLS_BREAKPAD, CAIRN_MISMATCH, 0, 0 },
	{ BYTES(BREAKPAD_MODULE "0 a\nINFO CODE_ID 0102" BREAKPAD_LINES), BYTES("\1\2"),
	  CAIRN_SYMBOLS_BREAKPAD, CAIRN_OK, 2, 0 },
	{ BYTES("MODULE Linux x86_64 0 a\n"), BYTES(""), CAIRN_SYMBOLS_BREAKPAD, CAIRN_NOT_FOUND, 0,
	  0 },
};

/* What all of them know of main. */
static void check_main(struct cairn_symbols *symbols)
{
	static const struct {
		uint64_t va;
		const char *answer;
	} asked[] = {
		{ 0x640, "main+0/36 a.c:38|/ok" },
		{ 0x64b, "main+11/36 a.c:39|/ok" },
		{ 0x64c, "inside+0/0 b.h:23 in|main+12/36 a.c:40|/ok" },
		{ 0x657, "inside+11/0 b.h:23 in|main+23/36 a.c:40|/ok" },
		{ 0x663, "main+35/36 a.c:41|/ok" },
	};
	struct cairn_lookup_result answer;
	char text[TEXT_MAX];

	for (size_t i = 0; i < COUNT(asked); i++) {
		ck_assert_int_eq(cairn_symbols_find(symbols, asked[i].va, &answer), CAIRN_OK);
		gather(&answer, text);
		ck_assert_str_eq(text, asked[i].answer);
	}
	ck_assert_int_eq(cairn_symbols_find(symbols, 0x664, &answer), CAIRN_NOT_FOUND);
	ck_assert_int_eq(cairn_symbols_find(symbols, 0x63f, &answer), CAIRN_NOT_FOUND);
}

START_TEST(opens_other_formats)
{
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	uint8_t *copy = malloc(foreign[_i].file.size);

	memcpy(copy, foreign[_i].file.data, foreign[_i].file.size);
	struct cairn_bytes file = { copy, foreign[_i].file.size };
	options.build_id = foreign[_i].wanted;
	ck_assert_int_eq(cairn_symbols_open_bytes(file, &options, &symbols, &fault),
	                 foreign[_i].status);
	free(copy); /* nothing of it is used from here on */
	if (foreign[_i].status != CAIRN_OK) {
		ck_assert_int_eq(fault.status, foreign[_i].status);
		ck_assert_uint_eq(fault.offset, foreign[_i].damage);
		ck_assert_ptr_nonnull(fault.what);
		return;
	}
	ck_assert_int_eq(cairn_symbols_format(symbols), foreign[_i].format);
	ck_assert_uint_eq(cairn_symbols_build_id(symbols).size, foreign[_i].id);
	ck_assert_int_eq(cairn_symbols_is_of_build(symbols, foreign[_i].wanted),
	                 foreign[_i].wanted.size > 0);
	ck_assert_uint_eq(cairn_symbols_read_fault(symbols)->offset, foreign[_i].damage);
	ck_assert_int_eq(cairn_symbols_read_fault(symbols)->status == CAIRN_OK,
	                 foreign[_i].damage == 0);
	check_main(symbols);
	cairn_symbols_free(symbols);
}
END_TEST

/* Short of memory at the n-th allocation of a conversion. */
START_TEST(conversion_survives_short_memory)
{
	static const struct cairn_bytes converted[] = {
		BYTES(SYMBFILE), BYTES(BREAKPAD_MODULE "0 a" BREAKPAD_LINES)
	};

	for (size_t i = 0; i < COUNT(converted); i++) {
		struct cairn_symbols *symbols = NULL;
		struct cairn_fault fault;
		until_short = _i;
		enum cairn_status status =
			cairn_symbols_open_bytes(converted[i], NULL, &symbols, &fault);
		until_short = -1;
		ck_assert(status == CAIRN_OK || status == CAIRN_NO_MEMORY);
		if (status == CAIRN_OK)
			check_main(symbols);
		cairn_symbols_free(symbols);
	}
}
END_TEST

/* An ELF file with GSYM in a section, its strings in a table of the ELF file. */
enum sharing { OWN, RELATIVE, ABSOLUTE, NOWHERE };

static const struct {
	bool wide, big;
	uint8_t version;
	enum sharing sharing;
	const char *id; /* of the ELF file */
	enum cairn_status status;
} containers[] = {
	{ true, false, 1, OWN, NULL, CAIRN_OK },
	{ false, true, 1, OWN, NULL, CAIRN_OK },
	{ true, false, 1, RELATIVE, NULL, CAIRN_OK },
	{ true, true, 2, RELATIVE, NULL, CAIRN_OK },
	{ true, false, 1, ABSOLUTE, NULL, CAIRN_OK },
	{ false, false, 2, ABSOLUTE, NULL, CAIRN_OK },
	{ true, false, 1, NOWHERE, NULL, CAIRN_MALFORMED },
	{ true, false, 1, OWN, "identity", CAIRN_OK },
	{ true, false, 1, OWN, "another!", CAIRN_OK },
};

static void point_to_strings(struct fixture_out *gsym, uint8_t version, size_t directory,
                             uint64_t at)
{
	if (version == 1)
		fixture_out_poke(gsym, 20, at, 4);
	else
		fixture_out_poke(gsym, directory + 64, at, 8);
}

START_TEST(opens_sections_of_elf_files)
{
	static struct fixture_out gsym, notes, elf;
	struct fixture_function_info all[FUNCTIONS];
	struct fixture_gsym_places p;
	struct fixture_elf_places ep;
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault;
	struct cairn_lookup_result answer;
	char text[TEXT_MAX];

	describe(all);
	struct fixture_gsym made = { containers[_i].version,
		                     4,
		                     containers[_i].big,
		                     BASE,
		                     BYTES("identity"),
		                     all,
		                     FUNCTIONS,
		                     (const char *const(*)[2])files,
		                     COUNT(files) };
	fixture_gsym(&gsym, &made, &p);
	notes.size = 0;
	notes.big = containers[_i].big;
	if (containers[_i].id)
		fixture_note(&notes, "GNU", 3, containers[_i].id, 8);
	uint64_t strings_at, size;
	ck_assert_int_eq(gsym_strings_extent(fixture_out_bytes(&gsym), &strings_at, &size, &fault),
	                 CAIRN_OK);
	struct cairn_bytes strings = { gsym.data + strings_at, (size_t)size };
	struct fixture_section sections[] = {
		{ ".gsym", 1, 0, fixture_out_bytes(&gsym), 0, 0 },
		{ ".strtab", 3, 0, strings, 0, 0 },
		{ ".note", 7, 0, fixture_out_bytes(&notes), 0, 0 },
	};
	struct fixture_elf description = { .wide = containers[_i].wide,
		                           .big = containers[_i].big,
		                           .section_count = COUNT(sections),
		                           .sections = sections };
	fixture_elf(&elf, &description, &ep);
	/* Now that it is known where the sections lie, let the header point there. */
	uint64_t at = ep.bytes[2];
	if (containers[_i].sharing == RELATIVE)
		at -= ep.bytes[1];
	if (containers[_i].sharing == NOWHERE)
		at = 0xfffff000;
	if (containers[_i].sharing != OWN)
		point_to_strings(&gsym, made.version, p.directory, at);
	fixture_elf(&elf, &description, &ep);
	enum cairn_status status = cairn_symbols_open_bytes(unit_exact(fixture_out_bytes(&elf)),
	                                                    NULL, &symbols, &fault);
	ck_assert_int_eq(status, containers[_i].status);
	if (status != CAIRN_OK)
		return;
	ck_assert(symbols->image.embedded);
	ck_assert_int_eq(symbols->image.shares_strings, containers[_i].sharing != OWN);
	ck_assert_int_eq(symbols->image.conflicts,
	                 containers[_i].id && strcmp(containers[_i].id, "identity") != 0);
	ck_assert_int_eq(cairn_symbols_find(symbols, BASE + 4, &answer), CAIRN_OK);
	gather(&answer, text);
	ck_assert_str_eq(text, "run+4/32 src/a.c:11|/twin+4/32 src/a.c:21|/ok");
	cairn_symbols_free(symbols);
}
END_TEST

/* An ELF file without the section, or with one we do not read. */
START_TEST(declines_other_elf_files)
{
	static struct fixture_out elf;
	struct fixture_section section = { ".text", 1, 0, BYTES("MYSG"), 0, 0 };
	struct fixture_elf description = { .wide = true, .section_count = 1, .sections = &section };
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault;

	fixture_elf(&elf, &description, NULL);
	ck_assert_int_eq(cairn_symbols_open_bytes(unit_exact(fixture_out_bytes(&elf)), NULL,
	                                          &symbols, &fault),
	                 CAIRN_NOT_FOUND);
	section.name = ".gsym";
	section.bytes.size = 0;
	fixture_elf(&elf, &description, NULL);
	ck_assert_int_eq(cairn_symbols_open_bytes(unit_exact(fixture_out_bytes(&elf)), NULL,
	                                          &symbols, &fault),
	                 CAIRN_TRUNCATED);
}
END_TEST

static const struct {
	struct cairn_bytes directory, file;
	const char *path;
} paths[] = {
	{ BYTES("src"), BYTES("a.c"), "src/a.c" },
	{ BYTES(""), BYTES("a.c"), "a.c" },
	{ BYTES("/"), BYTES("a.c"), "/a.c" },
	{ BYTES("/x/"), BYTES("a.c"), "/x/a.c" },
	{ BYTES("/only/dir"), BYTES(""), "/only/dir/" },
	{ BYTES("C:\\a"), BYTES("b.c"), "C:\\a\\b.c" },
	{ BYTES("C:\\"), BYTES("b.c"), "C:\\b.c" },
	{ BYTES("/a\\b"), BYTES("c.c"), "/a\\b/c.c" },
	{ BYTES("."), BYTES("../a.c"), "./../a.c" },
	{ BYTES("/"), BYTES("<compiler-generated>"), "<compiler-generated>" },
	{ BYTES("/"), BYTES("<compiler-generated>.c"), "/<compiler-generated>.c" },
	{ BYTES(""), BYTES(""), "" },
};

START_TEST(joins_paths)
{
	struct cairn_location l = { .directory = paths[_i].directory, .file = paths[_i].file };
	size_t length = strlen(paths[_i].path);
	char path[64];

	for (size_t size = 0; size < 32; size++) {
		memset(path, 'x', sizeof(path));
		ck_assert_uint_eq(cairn_location_path(&l, path, size), length);
		size_t kept = size == 0 ? 0 : length < size ? length : size - 1;
		ck_assert_mem_eq(path, paths[_i].path, kept);
		ck_assert(size == 0 || path[kept] == '\0');
		ck_assert_int_eq(path[size], 'x');
	}
}
END_TEST

static void count_polls(void *context)
{
	++*(unsigned *)context;
}

/* While an object is made the host is asked: when it begins, and before units. */
START_TEST(polls_the_host)
{
	struct cairn_symbols *symbols = open_all();
	struct cairn_object object;
	unsigned polls = 0;
	const struct cairn_object_options options = {
		.size = sizeof(options), .machine = 62, .poll = count_polls, .poll_context = &polls
	};

	ck_assert_int_eq(cairn_object_make(symbols, &options, &object), CAIRN_OK);
	ck_assert_uint_ge(polls, 2);
	cairn_object_free(&object);
	cairn_symbols_free(symbols);
}
END_TEST

/* The host is asked while a Breakpad file is read, in each pass, and may leave there: a thread does
 * by ending itself, which unwinds as an exception does.  All memory comes back. */
enum { MANY = 20000 };

static struct cairn_bytes many_records(const char *record)
{
	static const char head[] = "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 many\n";
	size_t size = strlen(record);
	struct cairn_bytes text = { NULL, sizeof(head) - 1 + MANY * size };
	uint8_t *bytes = malloc(text.size);

	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, head, sizeof(head) - 1);
	for (size_t i = 0; i < MANY; i++)
		memcpy(bytes + sizeof(head) - 1 + i * size, record, size);
	text.data = bytes;
	return text;
}

struct leaving {
	void *(*run)(void *leaving);
	struct cairn_bytes file;
	unsigned polls, last; /* at which poll it leaves; 0: never */
	enum cairn_status status;
};

static void leave(void *context)
{
	struct leaving *leaving = context;

	if (++leaving->polls == leaving->last)
		pthread_exit(NULL);
}

static void *open_many(void *context)
{
	struct leaving *leaving = context;
	const struct cairn_poll poll = { leave, leaving };
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_symbols *symbols;
	struct cairn_fault fault;

	options.poll = &poll;
	leaving->status = cairn_symbols_open_bytes(leaving->file, &options, &symbols, &fault);
	if (leaving->status == CAIRN_OK)
		cairn_symbols_free(symbols);
	return NULL;
}

static void try_leaving(struct leaving *leaving)
{
	pthread_t thread;
	long before = held;
	bool ran = pthread_create(&thread, NULL, leaving->run, leaving) == 0 &&
	           pthread_join(thread, NULL) == 0;
	long after = held;

	ck_assert(ran);
	ck_assert_int_eq(after, before);
}

/* It leaves at this poll of those that there are. */
static void leave_at(const struct leaving *whole, unsigned last)
{
	struct leaving one = {
		.run = whole->run, .file = whole->file, .last = last, .status = CAIRN_MISMATCH
	};

	try_leaving(&one);
	ck_assert_uint_eq(one.polls, last);
	ck_assert_int_eq(one.status, CAIRN_MISMATCH);
}

START_TEST(polls_while_it_reads)
{
	static const char *const records[] = { "STACK CFI 1000 .cfa: $rsp 8 +\n",
		                               "FUNC 1000 10 0 f\n1000 8 1 0\n" };

	for (size_t i = 0; i < COUNT(records); i++) {
		struct leaving whole = { .run = open_many, .file = many_records(records[i]) };
		try_leaving(&whole);
		ck_assert_int_eq(whole.status, i == 0 ? CAIRN_NOT_FOUND : CAIRN_OK);
		ck_assert_uint_ge(whole.polls, 3 * (MANY / POLLING_WORK));
		for (unsigned last = 1; last <= whole.polls; last++) {
			leave_at(&whole, last);
		}
		free((void *)(uintptr_t)whole.file.data);
	}
}
END_TEST

static struct cairn_sframe_options sframe_options(struct leaving *leaving)
{
	return (struct cairn_sframe_options){ .size = sizeof(struct cairn_sframe_options), .version = 3,
		                              .poll = leave,
		                              .poll_context = leaving };
}

static void make_sframe_file(struct leaving *leaving, bool rows)
{
	struct cairn_sframe_options options = sframe_options(leaving);
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);
	struct cairn_fault fault;

	options.rows = rows;
	leaving->status = cairn_sframe_file_make(leaving->file, &options, &made, &fault);
	if (leaving->status == CAIRN_OK)
		cairn_sframe_file_free(&made);
}

static void *make_sframe(void *context)
{
	make_sframe_file(context, false);
	return NULL;
}

static void *make_rows(void *context)
{
	make_sframe_file(context, true);
	return NULL;
}

/* Makes a file of version 3 without leaving it, and converts that to version 2. */
static void *convert_sframe(void *context)
{
	static uint8_t kept[FIXTURE_OUT_MAX];
	struct leaving *leaving = context, stays = { .file = leaving->file };
	struct cairn_sframe_options options = sframe_options(&stays);
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file), converted = made;
	struct cairn_fault fault;

	if (cairn_sframe_file_make(stays.file, &options, &made, &fault) != CAIRN_OK)
		return NULL;
	const struct cairn_bytes file = { kept, made.bytes.size };
	if (file.size <= sizeof(kept))
		memcpy(kept, made.bytes.data, file.size);
	cairn_sframe_file_free(&made);
	if (file.size > sizeof(kept))
		return NULL;
	options.version = 2;
	options.poll_context = leaving;
	leaving->status = cairn_sframe_file_convert(file, &options, &converted, &fault);
	if (leaving->status == CAIRN_OK)
		cairn_sframe_file_free(&converted);
	return NULL;
}

/* The program itself is not an object to merge, which is found after the host was asked. */
static void *merge_sframe(void *context)
{
	struct leaving *leaving = context;
	const struct cairn_sframe_options options = sframe_options(leaving);
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);
	struct cairn_fault fault;
	size_t failed;

	leaving->status = cairn_sframe_file_merge(leaving->file, &leaving->file, 1, &options, &made,
	                                          &failed, &fault);
	return NULL;
}

/* A program with a function that has .eh_frame, and a symbol. */
static struct cairn_bytes program_with_frames(void)
{
	static const uint8_t frames[] = {
		/* the CIE: the CFA is rsp + 8, the return address at the CFA - 8 */
		0x14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0,
		/* 0x40 bytes of code at 0x1000 */
		0x14, 0, 0, 0, 0x1c, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0
	};
	static struct fixture_out file, symbols;
	fixture_symbol(&symbols, true, 0, 0);
	fixture_symbol(&symbols, true, 1, 0x1000);
	fixture_out_poke(&symbols, 24, 1, 4); /* its name */
	const struct fixture_section sections[] = {
		{ ".eh_frame", 1, 0x4000, { frames, sizeof(frames) }, 0, 0 },
		{ ".symtab", 2, 0, fixture_out_bytes(&symbols), 3, 1 },
		{ ".strtab", 3, 0, BYTES("\0f\0"), 0, 0 },
	};
	const struct fixture_segment segment = { 1, 5, 0x1000, 0x1000, 1 };
	const struct fixture_elf elf = { .wide = true,
		                         .type = 3,
		                         .machine = 62,
		                         .segment_count = 1,
		                         .segments = &segment,
		                         .section_count = 3,
		                         .sections = sections };

	fixture_elf(&file, &elf, NULL);
	return fixture_out_bytes(&file);
}

static const struct {
	void *(*run)(void *leaving);
	enum cairn_status status;
	unsigned polls;
} sframe_calls[] = {
	{ make_sframe, CAIRN_OK, 1 },
	{ make_rows, CAIRN_OK, 2 },
	{ convert_sframe, CAIRN_OK, 1 },
	{ merge_sframe, CAIRN_UNSUPPORTED, 1 },
};

START_TEST(polls_while_it_makes_sframe)
{
	struct leaving whole = { .run = sframe_calls[_i].run,
		                 .file = program_with_frames(),
		                 .status = CAIRN_MISMATCH };

	try_leaving(&whole);
	ck_assert_int_eq(whole.status, sframe_calls[_i].status);
	ck_assert_uint_eq(whole.polls, sframe_calls[_i].polls);
	for (unsigned last = 1; last <= whole.polls; last++)
		leave_at(&whole, last);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("symbols");
	TCase *cache = tcase_create("cache");
	TCase *attach = tcase_create("attaching");

	tcase_add_loop_test(cache, cache_gives_what_the_file_holds, 0, COUNT(bounds));
	tcase_add_test(cache, decodes_what_is_asked_often);
	tcase_add_test(cache, does_not_decode_in_turn);
	tcase_add_test(cache, decodes_a_function_of_many_calls);
	tcase_add_test(cache, answers_many);
	tcase_add_test(cache, polls_the_host);
	tcase_add_test(cache, polls_while_it_reads);
	tcase_add_loop_test(cache, polls_while_it_makes_sframe, 0, COUNT(sframe_calls));
	tcase_add_loop_test(cache, survives_short_memory, 0, 40);
	tcase_add_loop_test(cache, batch_survives_short_memory, 0, 12);
	tcase_add_test(cache, opening_survives_short_memory);
	tcase_add_loop_test(attach, serves_its_own_build_only, 0, COUNT(identities));
	tcase_add_loop_test(attach, opens_sections_of_elf_files, 0, COUNT(containers));
	tcase_add_loop_test(attach, opens_other_formats, 0, COUNT(foreign));
	tcase_add_loop_test(attach, conversion_survives_short_memory, 0, 80);
	tcase_add_test(attach, declines_other_elf_files);
	tcase_add_loop_test(attach, joins_paths, 0, COUNT(paths));
	suite_add_tcase(s, cache);
	suite_add_tcase(s, attach);
	return unit_run(s);
}
