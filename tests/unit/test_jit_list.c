/* SPDX-License-Identifier: MIT */
/* Tests the list of GDB's JIT interface in memory: what is read of one that is damaged, and what it says of that. */
#include "unit.h"

#include "symbols/jit_list.h"

#include <string.h>

enum { BASE = 0x1000 };

/* Words of eight bytes from BASE on; the descriptor is three of them, an entry four. */
struct memory {
	uint64_t word[16];
	size_t count;
};

static enum cairn_status read_words(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct memory *memory = context;
	const uint64_t end = BASE + 8 * memory->count;

	if (address < BASE || address > end || size > end - address)
		return CAIRN_UNREADABLE;
	memcpy(buffer, (const uint8_t *)memory->word + (address - BASE), size);
	return CAIRN_OK;
}

/* `what` is a part of what is said; NULL: nothing is */
static const struct {
	const char *name;
	struct memory memory;
	enum cairn_status status;
	const char *what;
	uint64_t offset; /* of the entry that it is said of */
} lists[] = {
	{ "no memory", { { 0 }, 0 }, CAIRN_UNREADABLE, NULL, 0 },
	{ "half a descriptor", { { 1, 0 }, 2 }, CAIRN_UNREADABLE, NULL, 0 },
	{ "another version", { { 2, 0, BASE }, 3 }, CAIRN_UNSUPPORTED, NULL, 0 },
	{ "an empty list", { { 1, 0, 0 }, 3 }, CAIRN_NOT_FOUND, NULL, 0 },
	{ "an entry in no memory",
	  { { 1, 0, 0x9000 }, 3 },
	  CAIRN_OK,
	  "entry of JIT code cannot be read",
	  0x9000 },
	{ "an entry past the end of all addresses",
	  { { 1, 0, UINT64_MAX - 7 }, 3 },
	  CAIRN_OK,
	  "entry of JIT code cannot be read",
	  UINT64_MAX - 7 },
	{ "an entry that is cut",
	  { { 1, 0, BASE + 24, 0, 0, BASE }, 6 },
	  CAIRN_OK,
	  "entry of JIT code cannot be read",
	  BASE + 24 },
	{ "an entry that follows itself",
	  { { 1, 0, BASE + 24, BASE + 24, 0, BASE, 8 }, 7 },
	  CAIRN_OK,
	  "is circular",
	  BASE + 24 },
	{ "two entries that follow each other",
	  { { 1, 0, BASE + 24, BASE + 56, 0, BASE, 8, BASE + 24, 0, BASE, 8 }, 11 },
	  CAIRN_OK,
	  "is circular",
	  BASE + 56 },
	{ "an object without bytes",
	  { { 1, 0, BASE + 24, 0, 0, BASE, 0 }, 7 },
	  CAIRN_OK,
	  "not an ELF file",
	  BASE + 24 },
	{ "an object that is text",
	  { { 1, 0, BASE + 24, 0, 0, BASE, 16 }, 7 },
	  CAIRN_OK,
	  "not an ELF file",
	  BASE + 24 },
	{ "an object in no memory",
	  { { 1, 0, BASE + 24, 0, 0, 0x9000, 16 }, 7 },
	  CAIRN_OK,
	  "object of JIT code cannot be read",
	  BASE + 24 },
	{ "an object past the end of memory",
	  { { 1, 0, BASE + 24, 0, 0, BASE, 0x1000000 }, 7 },
	  CAIRN_OK,
	  "object of JIT code cannot be read",
	  BASE + 24 },
	{ "an object that wraps",
	  { { 1, 0, BASE + 24, 0, 0, UINT64_MAX - 3, 16 }, 7 },
	  CAIRN_OK,
	  "object of JIT code cannot be read",
	  BASE + 24 },
	{ "an object of all sizes",
	  { { 1, 0, BASE + 24, 0, 0, BASE, UINT64_MAX }, 7 },
	  CAIRN_OK,
	  "objects of JIT code are too large",
	  BASE + 24 },
};

