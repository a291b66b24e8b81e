/* SPDX-License-Identifier: MIT */
/*
 * Compares the list of what a path has written on the stack with a map that has a number for every
 * byte, over many writes: it never takes a slot for one that it is not, and knows all of them while
 * the list is not full.
 */
#include "unit.h"

#include "unwind/step/code_path.h"

#include <stdbool.h>

enum { SPAN = 512, ROUNDS = 500, LONG = 200, SHORT = STACK_WRITES, WIDEST = 24 };

/* The number of the write that each byte is from; 0: none. */
static unsigned owner[SPAN];
static struct place places[LONG + 1];
static uint32_t seed;

static unsigned draw(unsigned below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void write_both(struct stack_writes *writes, uint64_t base, unsigned number)
{
	const bool whole = draw(2);
	const unsigned size = whole ? STACK_SLOT : 1 + draw(WIDEST);
	unsigned at = draw(SPAN - size);

	at -= draw(2) ? at % STACK_SLOT : 0;
	places[number] = (struct place){ whole ? PLACE_REGISTER : PLACE_LOST, number };
	stack_writes_add(writes, base + at, size, places[number]);
	for (unsigned i = 0; i < size; i++)
		owner[at + i] = number;
}

/* By the map. */
static struct place look_up(unsigned at, uint64_t base)
{
	for (unsigned i = 1; i < STACK_SLOT; i++)
		if (owner[at + i] != owner[at])
			return (struct place){ PLACE_LOST, 0 };
	if (owner[at] == 0)
		return (struct place){ PLACE_STACK, base + at };
	return places[owner[at]];
}

/* Bytes that were written with the same number may be the middle of a wider write. */
static bool is_slot_start(unsigned at)
{
	return at == 0 || owner[at] == 0 || owner[at - 1] != owner[at];
}

static void compare(const struct stack_writes *writes, uint64_t base, bool exact)
{
	for (unsigned at = 0; at + STACK_SLOT <= SPAN; at++) {
		struct place told = stack_writes_find(writes, base + at), real = look_up(at, base);
		if (!is_slot_start(at) && real.kind == PLACE_REGISTER)
			continue;
		if (exact || told.kind != PLACE_LOST) {
			ck_assert_int_eq(told.kind, real.kind);
			ck_assert(told.kind == PLACE_LOST || told.at == real.at);
		}
	}
}

static void run(uint64_t base, unsigned writes_max, bool exact)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct stack_writes writes = { .count = 0 };
		unsigned count = 1 + draw(writes_max);
		memset(owner, 0, sizeof(owner));
		for (unsigned i = 1; i <= count; i++) {
			write_both(&writes, base, i);
			ck_assert_uint_le(writes.count, STACK_WRITES);
		}
		compare(&writes, base, exact);
	}
}

START_TEST(knows_what_was_written)
{
	run(0x7ffe0000, SHORT, true);
}
END_TEST

START_TEST(never_guesses)
{
	run(0x7ffe0000, LONG, false);
}
END_TEST

/* Addresses wrap in the middle. */
START_TEST(wraps)
{
	run(0 - (uint64_t)SPAN / 2, SHORT, true);
	run(0 - (uint64_t)SPAN / 2, LONG, false);
}
END_TEST

/* All over the address space, which is as hostile as code can be. */
START_TEST(bears_any_address)
{
	struct stack_writes writes = { .count = 0 };
	const struct place lost = { PLACE_LOST, 0 };

	for (unsigned i = 0; i < 100 * LONG; i++) {
		uint64_t at = (uint64_t)draw(1 << 16) << 48 | (uint64_t)draw(1 << 16) << 20;
		stack_writes_add(&writes, at, (uint64_t)1 << draw(40), lost);
		ck_assert_uint_le(writes.count, STACK_WRITES);
		ck_assert_int_eq(stack_writes_find(&writes, at).kind, PLACE_LOST);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_writes");
	TCase *tests = tcase_create("stack_writes");

	tcase_add_test(tests, knows_what_was_written);
	tcase_add_test(tests, never_guesses);
	tcase_add_test(tests, wraps);
	tcase_add_test(tests, bears_any_address);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
