/* SPDX-License-Identifier: MIT */
/*
 * Tests what stands for memory that was not dumped, and the list of the dynamic linker, which may
 * run in a circle.
 */
#include "base/target_memory.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/snapshot/snapshot_modules.h"
#include "unit.h"

enum { BASE = 0x1000, CAPACITY = 0x1000, LOW = 0x10000, FILE_SIZE = 0x2000 };

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Memory from `low` on. */
struct dumped {
	uint64_t low;
	size_t size;
	uint8_t *bytes;
};

static enum cairn_status read_dumped(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct dumped *dumped = context;
	uint64_t at = address - dumped->low;

	if (at > dumped->size || size > dumped->size - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, dumped->bytes + at, size);
	return CAIRN_OK;
}

/* A program of two pages: the first is mapped read-only, the second writable. */
static struct cairn_bytes make_file(void)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	static uint8_t file[FILE_SIZE];

	memset(file, 0xf1, sizeof(file));
	memset(file, 0, 64 + 2 * 56);
	memcpy(file, ident, sizeof(ident));
	put(file + 16, 3, 2);
	put(file + 18, 62, 2);
	put(file + 32, 64, 8);
	put(file + 54, 56, 2);
	put(file + 56, 2, 2);
	for (size_t i = 0; i < 2; i++) {
		uint8_t *segment = file + 64 + i * 56;
		put(segment, 1, 4);
		put(segment + 4, i ? 6 : 4, 4);
		put(segment + 8, i * 0x1000, 8);
		put(segment + 16, i * 0x1000, 8);
		put(segment + 32, i ? 0x1000 : 0xf00, 8);
		put(segment + 40, i ? 0x1000 : 0xf00, 8);
	}
	return (struct cairn_bytes){ file, sizeof(file) };
}

static unsigned wanted;

static void give_file(void *context, size_t module)
{
	struct snapshot *snapshot = context;

	wanted++;
	snapshot->modules[module].file = make_file();
}

static void refuse_file(void *context, size_t module)
{
	struct snapshot *snapshot = context;

	wanted++;
	snapshot->modules[module].file_why = "its file has another build ID";
}

static const struct {
	const char *what;
	void (*want)(void *context, size_t module);
	uint64_t address;
	size_t size;
	int byte; /* -1: unreadable */
	unsigned wanted;
} rows[] = {
	{ "what was dumped", give_file, LOW + 0x800, 16, 0xd0, 0 },
	{ "a read-only part of the file", give_file, LOW + 0x200, 16, 0xf1, 1 },
	{ "the rest of its last page", give_file, LOW + 0xf80, 16, 0xf1, 1 },
	{ "a part that was writable", give_file, LOW + 0x1000, 1, -1, 1 },
	{ "on into a part that was writable", give_file, LOW + 0xff8, 16, -1, 1 },
	{ "a file of another build", refuse_file, LOW + 0x200, 16, -1, 1 },
	{ "no module", give_file, LOW - 1, 1, -1, 0 },
	{ "on behind the module", give_file, LOW + 0x2000, 1, -1, 0 },
	{ "no way to find files", NULL, LOW + 0x200, 16, -1, 0 },
};

START_TEST(reads_files_where_nothing_was_dumped)
{
	uint8_t bytes[16], got[16];
	struct dumped dumped = { LOW + 0x800, sizeof(bytes), bytes };
	struct snapshot snapshot = { .memory = { read_dumped, &dumped } };
	struct snapshot_module *module = snapshot_add_module(&snapshot);
	struct snapshot_memory memory;

	memset(bytes, 0xd0, sizeof(bytes));
	module->low = module->bias = LOW;
	module->high = LOW + FILE_SIZE;
	module->has_bias = true;
	snapshot_memory_open(&memory, &snapshot);
	memory.want_file = rows[_i].want;
	memory.context = &snapshot;
	wanted = 0;
	bool read = memory_read(&memory.target, rows[_i].address, got, rows[_i].size);
	ck_assert_msg(read == (rows[_i].byte >= 0), "%s", rows[_i].what);
	for (size_t i = 0; read && i < rows[_i].size; i++)
		ck_assert_msg(got[i] == rows[_i].byte, "%s", rows[_i].what);
	ck_assert_msg(!memory_read(&memory.target, LOW + 0x1fff, got, 1), "%s", rows[_i].what);
	ck_assert_uint_le(wanted, 1);
	ck_assert_msg(wanted >= rows[_i].wanted, "%s", rows[_i].what);
	snapshot_close(&snapshot);
}
END_TEST

