/* SPDX-License-Identifier: MIT */
/*
 * Tests by what a file is known as that of a module whose headers were not dumped: each thing that differs
 * is enough to reject it; and which module the dynamic linker's list names.
 */
#include "process/snapshot/snapshot_modules.h"
#include "unit.h"

enum {
	BIAS = 0x50000,
	SIZE = 0x1100,
	DYNAMIC = 0x1040, /* in the file, and as linked */
	ENTRY = 0x400,
	SEGMENTS = 3,
};

static uint8_t bytes[SIZE], memory[SIZE - DYNAMIC], auxv[64];

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void put_segment(unsigned index, unsigned type, unsigned flags, uint64_t va, uint64_t size)
{
	uint8_t *segment = bytes + 64 + index * 56;

	put(segment, type, 4);
	put(segment + 4, flags, 4);
	put(segment + 8, va, 8);
	put(segment + 16, va, 8);
	put(segment + 32, size, 8);
	put(segment + 40, size, 8);
}

/* A tag with its value, in the file and as the dynamic linker left it. */
static void put_dynamic(unsigned index, uint64_t tag, uint64_t linked, uint64_t loaded)
{
	put(bytes + DYNAMIC + 16 * index, tag, 8);
	put(bytes + DYNAMIC + 16 * index + 8, linked, 8);
	put(memory + 16 * index, tag, 8);
	put(memory + 16 * index + 8, loaded, 8);
}

static void make_file(void)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	memset(bytes, 0, sizeof(bytes));
	memset(memory, 0, sizeof(memory));
	memcpy(bytes, ident, sizeof(ident));
	put(bytes + 16, ELF_TYPE_DYN, 2);
	put(bytes + 18, ELF_EM_X86_64, 2);
	put(bytes + 24, ENTRY, 8);
	put(bytes + 32, 64, 8);
	put(bytes + 54, 56, 2);
	put(bytes + 56, SEGMENTS, 2);
	put_segment(0, 1, 5, 0, 0x1000);
	put_segment(1, 1, 6, 0x1000, 0x100);
	put_segment(2, 2, 6, DYNAMIC, 0x40);
	put_dynamic(0, 5, 0x300, BIAS + 0x300); /* DT_STRTAB: an address */
	put_dynamic(1, 10, 0x77, 0x77);         /* DT_STRSZ: a number */
	put_dynamic(2, 21, 0, 0x1234);          /* DT_DEBUG: the dynamic linker's own */
}

static void put_auxv(unsigned index, uint64_t type, uint64_t value)
{
	put(auxv + 16 * index, type, 8);
	put(auxv + 16 * index + 8, value, 8);
}

static enum cairn_status read_dumped(void *context, uint64_t address, void *buffer, size_t size)
{
	uint64_t at = address - (BIAS + DYNAMIC);

	(void)context;
	if (at > sizeof(memory) || size > sizeof(memory) - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory + at, size);
	return CAIRN_OK;
}

static struct snapshot make_snapshot(void)
{
	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE,
		                     .machine = CAIRN_MACHINE_AMD64,
		                     .word = 8,
		                     .auxv = { auxv, sizeof(auxv) },
		                     .memory = { read_dumped, NULL } };

	make_file();
	memset(auxv, 0, sizeof(auxv));
	put_auxv(0, 3, BIAS + 64);
	put_auxv(1, 5, SEGMENTS);
	put_auxv(2, 9, BIAS + ENTRY);
	for (uint64_t page = 0; page < 2; page++) {
		struct snapshot_mapping *mapping = snapshot_add_mapping(&snapshot);
		mapping->low = BIAS + page * 0x1000;
		mapping->high = mapping->low + 0x1000;
	}
	snapshot_sort_mappings(&snapshot);
	return snapshot;
}

static struct elf open_file(void)
{
	struct cairn_fault fault;
	struct elf elf;

	ck_assert_int_eq(elf_open((struct cairn_bytes){ bytes, sizeof(bytes) }, &elf, &fault),
	                 CAIRN_OK);
	return elf;
}

