/* SPDX-License-Identifier: MIT */
/*
 * Eight bytes that say how many addresses follow, these, and code of either machine.  Always: what is found has no more addresses in the code than there are,
 * and no more that follow a call than are in it; the base is at a page, and each of those that count is a return there.
 */
#include "fuzz.h"

#include "isa/load_base.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 8, ADDRESS = 8, ADDRESSES_MAX = 64, PAGE_MASK = 0xfff };
static const uint64_t linked = 0x1230;

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void check(enum cairn_machine machine, const struct load_base_code *code,
                  const uint64_t *returns, size_t count)
{
	struct load_base base;
	size_t follow = 0;

	if (!load_base_find(machine, code, 1, returns, count, &base))
		return;
	ALWAYS(base.follow <= base.inside && base.inside <= count && base.follow >= 3);
	ALWAYS((base.bias & PAGE_MASK) == 0);
	for (size_t i = 0; i < count; i++)
		follow += load_base_is_return(machine, code, 1, returns[i] - base.bias);
	ALWAYS(follow >= base.follow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t returns[ADDRESSES_MAX];
	size_t count = size >= HEAD ? data[0] % (ADDRESSES_MAX + 1) : 0, kept = 0;

	if (size < HEAD + count * ADDRESS)
		return 0;
	memcpy(returns, data + HEAD, count * ADDRESS);
	qsort(returns, count, sizeof(*returns), compare);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || returns[kept - 1] != returns[i])
			returns[kept++] = returns[i];
	const struct load_base_code code = {
		linked, { data + HEAD + count * ADDRESS, size - HEAD - count * ADDRESS }
	};
	check(CAIRN_MACHINE_AMD64, &code, returns, kept);
	check(CAIRN_MACHINE_AARCH64, &code, returns, kept);
	return 0;
}
