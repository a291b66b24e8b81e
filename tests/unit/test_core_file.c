/* SPDX-License-Identifier: MIT */
/* Tests that a core file's memory ranges are found and read. */
#include "process/snapshot/core_file.h"
#include "unit.h"

enum { HEADER = 64, ENTRY = 56, CAPACITY = 4096, SEGMENTS = 6 };

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

struct segment {
	uint32_t type;
	uint64_t va, file_size, memory_size;
	uint8_t fill; /* of its bytes in the file */
};

/* A 64-bit little-endian core; segments of type 0 end the list. */
static struct cairn_bytes made_core(const struct segment *segments, uint16_t type)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	static uint8_t file[CAPACITY];
	size_t count = 0, at;

	memset(file, 0, sizeof(file));
	while (count < SEGMENTS && segments[count].type)
		count++;
	memcpy(file, ident, sizeof(ident));
	put(file + 16, type, 2);
	put(file + 18, ELF_EM_X86_64, 2);
	put(file + 20, 1, 4);
	put(file + 32, HEADER, 8);
	put(file + 52, HEADER, 2);
	put(file + 54, ENTRY, 2);
	put(file + 56, count, 2);
	at = HEADER + count * ENTRY;
	for (size_t i = 0; i < count; i++) {
		uint8_t *entry = file + HEADER + i * ENTRY;
		put(entry, segments[i].type, 4);
		put(entry + 4, 6, 4);
		put(entry + 8, at, 8);
		put(entry + 16, segments[i].va, 8);
		put(entry + 32, segments[i].file_size, 8);
		put(entry + 40, segments[i].memory_size, 8);
		memset(file + at, segments[i].fill, (size_t)segments[i].file_size);
		at += (size_t)segments[i].file_size;
	}
	return (struct cairn_bytes){ file, at };
}

static enum cairn_status open_core(struct corefile *core, struct cairn_bytes bytes)
{
	struct cairn_fault fault;
	struct elf elf;

	ck_assert_int_eq(elf_open(bytes, &elf, &fault), CAIRN_OK);
	return corefile_open(core, &elf);
}

static const struct row {
	const char *name;
	struct segment segments[SEGMENTS];
	size_t less; /* bytes cut off the file */
	size_t ranges;
	uint64_t address;
	size_t size;
	const char *memory; /* what is read there; NULL: it is not all there */
} rows[] = {
	{ "inside", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 0, 1, 0x1004, 4, "aaaa" },
	{ "first byte", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 0, 1, 0x1000, 1, "a" },
	{ "last byte", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 0, 1, 0x100f, 1, "a" },
	{ "before", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 0, 1, 0xfff, 2, NULL },
	{ "behind", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 0, 1, 0x100f, 2, NULL },
	{ "not dumped", { { ELF_PT_LOAD, 0x1000, 16, 32, 'a' } }, 0, 1, 0x1010, 1, NULL },
	{ "nothing dumped", { { ELF_PT_LOAD, 0x1000, 0, 32, 'a' } }, 0, 0, 0x1000, 1, NULL },
	{ "other kinds", { { ELF_PT_NOTE, 0x1000, 16, 16, 'a' } }, 0, 0, 0x1000, 1, NULL },
	{ "across two",
	  { { ELF_PT_LOAD, 0x1010, 16, 16, 'b' }, { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } },
	  0,
	  2,
	  0x100e,
	  4,
	  "aabb" },
	{ "across a gap",
	  { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' }, { ELF_PT_LOAD, 0x1011, 16, 16, 'b' } },
	  0,
	  2,
	  0x100e,
	  4,
	  NULL },
	{ "overlapping",
	  { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' }, { ELF_PT_LOAD, 0x1008, 16, 16, 'b' } },
	  0,
	  2,
	  0x100e,
	  4,
	  "aabb" },
	{ "one in another",
	  { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' }, { ELF_PT_LOAD, 0x1008, 4, 4, 'b' } },
	  0,
	  1,
	  0x1008,
	  4,
	  "aaaa" },
	{ "cut file", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 10, 1, 0x1002, 4, "aaaa" },
	{ "lost by the cut", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 10, 1, 0x1003, 4, NULL },
	{ "all lost", { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' } }, 16, 0, 0x1000, 1, NULL },
	{ "end of memory",
	  { { ELF_PT_LOAD, UINT64_MAX - 7, 16, 16, 'a' } },
	  0,
	  1,
	  UINT64_MAX - 3,
	  4,
	  "aaaa" },
	{ "round the end", { { ELF_PT_LOAD, UINT64_MAX - 7, 16, 16, 'a' } }, 0, 1, 0, 1, NULL },
};

START_TEST(reads_memory)
{
	const struct row *row = &rows[_i];
	struct cairn_bytes bytes = made_core(row->segments, ELF_TYPE_CORE);
	struct corefile core;
	char memory[16];

	bytes.size -= row->less;
	ck_assert_int_eq(open_core(&core, unit_exact(bytes)), CAIRN_OK);
	ck_assert_msg(core.count == row->ranges, "%s: %zu ranges", row->name, core.count);
	enum cairn_status status =
		core.target.read_memory(core.target.context, row->address, memory, row->size);
	ck_assert_msg(status == (row->memory ? CAIRN_OK : CAIRN_UNREADABLE), "%s", row->name);
	if (row->memory)
		ck_assert_msg(memcmp(memory, row->memory, row->size) == 0, "%s", row->name);
	corefile_close(&core);
	ck_assert_uint_eq(core.count, 0);
}
END_TEST

START_TEST(wants_a_core)
{
	struct segment segments[] = { { ELF_PT_LOAD, 0x1000, 16, 16, 'a' }, { 0 } };
	struct corefile core;

	ck_assert_int_eq(open_core(&core, made_core(segments, ELF_TYPE_EXEC)), CAIRN_MALFORMED);
	corefile_close(&core);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("corefile");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, reads_memory, 0, COUNT(rows));
	tcase_add_test(tc, wants_a_core);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