/* One field that is changed after all was made. */
static const struct {
	const char *what;
	uint8_t *at;
	uint64_t value;
	size_t size;
	bool program, loaded;
} rows[] = {
	{ "nothing", bytes + 9, 0, 1, true, true },
	{ "another machine", bytes + 18, ELF_EM_AARCH64, 2, false, false },
	{ "an entry point elsewhere", bytes + 24, ENTRY + 1, 8, false, true },
	{ "another number of program headers", auxv + 24, SEGMENTS + 1, 8, false, true },
	{ "headers elsewhere", auxv + 8, BIAS + 128, 8, false, true },
	{ "a program that is not moved", bytes + 16, ELF_TYPE_EXEC, 2, false, false },
	{ "an object file", bytes + 16, 1, 2, false, false },
	{ "a segment that wraps", bytes + 64 + 56 + 40, UINT64_MAX, 8, false, false },
	{ "a segment where nothing is mapped", bytes + 64 + 56 + 16, 0x9000, 8, false, false },
	{ "another tag", bytes + DYNAMIC, 6, 8, false, false },
	{ "another address", memory + 8, BIAS + 0x301, 8, false, false },
	{ "another number", memory + 24, 0x78, 8, false, false },
	{ "its end further on", bytes + DYNAMIC + 48, 7, 8, false, false },
	{ "a section of which a part can be read", bytes + 64 + 2 * 56 + 16, SIZE - 8, 8, false,
	  false },
	{ "a section past the end of the file", bytes + 64 + 2 * 56 + 8, SIZE, 8, false, false },
};

START_TEST(knows_a_file_by_what_was_dumped)
{
	const struct link_map_entry entry = { BIAS, BIAS + DYNAMIC, { (const uint8_t *)"", 0 } };
	struct snapshot snapshot = make_snapshot();
	uint64_t bias = 1;

	put(rows[_i].at, rows[_i].value, rows[_i].size);
	const struct elf elf = open_file();
	ck_assert(snapshot_lacks_program(&snapshot));
	ck_assert_msg(snapshot_is_program(&snapshot, &elf, true, &bias) == rows[_i].program, "%s",
	              rows[_i].what);
	ck_assert_uint_eq(bias, rows[_i].program ? BIAS : 1);
	ck_assert_msg(snapshot_is_loaded(&snapshot, &elf, &entry) == rows[_i].loaded, "%s",
	              rows[_i].what);
	snapshot_close(&snapshot);
}
END_TEST

/* A core that was cut down to its stacks lists no mapping of the program: the user's word and three numbers are left. */
START_TEST(takes_the_users_word_for_what_was_cut)
{
	static const struct {
		const char *what;
		uint8_t *at;
		uint64_t value;
		bool program;
	} cut[] = {
		{ "nothing", bytes + 9, 0, true },
		{ "an entry point elsewhere", bytes + 24, ENTRY + 1, false },
		{ "another number of program headers", auxv + 24, SEGMENTS + 1, false },
		{ "a dynamic section past the end of the file", bytes + 64 + 2 * 56, 2, false },
	};

	for (size_t i = 0; i < COUNT(cut); i++) {
		struct snapshot snapshot = make_snapshot();
		uint64_t bias = 1;

		put_segment(2, 4, 4, SIZE, 0x40); /* a note, in place of the dynamic section */
		put(cut[i].at, cut[i].value, cut[i].at == bytes + 9 ? 1 : 4);
		for (size_t m = 0; m < snapshot.mapping_count; m++)
			snapshot.mappings[m].low += 0x1000000,
				snapshot.mappings[m].high += 0x1000000;
		const struct elf elf = open_file();
		ck_assert_msg(snapshot_is_program(&snapshot, &elf, true, &bias) == cut[i].program,
		              "%s", cut[i].what);
		ck_assert_uint_eq(bias, cut[i].program ? BIAS : 1);
		ck_assert(!snapshot_is_program(&snapshot, &elf, false, &bias));
		/* a part of it is mapped */
		snapshot.mappings[0].low = BIAS + 0x1000;
		snapshot.mappings[0].high = BIAS + 0x2000;
		ck_assert(!snapshot_is_program(&snapshot, &elf, true, &bias));
		snapshot_close(&snapshot);
	}
}
END_TEST

