/* SPDX-License-Identifier: MIT */
/* The table of functions of Go programs, in all layouts; and what is made of it. */
#include "fixture_go.h"
#include "unit.h"

#include "symbols/go.h"

#include <stdio.h>

static struct fixture_out file;
static struct fixture_go_places places;
static char text[1 << 12];

static void append_file(const struct function *f, uint32_t number, uint32_t line)
{
	const struct function_file *of = &f->files[number];

	snprintf(text + strlen(text), sizeof(text) - strlen(text), " %.*s:%u", (int)of->name.size,
	         (const char *)of->name.data, line);
}

static enum cairn_status print_function(void *context, const struct function *f)
{
	(void)context;
	size_t at = strlen(text);
	snprintf(text + at, sizeof(text) - at, "%.*s %llx+%llx", (int)f->name.size,
	         (const char *)f->name.data, (unsigned long long)f->start,
	         (unsigned long long)f->size);
	for (size_t i = 0; i < f->row_count; i++)
		append_file(f, f->rows[i].file, f->rows[i].line);
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct function_inline *call = &f->inlines[i];
		at = strlen(text);
		snprintf(text + at, sizeof(text) - at, " %u[%.*s %llx-%llx", call->depth,
		         (int)call->name.size, (const char *)call->name.data,
		         (unsigned long long)f->range[call->range].low,
		         (unsigned long long)f->range[call->range].high);
		append_file(f, call->call_file, call->call_line);
		strcat(text, "]");
	}
	strcat(text, "\n");
	return CAIRN_OK;
}

/* All functions of the file as text; empty when it is not opened. */
static const char *print_program(struct cairn_fault *fault, uint64_t *damaged)
{
	static struct go_program program;
	const struct function_sink sink = { print_function, NULL };

	text[0] = '\0';
	*damaged = 0;
	if (go_program_open(unit_exact(fixture_out_bytes(&file)), &program, fault) != CAIRN_OK)
		return text;
	struct go_functions *functions = go_functions_new(&program);
	ck_assert_ptr_nonnull(functions);
	for (uint64_t i = 0; i < program.table.functions && i < 8; i++)
		ck_assert_int_eq(go_functions_read(functions, i, &sink), CAIRN_OK);
	*damaged = go_functions_damaged(functions);
	ck_assert(!go_functions_exhausted(functions));
	go_functions_free(functions);
	go_program_close(&program);
	return text;
}

#define LINES "main.outer 1000+38 a.go:10 a.go:11 b.go:20 b.go:21 b.go:30 a.go:12"
#define CALLS " 1[main.middle 1010-1020 a.go:11] 2[main.inner 1018-1020 b.go:21]"
#define MAIN "\nmain.main 1040+18 a.go:40\n"