/* The dynamic linker's list: two entries, the second of which leads to `next`. */
static struct snapshot make_linked(struct dumped *dumped, uint8_t auxv[48], uint64_t next)
{
	static uint8_t memory[CAPACITY];
	uint8_t *at = memory;

	memset(memory, 0, sizeof(memory));
	put(at, 6, 4); /* PT_PHDR, linked at 0 */
	put(at + 56, 2, 4);
	put(at + 56 + 16, 0x100, 8);
	put(at + 0x100, 21, 8); /* DT_DEBUG */
	put(at + 0x108, BASE + 0x200, 8);
	put(at + 0x208, BASE + 0x300, 8);
	put(at + 0x300, 0x5000, 8);
	put(at + 0x308, BASE + 0x400, 8);
	put(at + 0x318, BASE + 0x340, 8);
	put(at + 0x340, 0x6000, 8);
	put(at + 0x348, BASE + 0x408, 8);
	put(at + 0x358, next, 8);
	memcpy(at + 0x408, "libx.so", 8);
	memset(auxv, 0, 48);
	put(auxv, 3, 8);
	put(auxv + 8, BASE, 8);
	put(auxv + 16, 5, 8);
	put(auxv + 24, 2, 8);
	*dumped = (struct dumped){ BASE, sizeof(memory), memory };
	return (struct snapshot){ .word = 8,
		                  .auxv = { auxv, 48 },
		                  .memory = { read_dumped, dumped } };
}

struct visits {
	unsigned count;
	uint64_t bias;
	char name[16];
};

static bool take_visit(void *context, const struct link_map_entry *entry)
{
	struct visits *visits = context;

	visits->count++;
	visits->bias = entry->bias;
	ck_assert_uint_lt(entry->name.size, sizeof(visits->name));
	memcpy(visits->name, entry->name.data, entry->name.size);
	visits->name[entry->name.size] = '\0';
	return true;
}

START_TEST(follows_the_list_of_the_dynamic_linker)
{
	struct visits visits = { 0, 0, "" };
	struct dumped dumped;
	uint8_t auxv[48];
	struct snapshot snapshot = make_linked(&dumped, auxv, 0);

	snapshot_link_map(&snapshot, 0, take_visit, &visits);
	ck_assert_uint_eq(visits.count, 2);
	ck_assert_uint_eq(visits.bias, 0x6000);
	ck_assert_str_eq(visits.name, "libx.so");
}
END_TEST

START_TEST(ends_where_the_list_runs_in_a_circle)
{
	struct visits visits = { 0, 0, "" };
	struct dumped dumped;
	uint8_t auxv[48];
	struct snapshot snapshot = make_linked(&dumped, auxv, BASE + 0x300);

	snapshot_link_map(&snapshot, 0, take_visit, &visits);
	ck_assert_uint_eq(visits.count, LINK_MAP_MAX);
}
END_TEST

START_TEST(needs_all_that_leads_to_the_list)
{
	/* a byte that is taken away on the way, of the memory */
	static const size_t ways[] = { 0x38, 0x48, 0x100, 0x109, 0x209 };

	for (size_t i = 0; i < COUNT(ways); i++) {
		struct visits visits = { 0, 0, "" };
		struct dumped dumped;
		uint8_t auxv[48];
		struct snapshot snapshot = make_linked(&dumped, auxv, 0);
		dumped.bytes[ways[i]] ^= 0x7f;
		dumped.bytes[ways[i] + 1] ^= 0x7f;
		snapshot_link_map(&snapshot, 0, take_visit, &visits);
		ck_assert_uint_eq(visits.count, 0);
		snapshot.auxv.size = 31; /* without the number of headers */
		snapshot_link_map(&snapshot, 0, take_visit, &visits);
		ck_assert_uint_eq(visits.count, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snapshot_memory");
	TCase *tcase = tcase_create("snapshot_memory");

	tcase_add_loop_test(tcase, reads_files_where_nothing_was_dumped, 0, COUNT(rows));
	tcase_add_test(tcase, follows_the_list_of_the_dynamic_linker);
	tcase_add_test(tcase, ends_where_the_list_runs_in_a_circle);
	tcase_add_test(tcase, needs_all_that_leads_to_the_list);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