/* A core that was written without the program's variables has nothing of its dynamic section. */
START_TEST(takes_the_users_word_for_what_was_not_written)
{
	const struct link_map_entry entry = { BIAS, BIAS + 0x10, { (const uint8_t *)"", 0 } };
	struct snapshot snapshot = make_snapshot();
	uint64_t bias = 1;

	put(bytes + 64 + 2 * 56 + 16, 0x10, 8); /* which cannot be read */
	struct elf elf = open_file();
	ck_assert(!snapshot_is_loaded(&snapshot, &elf, &entry));
	ck_assert(!snapshot_is_program(&snapshot, &elf, false, &bias));
	ck_assert_uint_eq(bias, 1);
	ck_assert(snapshot_is_program(&snapshot, &elf, true, &bias));
	ck_assert_uint_eq(bias, BIAS);
	put(bytes + 24, ENTRY + 1, 8);
	elf = open_file();
	ck_assert(!snapshot_is_program(&snapshot, &elf, true, &bias));
	snapshot_close(&snapshot);
}
END_TEST

START_TEST(adds_its_module_once)
{
	static const struct cairn_bytes path = BYTES("/x");
	struct snapshot snapshot = make_snapshot();
	const struct elf elf = open_file();
	const struct snapshot_module *module = snapshot_add_unlisted(&snapshot, &elf, BIAS, path);

	ck_assert_ptr_nonnull(module);
	ck_assert(module->low == BIAS && module->high == BIAS + SIZE && module->bias == BIAS);
	ck_assert(!snapshot_lacks_program(&snapshot) && snapshot_has_module(&snapshot, BIAS));
	ck_assert_ptr_null(snapshot_add_unlisted(&snapshot, &elf, BIAS, path));
	ck_assert_uint_eq(snapshot_dynamic_address(&elf, BIAS), BIAS + DYNAMIC);
	snapshot_close(&snapshot);
}
END_TEST

/* One that the list of mapped files has, without a bias, is completed and keeps its path. */
START_TEST(completes_a_module_without_headers)
{
	static const struct cairn_bytes path = BYTES("/x"), known = BYTES("/known");
	struct snapshot snapshot = make_snapshot();
	const struct elf elf = open_file();
	struct snapshot_module *module = snapshot_add_module(&snapshot);

	module->low = BIAS;
	module->high = BIAS + 0x1000;
	module->path = known;
	ck_assert(snapshot_lacks_program(&snapshot));
	ck_assert_ptr_eq(snapshot_add_unlisted(&snapshot, &elf, BIAS, path), module);
	ck_assert(module->has_bias && module->path.size == known.size);
	ck_assert_uint_eq(snapshot.module_count, 1);
	snapshot_close(&snapshot);
}
END_TEST

enum { DEBUG = BIAS + DYNAMIC + 0x40, FIRST = DEBUG + 0x20, SECOND = FIRST + 40 };

/* The dynamic linker's list: where its first entry is, and what each of two has as the next one. */
static const struct {
	const char *name;
	uint64_t first, next, after;
	unsigned entries;
} lists[] = {
	{ "two", FIRST, SECOND, 0, 2 },
	{ "empty", 0, 0, 0, 0 },
	{ "a circle of two", FIRST, SECOND, FIRST, LINK_MAP_MAX },
	{ "an entry that follows itself", FIRST, FIRST, 0, LINK_MAP_MAX },
	{ "the second follows itself", FIRST, SECOND, SECOND, LINK_MAP_MAX },
	{ "an entry that was not dumped", FIRST, 0x10, 0, 1 },
	{ "an entry at the end of memory", FIRST, UINT64_MAX - 3, 0, 1 },
	{ "a part of an entry", FIRST, BIAS + SIZE - 16, 0, 1 },
};

