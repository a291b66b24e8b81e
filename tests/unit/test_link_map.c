/* SPDX-License-Identifier: MIT */
/*
 * Tests the decoder of the dynamic linker's list over memory made by hand, in both byte orders: what
 * it finds, each way in which the memory can be damaged, and the number of reads.
 */
#include "link_map.h"

#include "unit.h"

#include <stdio.h>

enum {
	HEADERS = 64, /* where the program headers are */
	DYNAMIC = 0x800,
	SLOT = 0xf00,
	SECOND_DEBUG = 0xf40,
	DEBUG = 0xf80,
	LIBRARY = 0x1000, /* the first element of a list */
	LIBRARY_SIZE = 40,
	OTHER = 0x100000, /* another one */
	SIZE = 0x200000,
	PT_LOAD = 1,
	PT_DYNAMIC = 2,
	DT_NEEDED = 1,
	DT_DEBUG = 21,
};

#define BASE 0x7f0000000000ull
#define BIAS 0x7f0000001000ull /* of the library that symbols are held for */

/* The memory, from BASE on; the last kilobyte of the address space is its end, when `high` is set. */
static struct memory {
	uint8_t data[SIZE];
	bool big, high, everywhere;
	unsigned long reads, refuse_at, largest;
} memory;

static bool serve(void *context, uint64_t address, uint8_t *bytes, int size)
{
	struct memory *m = context;
	uint64_t at = address - (m->high ? 0 - (uint64_t)SIZE : BASE);

	m->reads++;
	m->largest = (unsigned long)size > m->largest ? (unsigned long)size : m->largest;
	ck_assert_msg(address <= UINT64_MAX - (uint64_t)(size - 1), "a read that wraps");
	if (m->reads == m->refuse_at)
		return false;
	if (m->everywhere)
		at %= SIZE / 2;
	if (at >= SIZE || (uint64_t)size > SIZE - at)
		return false;
	memcpy(bytes, m->data + at, (size_t)size);
	return true;
}

static bool has_symbols(void *context, uint64_t bias)
{
	(void)context;
	return bias == BIAS;
}

static struct link_map_memory lend_memory(void)
{
	return (struct link_map_memory){ serve, has_symbols, &memory, memory.big };
}

static void put(size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		memory.data[at + i] = (uint8_t)(value >> 8 * (memory.big ? size - 1 - i : i));
}

static void put_debug(size_t at, unsigned version, uint64_t map, uint64_t next)
{
	put(at, version, 4);
	put(at + 8, map, 8);
	put(at + 40, next, 8);
}

static void put_header(unsigned i, unsigned type, uint64_t va)
{
	put(HEADERS + i * 56, type, 4);
	put(HEADERS + i * 56 + 16, va, 8);
}

static void put_entry(unsigned i, uint64_t tag)
{
	put(DYNAMIC + i * 16, tag, 8);
}

static size_t library(size_t first, unsigned i)
{
	return first + (size_t)i * LIBRARY_SIZE;
}

static void put_next(size_t at, uint64_t next)
{
	put(at + 24, next, 8);
}

static void put_list(size_t first, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		size_t at = library(first, i);
		put(at + 8, 0xdeadbeefdeadbeef, 8); /* a name is never read */
		put_next(at, i + 1 < count ? BASE + library(first, i + 1) : 0);
		put(at + 32, i ? BASE + library(first, i - 1) : 0, 8);
	}
}

/* A program of two segments, and a list of three libraries. */
static void make_memory(bool big)
{
	memset(&memory, 0, sizeof(memory));
	memory.big = big;
	memcpy(memory.data, "\177ELF\2", 5);
	put(32, HEADERS, 8);
	put(56, 2, 2);
	put_header(0, PT_LOAD, 0);
	put_header(1, PT_DYNAMIC, DYNAMIC);
	put_entry(0, DT_NEEDED);
	put_entry(1, DT_DEBUG);
	put(SLOT, BASE + DEBUG, 8);
	put_debug(DEBUG, 1, BASE + LIBRARY, 0xdead);
	put_list(LIBRARY, 3);
}

