/* SPDX-License-Identifier: MIT */
/*
 * Which machine a frame is of, asked of a GDB made by hand: registers that no frame has saved are
 * not known, and vectors can be too large to be read.
 */
#include "unwinder/registers.h"
#include "unwinder/unwinder.h"

#include "unit.h"

#include <stdlib.h>

#define TEXT 0x10000000ull
#define PC (TEXT + 0x40)

enum { NUMBERS = 80, WORD = 8 };

/* Of each register: its size, 0 for one that must not be asked for; and whether it is known. */
static struct {
	int size;
	bool known;
	uint64_t value;
} file[NUMBERS];

static struct unwinder unwinder;
static unsigned asked;

static enum cairn_status nothing(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	(void)address;
	(void)buffer;
	(void)size;
	return CAIRN_UNREADABLE;
}

static void give_back(struct gdb_reg_value *value)
{
	free(value);
}

static struct gdb_reg_value *reg_get(struct gdb_unwind_callbacks *cb, int number)
{
	(void)cb;
	ck_assert(number >= 0 && number < NUMBERS && file[number].size > 0);
	int size = file[number].size;
	struct gdb_reg_value *value = calloc(1, sizeof(*value) + (size_t)size);

	ck_assert_ptr_nonnull(value);
	asked++;
	value->size = size;
	value->defined = file[number].known;
	value->free = give_back;
	for (int i = 0; i < WORD && size == WORD; i++) /* big-endian */
		value->value[i] = (unsigned char)(file[number].value >> (56 - 8 * i));
	return value;
}

static struct gdb_unwind_callbacks callbacks = { .reg_get = reg_get };

/* s390x: general registers from 0, vectors from 16, the pc is number 65. */
static void setup(void)
{
	const struct cairn_target target = { nothing, NULL };
	const struct cairn_host_module told = { .name = BYTES("program"),
		                                .low = TEXT,
		                                .high = TEXT + 0x1000,
		                                .machine = CAIRN_MACHINE_S390X,
		                                .big_endian = true };

	memset(file, 0, sizeof(file));
	for (int i = 0; i < 16; i++)
		file[i].size = WORD;
	for (int i = 16; i < 32; i++)
		file[i].size = 2 * WORD;
	file[65].size = WORD;
	file[65].known = true;
	file[65].value = PC;
	unwinder = (struct unwinder){ .space = cairn_space_new(&target) };
	ck_assert_ptr_nonnull(unwinder.space);
	cairn_space_begin_modules(unwinder.space);
	ck_assert_int_eq(cairn_space_add_module(unwinder.space, &told), CAIRN_OK);
	cairn_space_end_modules(unwinder.space);
}

static void teardown(void)
{
	cairn_space_free(unwinder.space);
}

/* The first frame of a session has all its registers. */
START_TEST(by_the_return_address)
{
	struct cairn_registers frame;

	file[14].known = true;
	file[14].value = TEXT + 0x80;
	ck_assert(identify_frame(&unwinder, &callbacks, &frame));
	ck_assert(frame.machine == CAIRN_MACHINE_S390X && frame.big_endian && frame.pc == PC);
}
END_TEST

/* Its number is one that other machines have not, so that it is not asked for on suspicion. */
START_TEST(not_by_suspicion)
{
	struct cairn_registers frame;

	file[65].size = 0;
	ck_assert(!identify_frame(&unwinder, &callbacks, &frame));
}
END_TEST

/*
 * Behind a signal frame: a function that was interrupted before it called anybody, of whose
 * registers none points into the program.
 */
START_TEST(a_leaf_that_was_interrupted)
{
	struct cairn_registers frame;

	file[14].known = true;
	file[14].value = TEXT + 0x80;
	ck_assert(identify_frame(&unwinder, &callbacks, &frame));
	file[14].known = false;
	asked = 0;
	ck_assert(identify_frame(&unwinder, &callbacks, &frame));
	ck_assert(frame.machine == CAIRN_MACHINE_S390X && frame.pc == PC);
	ck_assert_uint_eq(asked, 1);
}
END_TEST

/* GDB refuses to read vectors when the user has values be small: amd64 is known without them. */
START_TEST(amd64_without_vectors)
{
	struct cairn_registers frame;
	const struct cairn_host_module told = { .name = BYTES("program"),
		                                .low = TEXT,
		                                .high = TEXT + 0x1000,
		                                .machine = CAIRN_MACHINE_AMD64 };
	uint64_t little = 0;

	for (int i = 0; i < WORD; i++)
		little |= (PC >> 8 * i & 0xff) << (56 - 8 * i);
	cairn_space_begin_modules(unwinder.space);
	ck_assert_int_eq(cairn_space_add_module(unwinder.space, &told), CAIRN_OK);
	cairn_space_end_modules(unwinder.space);
	for (int i = 17; i < NUMBERS; i++)
		file[i].size = 0;
	file[16].size = WORD;
	file[16].known = true;
	file[16].value = little;
	ck_assert(identify_frame(&unwinder, &callbacks, &frame));
	ck_assert(frame.machine == CAIRN_MACHINE_AMD64 && frame.pc == PC);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("identify");
	TCase *all = tcase_create("machines");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, by_the_return_address);
	tcase_add_test(all, not_by_suspicion);
	tcase_add_test(all, a_leaf_that_was_interrupted);
	tcase_add_test(all, amd64_without_vectors);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