static bool count_entry(void *context, const struct link_map_entry *entry)
{
	unsigned *count = context;

	ck_assert(entry->bias == BIAS || entry->bias == BIAS + 1);
	ck_assert_uint_eq(entry->name.size, 0);
	++*count;
	return true;
}

START_TEST(follows_the_list_to_its_end)
{
	struct snapshot snapshot = make_snapshot();
	unsigned count = 0;

	put(memory + 16, 21, 8); /* DT_DEBUG */
	put(memory + 24, DEBUG, 8);
	put(memory + 0x40 + 8, lists[_i].first, 8);
	put(memory + 0x60, BIAS, 8);
	put(memory + 0x60 + 24, lists[_i].next, 8);
	put(memory + 0x60 + 40, BIAS + 1, 8);
	put(memory + 0x60 + 40 + 24, lists[_i].after, 8);
	snapshot_link_map(&snapshot, BIAS + DYNAMIC, count_entry, &count);
	ck_assert_msg(count == lists[_i].entries, "%s: %u", lists[_i].name, count);
	snapshot_close(&snapshot);
}
END_TEST

enum {
	IMAGES = 3,
	IMAGE = 0x1000,
	PLACES = 0x20000,
	IMAGE_DYNAMIC = 0x200,
	MAP = 0x300,
	LOADED_AS = 0x800
};

static uint8_t images[IMAGES][IMAGE];

static uint64_t place_of(unsigned image)
{
	return PLACES + image * 2u * IMAGE;
}

static enum cairn_status read_images(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	for (unsigned i = 0; i < IMAGES; i++) {
		uint64_t at = address - place_of(i);
		if (at >= IMAGE || size > IMAGE - at)
			continue;
		memcpy(buffer, images[i] + at, size);
		return CAIRN_OK;
	}
	return CAIRN_UNREADABLE;
}

/* An image that was linked to where it is, as all are that prelink has gone over. */
static void put_image(unsigned image)
{
	const uint64_t at = place_of(image);

	make_file();
	put(bytes + 56, 2, 2);
	put_segment(0, 1, 5, 0, IMAGE);
	put_segment(1, 2, 6, IMAGE_DYNAMIC, 0x20);
	for (unsigned i = 0; i < 2; i++)
		put(bytes + 64 + i * 56 + 16, at + (i ? IMAGE_DYNAMIC : 0), 8);
	memcpy(images[image], bytes, IMAGE);
	put(images[image] + IMAGE_DYNAMIC, 21, 8);
	put(images[image] + IMAGE_DYNAMIC + 8, place_of(0) + MAP, 8);
}

/* The list is in the first image, which is the program: a name for each, and a bias of 0. */
static void put_link_map(void)
{
	static const char *const names[IMAGES] = { "", "/lib/one.so", "/lib/two.so" };

	put(images[0] + MAP + 8, place_of(0) + MAP + 0x40, 8);
	for (unsigned i = 0; i < IMAGES; i++) {
		uint8_t *entry = images[0] + MAP + 0x40 + 0x40 * i;
		strcpy((char *)images[0] + LOADED_AS + 32 * i, names[i]);
		put(entry + 8, place_of(0) + LOADED_AS + 32 * i, 8);
		put(entry + 16, place_of(i) + IMAGE_DYNAMIC, 8);
		put(entry + 24, i + 1 < IMAGES ? place_of(0) + MAP + 0x80 + 0x40 * i : 0, 8);
	}
}