START_TEST(damaged_lists_say_what_is_wrong)
{
	struct memory memory = lists[_i].memory;
	const struct cairn_target target = { read_words, &memory };
	struct byte_buffer dump = { .limit = JIT_LIST_MAX };
	struct cairn_fault fault;

	ck_assert_msg(jit_list_read(&target, BASE, false, &dump, &fault) == lists[_i].status, "%s",
	              lists[_i].name);
	if (lists[_i].what) {
		ck_assert_msg(fault.what && strstr(fault.what, lists[_i].what), "%s: %s",
		              lists[_i].name, fault.what ? fault.what : "nothing");
		ck_assert_msg(fault.offset == lists[_i].offset, "%s", lists[_i].name);
	} else {
		ck_assert_msg(!fault.what, "%s", lists[_i].name);
	}
	byte_buffer_finish(&dump);
}
END_TEST

START_TEST(words_of_the_other_byte_order_are_another_version)
{
	struct memory memory = { { 1, 0, 0 }, 3 };
	const struct cairn_target target = { read_words, &memory };
	struct byte_buffer dump = { .limit = JIT_LIST_MAX };
	struct cairn_fault fault;

	ck_assert_int_eq(jit_list_read(&target, BASE, true, &dump, &fault), CAIRN_UNSUPPORTED);
	byte_buffer_finish(&dump);
}
END_TEST

/* `at`: where the descriptor is found; 0: none is */
static const struct {
	const char *name;
	struct memory memory;
	uint64_t at;
} scans[] = {
	{ "no memory", { { 0 }, 0 }, 0 },
	{ "an empty list", { { 1, 0, 0 }, 3 }, 0 },
	{ "numbers", { { 1, 2, 3, 4, 5, 6, 7, 8 }, 8 }, 0 },
	{ "a list behind numbers",
	  { { 7, 1, 0, BASE + 32, 0, 0, BASE + 64, 64, 0x464c457f }, 9 },
	  BASE + 8 },
	{ "while an entry is told of",
	  { { (uint64_t)1 << 32 | 1, BASE + 24, BASE + 24, 0, 0, BASE + 56, 64, 0x464c457f }, 8 },
	  BASE },
	{ "another action",
	  { { (uint64_t)3 << 32 | 1, 0, BASE + 24, 0, 0, BASE + 56, 64, 0x464c457f }, 8 },
	  0 },
	{ "another version", { { 2, 0, BASE + 24, 0, 0, BASE + 56, 64, 0x464c457f }, 8 }, 0 },
	{ "an entry with one before it",
	  { { 1, 0, BASE + 24, 0, BASE, BASE + 56, 64, 0x464c457f }, 8 },
	  0 },
	{ "an object that is none", { { 1, 0, BASE + 24, 0, 0, BASE + 56, 64, 0x464c }, 8 }, 0 },
	{ "an object without a header",
	  { { 1, 0, BASE + 24, 0, 0, BASE + 56, 63, 0x464c457f }, 8 },
	  0 },
	{ "an object that is too large",
	  { { 1, 0, BASE + 24, 0, 0, BASE + 56, JIT_LIST_OBJECT + 1, 0x464c457f }, 8 },
	  0 },
	{ "an entry in no memory", { { 1, 0, 0x9000 }, 3 }, 0 },
	{ "an odd entry", { { 1, 0, BASE + 25, 0, 0, BASE + 56, 64, 0x464c457f, 0 }, 9 }, 0 },
};

START_TEST(finds_descriptors_in_memory)
{
	struct memory memory = scans[_i].memory;
	const struct cairn_target target = { read_words, &memory };
	const struct cairn_range range = { BASE - 5, BASE + 8 * memory.count };
	uint64_t at = 0;

	ck_assert_msg(jit_list_scan(&target, range, false, &at) == (scans[_i].at != 0), "%s",
	              scans[_i].name);
	ck_assert_msg(at == scans[_i].at, "%s: %llx", scans[_i].name, (unsigned long long)at);
}
END_TEST

/* Words in pages that a capture has, and nothing around them. */
struct page_words {
	uint64_t at; /* the first of two pages */
	size_t pages;
	uint64_t list; /* the address of the descriptor */
};