/* 1. Where the list stands */

static void not_elf(void)
{
	memory.data[0] = 0;
}

static void of_32_bits(void)
{
	memory.data[4] = 1;
}

static void without_headers(void)
{
	put(56, 0, 2);
}

static void with_headers_elsewhere(void)
{
	put(32, SIZE - HEADERS, 8);
	put(56, 65535, 2);
}

static void with_headers_before(void)
{
	put(32, UINT64_MAX - 0xfff, 8);
}

static void with_headers_that_wrap(void)
{
	put(32, UINT64_MAX - BASE - 20, 8);
}

static void without_dynamic(void)
{
	put(56, 65535, 2);
	for (unsigned i = 0; i <= LINK_MAP_HEADERS; i++)
		put_header(i, i == LINK_MAP_HEADERS ? PT_DYNAMIC : PT_LOAD, DYNAMIC);
}

static void with_dynamic_last(void)
{
	put(56, LINK_MAP_HEADERS, 2);
	put_header(1, PT_LOAD, 0);
	put_header(LINK_MAP_HEADERS - 1, PT_DYNAMIC, DYNAMIC);
}

static void with_dynamic_elsewhere(void)
{
	put_header(1, PT_DYNAMIC, SIZE);
}

static void with_dynamic_that_wraps(void)
{
	put_header(1, PT_DYNAMIC, UINT64_MAX - BASE - 20);
}

static void without_entry(void)
{
	put_entry(1, 0);
	put_entry(2, DT_DEBUG);
}

static void without_end(void)
{
	for (unsigned i = 0; i < SLOT; i++)
		put_entry(i, DT_NEEDED);
}

static void with_entry_last(void)
{
	without_end();
	put_entry(LINK_MAP_DYNAMIC - 1, DT_DEBUG);
}

static const struct slot_row {
	const char *name;
	void (*damage)(void);
	uint64_t slot; /* from BASE on; 0: none is found */
	unsigned long reads;
} slot_rows[] = {
	{ "a program", NULL, DYNAMIC + 24, 5 },
	{ "not ELF", not_elf, 0, 1 },
	{ "of 32 bits", of_32_bits, 0, 1 },
	{ "no program headers", without_headers, 0, 1 },
	{ "headers past the end of what can be read", with_headers_elsewhere, 0, 3 },
	{ "headers before it", with_headers_before, 0, 2 },
	{ "headers that wrap", with_headers_that_wrap, 0, 1 },
	{ "no dynamic section in as many headers as are read", without_dynamic, 0,
	  1 + LINK_MAP_HEADERS },
	{ "the last header", with_dynamic_last, DYNAMIC + 24, 1 + LINK_MAP_HEADERS + 2 },
	{ "an unreadable dynamic section", with_dynamic_elsewhere, 0, 4 },
	{ "a dynamic section that wraps", with_dynamic_that_wraps, 0, 4 },
	{ "an end before the entry", without_entry, 0, 5 },
	{ "a dynamic section without end", without_end, 0, 3 + LINK_MAP_DYNAMIC },
	{ "the last entry", with_entry_last, DYNAMIC + 16 * (LINK_MAP_DYNAMIC - 1) + 8,
	  3 + LINK_MAP_DYNAMIC },
};

START_TEST(finds_the_slot)
{
	const struct slot_row *r = &slot_rows[_i / 2];
	uint64_t slot = 1;

	make_memory(_i % 2);
	if (r->damage)
		r->damage();
	const struct link_map_memory m = lend_memory();
	bool found = link_map_find_slot(&m, BASE, BASE, &slot);
	ck_assert_msg(found == (r->slot != 0), "%s: found %d", r->name, found);
	ck_assert_msg(slot == (found ? BASE + r->slot : 1), "%s: slot %#llx", r->name,
	              (unsigned long long)slot);
	ck_assert_msg(memory.reads == r->reads, "%s: %lu reads", r->name, memory.reads);
}
END_TEST

/* 2. What is in it */

static void one_more(void)
{
	put_list(LIBRARY, 4);
}