static const struct {
	const char *name;
	struct fixture_go go;
	bool few; /* no inlined calls: what says where they are is not there */
} programs[] = {
	{ "1.2", { .layout = GOPCLNTAB_1_2 }, false },
	{ "1.2, 32 bits", { .layout = GOPCLNTAB_1_2, .narrow = true }, false },
	{ "1.2, big endian", { .layout = GOPCLNTAB_1_2, .big = true }, false },
	{ "1.2, relocated", { .layout = GOPCLNTAB_1_2, .relocated = true }, false },
	{ "1.2, of no known version", { .layout = GOPCLNTAB_1_2, .no_module = true }, true },
	{ "1.2, no sections", { .layout = GOPCLNTAB_1_2, .bare = true }, true },
	{ "1.16", { .layout = GOPCLNTAB_1_16 }, false },
	{ "1.16, 32 bits", { .layout = GOPCLNTAB_1_16, .narrow = true }, false },
	{ "1.16, big endian", { .layout = GOPCLNTAB_1_16, .big = true }, false },
	{ "1.16, relocated", { .layout = GOPCLNTAB_1_16, .relocated = true }, false },
	{ "1.16, no sections",
	  { .layout = GOPCLNTAB_1_16, .bare = true, .relocated = true },
	  false },
	{ "1.18", { .layout = GOPCLNTAB_1_18 }, false },
	{ "1.18, 32 bits", { .layout = GOPCLNTAB_1_18, .narrow = true }, false },
	{ "1.18, big endian", { .layout = GOPCLNTAB_1_18, .big = true }, false },
	{ "1.18, relocated", { .layout = GOPCLNTAB_1_18, .relocated = true }, false },
	{ "1.18, no moduledata", { .layout = GOPCLNTAB_1_18, .no_module = true }, true },
	{ "1.20", { .layout = GOPCLNTAB_1_20 }, false },
	{ "1.20, 32 bits", { .layout = GOPCLNTAB_1_20, .narrow = true }, false },
	{ "1.20, big endian", { .layout = GOPCLNTAB_1_20, .big = true }, false },
	{ "1.20, relocated", { .layout = GOPCLNTAB_1_20, .relocated = true }, false },
	{ "1.20, no sections", { .layout = GOPCLNTAB_1_20, .bare = true }, false },
	{ "1.20, no sections, relocated",
	  { .layout = GOPCLNTAB_1_20, .bare = true, .relocated = true },
	  false },
	{ "1.26", { .layout = GOPCLNTAB_1_20, .no_text = true }, false },
	{ "1.26, relocated",
	  { .layout = GOPCLNTAB_1_20, .no_text = true, .relocated = true },
	  false },
	{ "1.27", { .layout = GOPCLNTAB_1_20, .no_text = true, .sizes = true }, false },
	{ "1.27, 32 bits",
	  { .layout = GOPCLNTAB_1_20, .no_text = true, .sizes = true, .narrow = true },
	  false },
	{ "1.27, relocated",
	  { .layout = GOPCLNTAB_1_20, .no_text = true, .sizes = true, .relocated = true },
	  false },
};

START_TEST(reads_a_program)
{
	struct cairn_fault fault = { CAIRN_OK, 0, "" };
	uint64_t damaged;

	fixture_go(&file, &programs[_i].go, &places);
	ck_assert_msg(strcmp(print_program(&fault, &damaged),
	                     programs[_i].few ? LINES MAIN : LINES CALLS MAIN) == 0,
	              "%s: %s\n%s", programs[_i].name, text, fault.what);
	ck_assert_uint_eq(damaged, 0);
}
END_TEST

/* Each function is found from its first to its last byte, and nothing before and after them. */
START_TEST(finds_functions)
{
	static struct go_program program;
	struct cairn_fault fault;
	uint64_t index;

	fixture_go(&file, &programs[_i].go, &places);
	ck_assert_int_eq(go_program_open(fixture_out_bytes(&file), &program, &fault), CAIRN_OK);
	const struct gopclntab *table = &program.table;
	ck_assert(!gopclntab_find(table, FIXTURE_GO_TEXT - 1, &index));
	ck_assert(gopclntab_find(table, FIXTURE_GO_TEXT, &index) && index == 0);
	ck_assert(gopclntab_find(table, FIXTURE_GO_TEXT + 0x3f, &index) && index == 0);
	ck_assert(gopclntab_find(table, FIXTURE_GO_TEXT + 0x40, &index) && index == 1);
	ck_assert(gopclntab_find(table, FIXTURE_GO_TEXT + 0x5f, &index) && index == 1);
	ck_assert(!gopclntab_find(table, FIXTURE_GO_TEXT + 0x60, &index));
	go_program_close(&program);
}
END_TEST

/* Where a malformed row overwrites: in the table, at its index, entry, ... */
enum part { HEADER, INDEX, ENTRY, LINE, UNITS, NAMES, TREE };

static size_t find_part(enum part part)
{
	switch (part) {
	case HEADER:
		return places.table;
	case INDEX:
		return places.table + places.index;
	case ENTRY:
		return places.table + places.entry;
	case LINE:
		return places.table + places.lines;
	case UNITS:
		return places.table + places.units;
	case NAMES:
		return places.table + places.names;
	case TREE:
		return places.tree;
	}
	return 0;
}

#define L12 GOPCLNTAB_1_2
#define L16 GOPCLNTAB_1_16
#define L20 GOPCLNTAB_1_20
#define NONE ""