static enum cairn_status read_pages(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct page_words *words = context;
	const uint64_t list[] = { 1, 0, words->list + 24, 0, 0, words->list + 56, 64, 0x464c457f };
	const uint64_t end = words->at + 4096 * words->pages;
	uint8_t *out = buffer;

	if (address < words->at || address > end || size > end - address)
		return CAIRN_UNREADABLE;
	for (size_t i = 0; i < size; i++)
		out[i] = address + i - words->list < sizeof(list)
		                 ? ((const uint8_t *)list)[address + i - words->list]
		                 : 0;
	return CAIRN_OK;
}

START_TEST(finds_descriptors_in_pages_that_are_alone)
{
	static const struct page_words memories[] = {
		{ 0x5000, 1, 0x5000 },   { 0x5000, 1, 0x5fc0 }, { 0x15000, 2, 0x15ff0 },
		{ 0xff000, 1, 0xff010 }, { 0x5000, 2, 0x6800 },
	};
	struct page_words words = memories[_i];
	const struct cairn_target target = { read_pages, &words };
	uint64_t at = 0;

	ck_assert(jit_list_scan(&target, (struct cairn_range){ 0x1000, 0x100000 }, false, &at));
	ck_assert_uint_eq(at, words.list);
}
END_TEST

/* A program that changes its list while it is read: what an entry says depends on how many reads there were. */
struct moving {
	size_t reads;
	size_t period; /* of reads after which an entry leads elsewhere; 0: each entry leads to a new one */
};

static enum cairn_status read_moving(void *context, uint64_t address, void *buffer, size_t size)
{
	struct moving *moving = context;
	uint64_t word[8] = { 1, 0, BASE + 24 }; /* the descriptor, then entries */
	uint8_t *out = buffer;

	moving->reads++;
	if (address != BASE) {
		word[0] = moving->period == 0 ? address + 32
		          : moving->reads % moving->period == 0
		                  ? 0
		                  : BASE + 24 + 32 * (moving->reads % 7);
		word[1] = 0;
		word[2] = BASE;
		word[3] = 8;
	}
	for (size_t i = 0; i < size; i++)
		out[i] = ((const uint8_t *)word)[i % sizeof(word)];
	return CAIRN_OK;
}

START_TEST(a_list_that_grows_while_it_is_read_ends_at_its_bound)
{
	struct moving moving = { .period = 0 };
	const struct cairn_target target = { read_moving, &moving };
	struct byte_buffer dump = { .limit = JIT_LIST_MAX };
	struct cairn_fault fault;

	ck_assert_int_eq(jit_list_read(&target, BASE, false, &dump, &fault), CAIRN_OK);
	ck_assert_str_eq(fault.what, "the list of JIT code has too many entries");
	byte_buffer_finish(&dump);
}
END_TEST

/* What is found is a circle, or has an end; objects that are gone by then are told of. */
START_TEST(a_list_that_changes_while_it_is_read_ends_in_words)
{
	struct moving moving = { .period = (size_t)_i };
	const struct cairn_target target = { read_moving, &moving };
	struct byte_buffer dump = { .limit = JIT_LIST_MAX };
	struct cairn_fault fault;

	ck_assert_int_eq(jit_list_read(&target, BASE, false, &dump, &fault), CAIRN_OK);
	ck_assert_ptr_nonnull(fault.what);
	ck_assert_uint_lt(moving.reads, 64);
	byte_buffer_finish(&dump);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jit_list");
	TCase *list = tcase_create("list");

	tcase_add_loop_test(list, damaged_lists_say_what_is_wrong, 0, COUNT(lists));
	tcase_add_loop_test(list, finds_descriptors_in_memory, 0, COUNT(scans));
	tcase_add_loop_test(list, finds_descriptors_in_pages_that_are_alone, 0, 5);
	tcase_add_test(list, a_list_that_grows_while_it_is_read_ends_at_its_bound);
	tcase_add_loop_test(list, a_list_that_changes_while_it_is_read_ends_in_words, 1, 12);
	tcase_add_test(list, words_of_the_other_byte_order_are_another_version);
	suite_add_tcase(suite, list);
	return unit_run(suite);
}