static void of_symbols(void)
{
	put(library(LIBRARY, 1), BIAS, 8);
}

static void of_symbols_elsewhere(void)
{
	put(library(LIBRARY, 1), BIAS, 8);
	memory.refuse_at = 6;
}

static void empty(void)
{
	put(DEBUG + 8, 0, 8);
}

static void two_namespaces(void)
{
	put_debug(DEBUG, 2, BASE + LIBRARY, BASE + SECOND_DEBUG);
	put_debug(SECOND_DEBUG, 2, BASE + OTHER, 0);
	put_list(OTHER, 2);
}

static void not_yet(void)
{
	put(SLOT, 0, 8);
}

static void slot_unreadable(void)
{
	memory.refuse_at = 2;
}

static void debug_elsewhere(void)
{
	put(SLOT, BASE + SIZE - 39, 8);
}

static void debug_that_wraps(void)
{
	put(SLOT, UINT64_MAX - 20, 8);
}

static void next_elsewhere(void)
{
	two_namespaces();
	put(SLOT, BASE + SIZE - 40, 8);
	put(SIZE - 40, 2, 4);
	put(SIZE - 32, BASE + LIBRARY, 8);
}

static void library_elsewhere(void)
{
	put_next(library(LIBRARY, 1), BASE + SIZE - LIBRARY_SIZE + 1);
}

static void library_that_wraps(void)
{
	put_next(library(LIBRARY, 1), UINT64_MAX - 8);
}

static void first_has_one_before(void)
{
	put(library(LIBRARY, 0) + 32, BASE + library(LIBRARY, 2), 8);
}

static void does_not_point_back(void)
{
	put(library(LIBRARY, 2) + 32, BASE + library(LIBRARY, 0), 8);
}

static void cycle(void)
{
	put_next(library(LIBRARY, 2), BASE + library(LIBRARY, 0));
}

static void cycle_of_one(void)
{
	put_next(library(LIBRARY, 0), BASE + library(LIBRARY, 0));
}

static void cycle_that_points_back(void)
{
	cycle();
	first_has_one_before();
}

static void cycle_of_namespaces(void)
{
	put_debug(DEBUG, 2, BASE + LIBRARY, BASE + DEBUG);
}

static void as_many_as_are_read(void)
{
	put_list(LIBRARY, LINK_MAP_LIBRARIES);
}

static void more_than_are_read(void)
{
	put_list(LIBRARY, LINK_MAP_LIBRARIES + 1);
}

static void more_in_two_namespaces(void)
{
	two_namespaces();
	put_list(LIBRARY, LINK_MAP_LIBRARIES / 2 + 1);
	put_list(OTHER, LINK_MAP_LIBRARIES / 2);
}

/* Every namespace has a list of its own, as long as one may be. */
static void more_in_all_namespaces(void)
{
	put_list(LIBRARY, LINK_MAP_LIBRARIES - 1);
	for (unsigned i = 0; i < LINK_MAP_NAMESPACES; i++)
		put_debug(OTHER + i * 48, 2, BASE + LIBRARY, BASE + OTHER + (i + 1) * 48);
	put_debug(OTHER + (LINK_MAP_NAMESPACES - 1) * 48, 1, BASE + LIBRARY, 0);
	put(SLOT, BASE + OTHER, 8);
}

static void zeros_everywhere(void)
{
	memset(memory.data, 0, SIZE);
	memory.everywhere = true;
}

static void ones_everywhere(void)
{
	memset(memory.data, 0xff, SIZE);
	memory.everywhere = true;
}

/* Whatever is read leads to an address that reads. */
static void addresses_everywhere(void)
{
	memset(memory.data, 0x10, SIZE);
	memory.everywhere = true;
}