static const struct {
	const char *name;
	enum gopclntab_layout layout;
	enum part part;
	size_t at, width;
	uint64_t value;
	enum cairn_status status;
	size_t fault; /* in the table */
	const char *expect;
	uint64_t damaged;
} malformed[] = {
	{ "another magic", L20, HEADER, 0, 1, 0xf2, CAIRN_UNSUPPORTED, 0, NONE, 0 },
	{ "a magic of neither order", L20, HEADER, 3, 1, 0, CAIRN_UNSUPPORTED, 0, NONE, 0 },
	{ "padding of the magic", L20, HEADER, 4, 1, 1, CAIRN_UNSUPPORTED, 0, NONE, 0 },
	{ "a quantum of 3", L20, HEADER, 6, 1, 3, CAIRN_UNSUPPORTED, 0, NONE, 0 },
	{ "pointers of 5 bytes", L20, HEADER, 7, 1, 5, CAIRN_UNSUPPORTED, 0, NONE, 0 },
	{ "pointers of another class", L16, HEADER, 7, 1, 4, CAIRN_MALFORMED, 0, NONE, 0 },
	{ "too many functions", L20, HEADER, 8, 8, 1 << 20, CAIRN_MALFORMED, 8, NONE, 0 },
	{ "functions that wrap", L20, HEADER, 8, 8, UINT64_MAX, CAIRN_MALFORMED, 8, NONE, 0 },
	{ "too many functions, 1.2", L12, HEADER, 8, 8, 1 << 20, CAIRN_MALFORMED, 8, NONE, 0 },
	{ "functions that wrap, 1.2", L12, HEADER, 8, 8, UINT64_MAX / 16, CAIRN_MALFORMED, 8, NONE,
	  0 },
	{ "no functions", L20, HEADER, 8, 8, 0, CAIRN_MALFORMED, 0, NONE, 0 },
	{ "too many files", L20, HEADER, 16, 8, 1 << 20, CAIRN_MALFORMED, 16, NONE, 0 },
	{ "names outside", L20, HEADER, 32, 8, UINT64_MAX, CAIRN_MALFORMED, 32, NONE, 0 },
	{ "an index outside", L20, HEADER, 64, 8, 1 << 20, CAIRN_MALFORMED, 64, NONE, 0 },
	{ "files outside, 1.2", L12, INDEX, 40, 4, 1 << 20, CAIRN_MALFORMED, 56, NONE, 0 },
	{ "an entry outside", L20, INDEX, 4, 4, 1 << 20, CAIRN_MALFORMED, 0, NONE, 0 },
	{ "a function that ends before it begins", L20, INDEX, 8, 4, 0x80, CAIRN_MALFORMED, 0, NONE,
	  0 },
	{ "a name outside", L20, ENTRY, 4, 4, 1 << 20, CAIRN_MALFORMED, 0, NONE, 0 },
	{ "lines outside", L20, ENTRY, 24, 4, 1 << 20, CAIRN_OK, 0, "main.outer 1000+40" MAIN, 1 },
	{ "no lines", L20, ENTRY, 24, 4, 0, CAIRN_OK, 0, "main.outer 1000+40" MAIN, 0 },
	{ "no files", L20, ENTRY, 20, 4, 0, CAIRN_OK, 0,
	  "main.outer 1000+38 :10 :11 :20 :21 :30 :12"
	  " 1[main.middle 1010-1020 :11] 2[main.inner 1018-1020 :21]" MAIN,
	  0 },
	{ "too few tables of values", L20, ENTRY, 28, 4, 2, CAIRN_OK, 0, LINES MAIN, 0 },
	{ "tables of values outside", L20, ENTRY, 28, 4, 1 << 30, CAIRN_OK, 0, LINES MAIN, 0 },
	{ "no tree", L20, ENTRY, 43, 1, 3, CAIRN_OK, 0, LINES MAIN, 0 },
	{ "a step of nothing", L20, LINE, 1, 1, 0, CAIRN_OK, 0, "main.outer 1000+40" MAIN, 1 },
	{ "a step past the function", L20, LINE, 1, 1, 0x7f, CAIRN_OK, 0,
	  "main.outer 1000+40 a.go:10 b.go:10 a.go:10 :10"
	  " 1[main.middle 1010-1020 a.go:10] 2[main.inner 1018-1020 b.go:10]" MAIN,
	  0 },
	{ "a number of more than 32 bits", L20, LINE, 0, 8, UINT64_MAX, CAIRN_OK, 0,
	  "main.outer 1000+40" MAIN, 1 },
	{ "a file outside", L20, UNITS, 4, 4, 1 << 20, CAIRN_OK, 0,
	  "main.outer 1000+38 :10 :11 b.go:20 b.go:21 b.go:30 :12"
	  " 1[main.middle 1010-1020 :11] 2[main.inner 1018-1020 b.go:21]"
	  "\nmain.main 1040+18 :40\n",
	  0 },
	{ "an inlined name outside", L20, TREE, 16 + 4, 4, 1 << 20, CAIRN_OK, 0,
	  LINES " 1[ 1010-1020 a.go:11] 2[main.inner 1018-1020 b.go:21]" MAIN, 0 },
	{ "a place outside of the function", L20, TREE, 16 + 8, 4, 1 << 20, CAIRN_OK, 0, LINES MAIN,
	  1 },
	{ "a call around itself", L20, TREE, 16 + 8, 4, 0x10, CAIRN_OK, 0, LINES MAIN, 1 },
	{ "a call around itself, 1.16", L16, TREE, 16, 2, 0, CAIRN_OK, 0, LINES MAIN, 1 },
	{ "a call around it outside, 1.16", L16, TREE, 16, 2, 77, CAIRN_OK, 0, LINES MAIN, 1 },
};

