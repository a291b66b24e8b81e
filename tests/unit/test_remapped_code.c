/* SPDX-License-Identifier: MIT */
/* Tests which mappings count as code of a module that is mapped a second time, and which address it has in the module. */
#include "process/snapshot/snapshot_modules.h"
#include "unit.h"

enum {
	PAGE = 0x1000,
	LOW = 0x10000,     /* of the module */
	HIGH = 0x20000,    /* likewise */
	CODE_AT = 0x2000,  /* of the code in the file; linked at 0x1000 above that */
	SECOND = 0x900000, /* of the second mapping */
	R = SNAPSHOT_READ,
	X = SNAPSHOT_READ | SNAPSHOT_EXECUTE,
	W = SNAPSHOT_READ | SNAPSHOT_WRITE | SNAPSHOT_EXECUTE,
};

static uint8_t header[PAGE];

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Segments of data at 0, of 0x2800 bytes of code, and of what can be written to. */
static void make_header(void)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	static const struct {
		uint64_t flags, offset, va, size;
	} segments[] = { { 4, 0, 0, 0x1800 },
		         { 5, CODE_AT, CODE_AT + PAGE, 0x2800 },
		         { 7, 0x6000, 0x8000, 0x1000 } };

	memset(header, 0, sizeof(header));
	memcpy(header, ident, sizeof(ident));
	put(header + 16, 3, 2);
	put(header + 18, 62, 2);
	put(header + 32, 64, 8);
	put(header + 54, 56, 2);
	put(header + 56, COUNT(segments), 2);
	for (size_t i = 0; i < COUNT(segments); i++) {
		uint8_t *segment = header + 64 + i * 56;
		put(segment, 1, 4);
		put(segment + 4, segments[i].flags, 4);
		put(segment + 8, segments[i].offset, 8);
		put(segment + 16, segments[i].va, 8);
		put(segment + 32, segments[i].size, 8);
		put(segment + 40, segments[i].size, 8);
	}
}

static enum cairn_status read_header(void *context, uint64_t address, void *buffer, size_t size)
{
	uint64_t at = address - LOW;

	(void)context;
	if (at > sizeof(header) || size > sizeof(header) - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, header + at, size);
	return CAIRN_OK;
}

static struct cairn_bytes make_text(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

static const struct {
	const char *what, *path;
	uint64_t offset, pages;
	unsigned access; /* 0: not known */
	uint64_t low,
		high; /* of the module that it becomes, from its first page on; high 0: none */
	bool no_id, within;
} rows[] = {
	{ "all of the code", "/bin/a", CODE_AT, 3, X, 0, 3 * PAGE, false, false },
	{ "a page of it, access unknown", "/bin/a", CODE_AT + PAGE, 1, 0, 0, PAGE, false, false },
	{ "more than the code", "/bin/a", CODE_AT - PAGE, 6, X, PAGE, 4 * PAGE, false, false },
	{ "not to be executed", "/bin/a", CODE_AT, 3, R, 0, 0, false, false },
	{ "to be written to", "/bin/a", CODE_AT, 3, W, 0, 0, false, false },
	{ "another file", "/bin/b", CODE_AT, 3, X, 0, 0, false, false },
	{ "from the file's first byte on", "/bin/a", 0, 8, X, 0, 0, false, false },
	{ "data", "/bin/a", PAGE, 1, X, 0, 0, false, false },
	{ "what can be written to", "/bin/a", 0x6000, 1, X, 0, 0, false, false },
	{ "past the file", "/bin/a", ~0xfffull, 1, X, 0, 0, false, false },
	{ "no build ID", "/bin/a", CODE_AT, 3, X, 0, 0, true, false },
	{ "within the module", "/bin/a", CODE_AT, 3, X, 0, 0, false, true },
};

static void fill_snapshot(struct snapshot *snapshot, int row)
{
	*snapshot = (struct snapshot){ .kind = CAIRN_STACKS_CORE, .memory = { read_header, NULL } };
	struct snapshot_module *module = snapshot_add_module(snapshot);
	module->low = LOW;
	module->high = HIGH;
	module->bias = LOW;
	module->has_bias = true;
	module->path = make_text("/bin/a");
	module->build_id = make_text(rows[row].no_id ? "" : "0123456789");
	struct snapshot_mapping *mapping = snapshot_add_mapping(snapshot);
	mapping->low = rows[row].within ? LOW + PAGE : SECOND;
	mapping->high = mapping->low + rows[row].pages * PAGE;
	mapping->has_file = true;
	mapping->offset = rows[row].offset;
	mapping->path = make_text(rows[row].path);
	mapping->has_access = rows[row].access != 0;
	mapping->access = rows[row].access;
}

START_TEST(finds_code_that_is_mapped_again)
{
	struct snapshot snapshot;

	make_header();
	fill_snapshot(&snapshot, _i);
	snapshot_remapped_code_find(&snapshot);
	const struct generated_code code = snapshot_generated_code(&snapshot);
	const size_t found = rows[_i].high > 0;
	ck_assert_msg(snapshot.module_count == 1 + found, "%s: %zu modules", rows[_i].what,
	              snapshot.module_count);
	uint64_t pc = SECOND + rows[_i].low;
	const uint64_t at_file = rows[_i].offset + rows[_i].low; /* where the page is in the file */
	ck_assert_msg(code.remapped(code.context, &pc) == found, "%s", rows[_i].what);
	if (found) {
		const struct snapshot_module *module = &snapshot.modules[1];
		ck_assert_uint_eq(module->low, SECOND + rows[_i].low);
		ck_assert_uint_eq(module->high, SECOND + rows[_i].high);
		ck_assert_uint_eq(module->low - module->bias, at_file + PAGE);
		ck_assert_uint_eq(pc, LOW + at_file + PAGE);
		ck_assert_uint_eq(module->low - snapshot_module_start(module), at_file + PAGE);
		ck_assert_mem_eq(module->build_id.data, "0123456789", module->build_id.size);
		ck_assert(code.contains(code.context, module->low));
		ck_assert(!code.contains(code.context, module->high + 8 * PAGE));
	}
	snapshot_close(&snapshot);
}
END_TEST

/* A file may be loaded more than once (dlmopen), and the headers of the first one alone can be read here. */
START_TEST(takes_the_first_module_of_a_file)
{
	struct snapshot snapshot;

	make_header();
	fill_snapshot(&snapshot, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		struct snapshot_module *module = snapshot_add_module(&snapshot);
		*module = snapshot.modules[0];
		module->low = LOW + i * (HIGH - LOW);
		module->high = HIGH + i * (HIGH - LOW);
	}
	snapshot_remapped_code_find(&snapshot);
	ck_assert_uint_eq(snapshot.module_count, 5);
	ck_assert_uint_eq(snapshot.modules[4].low, SECOND);
	ck_assert_uint_eq(snapshot.modules[4].first_low, LOW);
	snapshot_close(&snapshot);
}
END_TEST

/* Without a header in memory nobody knows which part of the file is where. */
START_TEST(needs_the_program_headers)
{
	struct snapshot snapshot;

	memset(header, 0, sizeof(header));
	fill_snapshot(&snapshot, 0);
	snapshot_remapped_code_find(&snapshot);
	ck_assert_uint_eq(snapshot.module_count, 1);
	snapshot_close(&snapshot);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("remapped_code");
	TCase *tcase = tcase_create("remapped_code");

	tcase_add_loop_test(tcase, finds_code_that_is_mapped_again, 0, COUNT(rows));
	tcase_add_test(tcase, takes_the_first_module_of_a_file);
	tcase_add_test(tcase, needs_the_program_headers);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