static const struct hash_row {
	const char *name;
	void (*damage)(void);
	bool known;
	unsigned long reads;
} hash_rows[] = {
	{ "three libraries", NULL, true, 6 },
	{ "one more", one_more, true, 7 },
	{ "one that symbols are held for", of_symbols, true, 7 },
	{ "whose head is unreadable", of_symbols_elsewhere, true, 7 },
	{ "none", empty, true, 3 },
	{ "two namespaces", two_namespaces, true, 11 },
	{ "no list yet", not_yet, false, 2 },
	{ "the slot is unreadable", slot_unreadable, false, 2 },
	{ "the list's head is unreadable", debug_elsewhere, false, 3 },
	{ "the list's head wraps", debug_that_wraps, false, 2 },
	{ "the next namespace is unreadable", next_elsewhere, false, 7 },
	{ "a library is unreadable", library_elsewhere, false, 6 },
	{ "a library wraps", library_that_wraps, false, 5 },
	{ "the first has one before it", first_has_one_before, false, 4 },
	{ "one does not point back", does_not_point_back, false, 6 },
	{ "a cycle", cycle, false, 7 },
	{ "a cycle of one", cycle_of_one, false, 5 },
	{ "a cycle that points back", cycle_that_points_back, false, 4 },
	{ "a cycle of namespaces", cycle_of_namespaces, false, 2 + 5 * LINK_MAP_NAMESPACES },
	{ "as many as are read", as_many_as_are_read, true, 3 + LINK_MAP_LIBRARIES },
	{ "more than are read", more_than_are_read, false, 3 + LINK_MAP_LIBRARIES },
	{ "more in two namespaces", more_in_two_namespaces, false, 5 + LINK_MAP_LIBRARIES },
	{ "more in all namespaces", more_in_all_namespaces, false, 5 + LINK_MAP_LIBRARIES },
	{ "zeros everywhere", zeros_everywhere, false, 2 },
	{ "ones everywhere", ones_everywhere, false, 2 },
	{ "addresses everywhere", addresses_everywhere, false, 4 },
};

static void with_interpreter(void)
{
	put_header(1, 3, DYNAMIC);
}

static void with_code_alone(void)
{
	put_header(1, PT_LOAD, DYNAMIC);
}

static void with_too_many_headers(void)
{
	put(56, LINK_MAP_HEADERS + 1, 2);
	for (unsigned i = 0; i <= LINK_MAP_HEADERS; i++)
		put_header(i, PT_LOAD, DYNAMIC);
}

static const struct {
	const char *name;
	void (*change)(void);
	bool alone;
} programs[] = {
	{ "dynamic", NULL, false },
	{ "static", with_code_alone, true },
	{ "with an interpreter alone", with_interpreter, false },
	{ "no program headers", without_headers, false },
	{ "headers that cannot be read", with_headers_elsewhere, false },
	{ "more headers than are looked at", with_too_many_headers, false },
	{ "not ELF", not_elf, false },
};

/* A static program has no list: the number is that of its own head. */
START_TEST(knows_a_program_that_is_alone)
{
	const struct link_map_memory m = lend_memory();
	uint64_t hash, other;

	make_memory(false);
	if (programs[_i].change)
		programs[_i].change();
	ck_assert_msg(link_map_is_alone(&m, BASE) == programs[_i].alone, "%s", programs[_i].name);
	ck_assert(link_map_hash_alone(&m, BASE, &hash));
	put_next(library(LIBRARY, 0), 0); /* a list does not matter */
	ck_assert(link_map_hash_alone(&m, BASE, &other) && other == hash);
	memory.data[LINK_MAP_HEAD - 1] ^= 1;
	ck_assert(link_map_hash_alone(&m, BASE, &other) && other != hash);
	ck_assert(!link_map_hash_alone(&m, BASE + SIZE - LINK_MAP_HEAD + 1, &other));
	for (memory.refuse_at = 1; memory.refuse_at <= 3; memory.refuse_at++) {
		memory.reads = 0;
		ck_assert(!link_map_is_alone(&m, BASE));
	}
}
END_TEST

