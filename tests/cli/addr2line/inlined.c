/* SPDX-License-Identifier: MIT */
/* Calls inlined into each other, for questions to addr2line and samples of perf. */
static volatile unsigned sum;

static inline __attribute__((always_inline)) void add_one(unsigned value)
{
	sum = sum * 3 + value;
}

static inline __attribute__((always_inline)) void add_many(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		add_one(i);
	sum += count;
}

__attribute__((noinline)) static void add_twice(unsigned count)
{
	add_many(count);
	add_many(sum % 7);
	sum++;
}

/* gcc moves the call to a part of its own, add_checked.cold, whose function has this name in DWARF. */
__attribute__((cold, noinline)) static void add_rare(unsigned count)
{
	sum += count;
}

__attribute__((noinline)) static void add_checked(unsigned count)
{
	if (__builtin_expect(count == 77, 0))
		add_rare(count);
	sum += count / 3;
}

int main(int argc, char **argv)
{
	(void)argv;
	add_checked((unsigned)argc);
	for (int i = 0; i < 200; i++)
		add_twice(argc > 1 ? 400000 : 1);
	return 0;
}