START_TEST(rejects_what_is_malformed)
{
	const struct fixture_go go = { .layout = malformed[_i].layout };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	uint64_t damaged;

	fixture_go(&file, &go, &places);
	fixture_out_poke(&file, find_part(malformed[_i].part) + malformed[_i].at,
	                 malformed[_i].value, malformed[_i].width);
	print_program(&fault, &damaged);
	ck_assert_msg(strcmp(text, malformed[_i].expect) == 0, "%s: %s", malformed[_i].name, text);
	ck_assert_msg(fault.status == malformed[_i].status, "%s: %d", malformed[_i].name,
	              fault.status);
	if (malformed[_i].status != CAIRN_OK)
		ck_assert_msg(fault.offset == places.table + malformed[_i].fault && fault.what,
		              "%s: %zu", malformed[_i].name, fault.offset - places.table);
	ck_assert_msg(damaged == malformed[_i].damaged, "%s: %llu damaged", malformed[_i].name,
	              (unsigned long long)damaged);
}
END_TEST

/* Every prefix of a table opens, or reports where it ends. */
START_TEST(reads_what_is_cut_short)
{
	const struct fixture_go go = { .layout = (enum gopclntab_layout)_i };
	struct gopclntab table;
	struct cairn_fault fault;
	struct gopclntab_function function;

	fixture_go(&file, &go, &places);
	for (size_t size = 0; size < 0x400; size++) {
		struct cairn_bytes cut = { file.data + places.table, size };
		cut = unit_exact(cut);
		if (gopclntab_open(cut, FIXTURE_GO_TABLE, NULL, &table, &fault) != CAIRN_OK) {
			ck_assert(fault.what && fault.offset <= size);
			continue;
		}
		for (uint64_t i = 0; i < table.functions; i++)
			gopclntab_read_function(&table, i, &function);
	}
}
END_TEST

START_TEST(is_not_a_go_program)
{
	static struct go_program program;
	const struct fixture_go go = { .layout = GOPCLNTAB_1_20 };
	const struct fixture_go lost = { .layout = GOPCLNTAB_1_20,
		                         .no_text = true,
		                         .no_module = true };
	const struct cairn_bytes other = BYTES("not an ELF file");
	struct cairn_fault fault;

	ck_assert_int_eq(go_program_open(other, &program, &fault), CAIRN_NOT_FOUND);
	fixture_go(&file, &go, &places);
	fixture_out_poke(&file, 16, ELF_TYPE_REL, 2);
	ck_assert_int_eq(go_program_open(fixture_out_bytes(&file), &program, &fault),
	                 CAIRN_NOT_FOUND);
	fixture_go(&file, &lost, &places);
	ck_assert_int_eq(go_program_open(fixture_out_bytes(&file), &program, &fault),
	                 CAIRN_UNSUPPORTED);
}
END_TEST

