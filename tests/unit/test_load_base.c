/* SPDX-License-Identifier: MIT */
/* Tests where code was loaded, by addresses that calls return to. */
#include "unit.h"

#include "isa/load_base.h"

#include <string.h>

enum { PAGE = 4096, CODE = 0x40000, LINKED = 0x1000 };

static uint8_t bytes[CODE];

/* Puts a call of the beginning of the code there; returns the address as linked that it returns to. */
static uint64_t put_call(size_t at)
{
	const uint32_t distance = (uint32_t) - (int32_t)(at + 5);

	bytes[at] = 0xe8;
	for (unsigned i = 0; i < 4; i++)
		bytes[at + 1 + i] = (uint8_t)(distance >> 8 * i);
	return LINKED + at + 5;
}

/* Code with calls at places that no pattern has; the same for each test. */
static void make_code(uint64_t *vas, size_t count)
{
	uint64_t state = 7;

	memset(bytes, 0x90, sizeof(bytes));
	for (size_t i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		vas[i] = put_call((i * (CODE / count) + (state >> 40) % (CODE / count - 20)));
	}
}

static bool find(const uint64_t *returns, size_t count, struct load_base *base)
{
	const struct load_base_code code = { LINKED, { bytes, sizeof(bytes) } };

	return load_base_find(CAIRN_MACHINE_AMD64, &code, 1, returns, count, base);
}

START_TEST(finds_the_base)
{
	static const uint64_t biases[] = { 0, 0x555555554000, 0x7f0000000000, 0xffffffff81000000 };
	uint64_t vas[600], returns[10];
	struct load_base base;

	make_code(vas, COUNT(vas));
	for (size_t i = 0; i < COUNT(returns); i++)
		returns[i] = vas[i * 60] + biases[_i];
	ck_assert(find(returns, COUNT(returns), &base));
	ck_assert_uint_eq(base.bias, biases[_i]);
	ck_assert_uint_eq(base.inside, 10);
	ck_assert_uint_eq(base.follow, 10);
	/* other code far away does not count, and one address that follows no call does not matter */
	returns[9] += UINT64_C(1) << 36;
	returns[8] += 1;
	ck_assert(find(returns, COUNT(returns), &base));
	ck_assert_uint_eq(base.bias, biases[_i]);
	ck_assert_uint_eq(base.inside, 9);
	ck_assert_uint_eq(base.follow, 8);
}
END_TEST

START_TEST(refuses_what_is_not_clear)
{
	uint64_t vas[600], returns[10];
	struct load_base base;

	make_code(vas, COUNT(vas));
	/* too few; others than calls return to; none at all */
	ck_assert(!find(vas, 2, &base));
	for (size_t i = 0; i < COUNT(returns); i++)
		returns[i] = vas[i * 60] + 0x555555554000 + i * 3 + 1;
	ck_assert(!find(returns, COUNT(returns), &base));
	ck_assert(!find(returns, 0, &base));
	/* the same calls in each page: every base is as good as the next */
	memset(bytes, 0x90, sizeof(bytes));
	for (size_t page = 0; page < CODE / PAGE; page++)
		for (size_t i = 0; i < 4; i++)
			put_call(page * PAGE + 100 + 100 * i);
	for (size_t i = 0; i < 4; i++)
		returns[i] = 0x555555554000 + LINKED + 8 * PAGE + 105 + 100 * i;
	ck_assert(!find(returns, 4, &base));
	/* a call that leads out of the code is none */
	memset(bytes, 0x90, sizeof(bytes));
	for (size_t i = 0; i < 4; i++) {
		put_call(100 + 1000 * i);
		bytes[104 + 1000 * i] = 0x7f;
		returns[i] = 0x555555554000 + LINKED + 105 + 1000 * i;
	}
	ck_assert(!find(returns, 4, &base));
	ck_assert(!load_base_find(CAIRN_MACHINE_RISCV64, NULL, 0, returns, 4, &base));
}
END_TEST

START_TEST(knows_indirect_calls)
{
	/* call *%rax; call *8(%rax); call *8(%rsp); call *0(%rip); call *0(,%rax,8) */
	static const char *const calls[] = { "\xff\xd0", "\xff\x50\x08", "\xff\x54\x24\x08",
		                             "\xff\x15\0\0\0\0", "\xff\x14\xc5\0\0\0\0" };
	static const size_t sizes[] = { 2, 3, 4, 6, 7 };
	const struct load_base_code code = { LINKED, { bytes, sizeof(bytes) } };
	uint64_t returns[COUNT(sizes)];
	struct load_base base;

	memset(bytes, 0x90, sizeof(bytes));
	for (size_t i = 0; i < COUNT(sizes); i++) {
		memcpy(bytes + 100 + 777 * i, calls[i], sizes[i]);
		returns[i] = LINKED + 100 + 777 * i + sizes[i] + 0x555555554000;
		ck_assert(load_base_is_return(CAIRN_MACHINE_AMD64, &code, 1,
		                              returns[i] - 0x555555554000));
	}
	ck_assert(find(returns, COUNT(returns), &base));
	ck_assert_uint_eq(base.bias, 0x555555554000);
	ck_assert(!load_base_is_return(CAIRN_MACHINE_AMD64, &code, 1, LINKED));
	ck_assert(!load_base_is_return(CAIRN_MACHINE_AMD64, &code, 1, LINKED + CODE + 1));
	/* the return from a signal handler */
	memcpy(bytes + 2 * PAGE, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9);
	ck_assert(load_base_is_return(CAIRN_MACHINE_AMD64, &code, 1, LINKED + 2 * PAGE));
}
END_TEST

START_TEST(bounds_its_work)
{
	static uint64_t returns[1 << 14];
	struct load_base base;
	uint64_t vas[600];

	make_code(vas, COUNT(vas));
	for (size_t i = 0; i < COUNT(returns); i++)
		returns[i] = i * (CODE - 1);
	ck_assert(!find(returns, COUNT(returns), &base));
	for (size_t i = 0; i < COUNT(returns); i++)
		returns[i] = UINT64_MAX - COUNT(returns) + i;
	ck_assert(!find(returns, COUNT(returns), &base));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("load_base");
	TCase *tests = tcase_create("load_base");

	tcase_add_loop_test(tests, finds_the_base, 0, 4);
	tcase_add_test(tests, refuses_what_is_not_clear);
	tcase_add_test(tests, knows_indirect_calls);
	tcase_add_test(tests, bounds_its_work);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