START_TEST(knows_what_is_loaded)
{
	const struct hash_row *r = &hash_rows[_i / 2];
	uint64_t hash, again;

	make_memory(_i % 2);
	if (r->damage)
		r->damage();
	const struct link_map_memory m = lend_memory();
	bool known = link_map_hash(&m, BASE, BASE + SLOT, &hash);
	ck_assert_msg(known == r->known, "%s: known %d", r->name, known);
	ck_assert_msg(memory.reads == r->reads, "%s: %lu reads", r->name, memory.reads);
	ck_assert_uint_le(memory.reads, LINK_MAP_HASH_READS);
	ck_assert_uint_le(memory.largest, LINK_MAP_LARGEST_READ);
	memory.reads = 0;
	ck_assert(link_map_hash(&m, BASE, BASE + SLOT, &again) == known);
	ck_assert_msg(!known || hash == again, "%s: another number for the same list", r->name);
}
END_TEST

/* Where a changed byte is a changed list. */
static const struct part {
	size_t at, size;
	bool counts;
} parts[] = {
	{ 0, LINK_MAP_HEAD, true }, /* the program's head */
	{ DEBUG, 40, true },
	{ LIBRARY, 3 * LIBRARY_SIZE, true },
	{ BIAS - BASE + 0x100, 0x100, true }, /* the head of the second library */
	{ LIBRARY + 0x800, 0x100, false },
	{ SECOND_DEBUG, 40, false },
};

START_TEST(notices_each_byte)
{
	const struct part *p = &parts[_i];
	uint64_t first, hash;

	make_memory(false);
	of_symbols();
	const struct link_map_memory m = lend_memory();
	ck_assert(link_map_hash(&m, BASE, BASE + SLOT, &first));
	for (size_t i = 0; i < p->size; i++) {
		memory.data[p->at + i] ^= 0x40;
		bool same = link_map_hash(&m, BASE, BASE + SLOT, &hash) && hash == first;
		ck_assert_msg(same != p->counts, "byte %#zx", p->at + i);
		memory.data[p->at + i] ^= 0x40;
	}
}
END_TEST

/* A list in the last bytes of the address space. */
START_TEST(reads_to_the_end)
{
	const uint64_t base = 0 - (uint64_t)SIZE;
	uint64_t slot, hash;

	make_memory(false);
	memory.high = true;
	put(SLOT, base + DEBUG, 8);
	put(DEBUG + 8, 0 - (uint64_t)LIBRARY_SIZE, 8);
	const struct link_map_memory m = lend_memory();
	ck_assert(link_map_find_slot(&m, base, base, &slot));
	ck_assert_uint_eq(slot, base + DYNAMIC + 24);
	ck_assert(link_map_hash(&m, base, base + SLOT, &hash));
	ck_assert_uint_eq(memory.reads, 5 + 4);
}
END_TEST

/* Each read fails once. */
START_TEST(bears_unreadable_memory)
{
	uint64_t slot = 1, hash;

	make_memory(false);
	two_namespaces();
	const struct link_map_memory m = lend_memory();
	for (unsigned long i = 1; i <= 11; i++) {
		memory.reads = 0;
		memory.refuse_at = i;
		bool known = link_map_hash(&m, BASE, BASE + SLOT, &hash);
		ck_assert_msg(known == (i == 1), "read %lu", i); /* the program's head may fail */
		ck_assert_uint_eq(memory.reads, i == 1 ? 11 : i);
	}
	for (unsigned long i = 1; i <= 5; i++) {
		memory.reads = 0;
		memory.refuse_at = i;
		ck_assert(!link_map_find_slot(&m, BASE, BASE, &slot) && slot == 1);
		ck_assert_uint_eq(memory.reads, i);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("link_map");
	TCase *tests = tcase_create("link_map");

	tcase_add_loop_test(tests, knows_a_program_that_is_alone, 0, COUNT(programs));
	tcase_add_loop_test(tests, finds_the_slot, 0, 2 * COUNT(slot_rows));
	tcase_add_loop_test(tests, knows_what_is_loaded, 0, 2 * COUNT(hash_rows));
	tcase_add_loop_test(tests, notices_each_byte, 0, COUNT(parts));
	tcase_add_test(tests, reads_to_the_end);
	tcase_add_test(tests, bears_unreadable_memory);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