enum { BOMB_FUNCTIONS = 4000, BOMB_STEPS = 8192, BOMB_SIZE = 1 << 19 };

/* Functions that share one table of lines with a row for each byte of code. */
static size_t make_bomb(uint8_t *bomb)
{
	static struct fixture_out out;
	size_t lines, index, entry;

	out = (struct fixture_out){ .size = 0 };
	fixture_out_put(&out, 0xfffffff1, 4);
	fixture_out_text(&out, "\0\0\1\10", 4);
	fixture_out_put(&out, BOMB_FUNCTIONS, 8);
	fixture_out_put(&out, 0, 8);
	fixture_out_put(&out, FIXTURE_GO_TEXT, 8);
	lines = 72 + 8;
	index = lines + 2 * BOMB_STEPS + 8;
	const uint64_t parts[] = { 72, 72, 72, 72, index };
	for (size_t i = 0; i < COUNT(parts); i++)
		fixture_out_put(&out, parts[i], 8);
	fixture_out_text(&out, "bomb\0\0\0\0", 8);
	for (unsigned i = 0; i < BOMB_STEPS; i++)
		fixture_out_text(&out, i == 0 ? "\4\1" : i % 2 ? "\2\1" : "\1\1", 2);
	fixture_out_put(&out, 0, 8);
	memcpy(bomb, out.data, out.size);
	entry = (BOMB_FUNCTIONS + 1) * 8;
	for (size_t i = 0; i <= BOMB_FUNCTIONS; i++) {
		out = (struct fixture_out){ .size = 0 };
		fixture_out_put(&out, i * BOMB_STEPS, 4);
		fixture_out_put(&out, entry, 4);
		memcpy(bomb + index + i * 8, out.data, 8);
	}
	out = (struct fixture_out){ .size = 0 };
	fixture_out_put(&out, 0, 24); /* start, name, arguments, deferreturn, stack, file */
	fixture_out_put(&out, lines - 72, 4);
	fixture_out_put(&out, 0, 16);
	memcpy(bomb + index + entry, out.data, out.size);
	return index + entry + out.size;
}

static enum cairn_status count_rows(void *context, const struct function *f)
{
	*(uint64_t *)context += f->row_count;
	return CAIRN_OK;
}

/* What is read of a table is bounded by its size, whatever its functions share. */
START_TEST(bounds_its_work)
{
	static struct go_program program;
	static uint8_t bomb[BOMB_SIZE];
	uint64_t rows = 0;
	const struct function_sink sink = { count_rows, &rows };
	struct cairn_fault fault;
	size_t size = make_bomb(bomb);

	ck_assert_int_eq(gopclntab_open((struct cairn_bytes){ bomb, size }, FIXTURE_GO_TABLE, NULL,
	                                &program.table, &fault),
	                 CAIRN_OK);
	struct go_functions *functions = go_functions_new(&program);
	for (uint64_t i = 0; i < BOMB_FUNCTIONS; i++)
		ck_assert_int_eq(go_functions_read(functions, i, &sink), CAIRN_OK);
	ck_assert(go_functions_exhausted(functions));
	ck_assert(rows > GO_WORK_LEAST / 2 &&
	          rows <= GO_WORK_LEAST + GO_WORK_TIMES * (uint64_t)size);
	go_functions_free(functions);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gopclntab");
	TCase *tests = tcase_create("gopclntab");

	tcase_add_loop_test(tests, reads_a_program, 0, COUNT(programs));
	tcase_add_loop_test(tests, finds_functions, 0, COUNT(programs));
	tcase_add_loop_test(tests, rejects_what_is_malformed, 0, COUNT(malformed));
	tcase_add_loop_test(tests, reads_what_is_cut_short, 0, GOPCLNTAB_1_20 + 1);
	tcase_add_test(tests, is_not_a_go_program);
	tcase_add_test(tests, bounds_its_work);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