START_TEST(names_prelinked_modules_by_where_they_are)
{
	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE,
		                     .machine = CAIRN_MACHINE_AMD64,
		                     .word = 8,
		                     .auxv = { auxv, sizeof(auxv) },
		                     .memory = { read_images, NULL } };

	memset(auxv, 0, sizeof(auxv));
	put_auxv(0, 3, place_of(0) + 64);
	put_auxv(1, 5, 2);
	for (unsigned i = 0; i < IMAGES; i++) {
		struct snapshot_mapping *mapping = snapshot_add_mapping(&snapshot);
		mapping->low = place_of(i);
		mapping->high = mapping->low + IMAGE;
		put_image(i);
	}
	put_link_map();
	snapshot_sort_mappings(&snapshot);
	snapshot_modules_find(&snapshot);
	ck_assert_uint_eq(snapshot.module_count, IMAGES);
	for (unsigned i = 0; i < IMAGES; i++)
		ck_assert(snapshot.modules[i].has_bias && snapshot.modules[i].bias == 0);
	ck_assert_uint_eq(snapshot.modules[0].path.size, 0);
	ck_assert_mem_eq(snapshot.modules[1].path.data, "/lib/one.so", 11);
	ck_assert_mem_eq(snapshot.modules[2].path.data, "/lib/two.so", 11);
	snapshot_close(&snapshot);
}
END_TEST

/* The kernel puts the vDSO between two segments of the first image, which goes on behind it. Without the auxiliary vector nothing tells that it is a module. */
START_TEST(finds_the_vdso_in_a_gap)
{
	static const uint64_t behind = 3 * IMAGE;
	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE,
		                     .machine = CAIRN_MACHINE_AMD64,
		                     .word = 8,
		                     .auxv = { auxv, sizeof(auxv) },
		                     .memory = { read_images, NULL } };
	const bool told = _i > 0;

	memset(auxv, 0, sizeof(auxv));
	put_auxv(0, told ? 33 : 32, place_of(1));
	for (unsigned i = 0; i < IMAGES; i++) {
		struct snapshot_mapping *mapping = snapshot_add_mapping(&snapshot);
		mapping->low = place_of(i);
		mapping->high = mapping->low + IMAGE;
		put_image(i);
	}
	put(images[0] + 56, 3, 2);
	memcpy(images[0] + 64 + 2 * 56, images[0] + 64, 56);
	put(images[0] + 64 + 2 * 56 + 16, place_of(0) + behind, 8);
	snapshot_sort_mappings(&snapshot);
	snapshot_modules_find(&snapshot);
	ck_assert_uint_eq(snapshot.module_count, told ? IMAGES : IMAGES - 1);
	ck_assert_uint_eq(snapshot.modules[0].high, place_of(0) + behind + IMAGE);
	const struct snapshot_module *vdso = snapshot_find_module(&snapshot, place_of(1) + 8);
	ck_assert_ptr_eq(vdso, &snapshot.modules[told]);
	ck_assert(!told || (vdso->path.size == 6 && memcmp(vdso->path.data, "[vdso]", 6) == 0));
	ck_assert_ptr_eq(snapshot_find_module(&snapshot, place_of(0) + 8), &snapshot.modules[0]);
	ck_assert_ptr_eq(snapshot_find_module(&snapshot, place_of(0) + behind),
	                 &snapshot.modules[0]);
	ck_assert_ptr_eq(snapshot_find_module(&snapshot, place_of(2)), &snapshot.modules[1 + told]);
	ck_assert_ptr_null(snapshot_find_module(&snapshot, place_of(2) + IMAGE));
	snapshot_close(&snapshot);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unlisted_modules");
	TCase *tcase = tcase_create("unlisted_modules");

	tcase_add_loop_test(tcase, knows_a_file_by_what_was_dumped, 0, COUNT(rows));
	tcase_add_test(tcase, takes_the_users_word_for_what_was_cut);
	tcase_add_test(tcase, takes_the_users_word_for_what_was_not_written);
	tcase_add_test(tcase, adds_its_module_once);
	tcase_add_test(tcase, completes_a_module_without_headers);
	tcase_add_loop_test(tcase, follows_the_list_to_its_end, 0, COUNT(lists));
	tcase_add_test(tcase, names_prelinked_modules_by_where_they_are);
	tcase_add_loop_test(tcase, finds_the_vdso_in_a_gap, 0, 2);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
