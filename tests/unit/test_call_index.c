/* SPDX-License-Identifier: MIT */
/* Tests the index of inlined calls: at each address it has the calls that are found by going through all of them. */
#include "symbols/function_table.h"

#include "unit.h"

enum { SPAN = 96, CALLS = 80, RANGES = 3, SEEDS = 400 };

/* A function at 0x1000 and its calls, which are inside each other, and may overlap where `overlap` is. */
struct made_calls {
	uint64_t state;
	bool overlap;
	struct function_inline call[CALLS];
	struct cairn_range range[CALLS * RANGES];
	uint32_t calls, ranges;
};

static uint64_t draw(struct made_calls *made, uint64_t below)
{
	made->state = made->state * 6364136223846793005u + 1442695040888963407u;
	return (made->state >> 33) % below;
}

/* One to three ranges that ascend between two addresses, up to the last of them; none where there is no room. */
static uint64_t draw_ranges(struct made_calls *made, struct function_inline *call, uint64_t low,
                            uint64_t high)
{
	const uint64_t count = 1 + draw(made, RANGES);

	call->range = made->ranges;
	for (uint64_t i = 0; i < count && low + 1 < high; i++) {
		const uint64_t begin = low + draw(made, high - low - 1);
		const uint64_t end = begin + 1 + draw(made, high - begin);
		made->range[made->ranges++] = (struct cairn_range){ begin, end };
		call->ranges++;
		low = end;
	}
	return low;
}

/* Calls in one range, then those inside of the first range of each. */
static void draw_calls(struct made_calls *made, uint32_t depth, uint64_t low, uint64_t high)
{
	while (made->calls < CALLS && low < high && draw(made, 6) > 0) {
		struct function_inline call = { .depth = depth };
		const uint64_t end = draw_ranges(made, &call, low, high);
		if (call.ranges == 0)
			return;
		const struct cairn_range first = made->range[call.range];
		made->call[made->calls++] = call;
		draw_calls(made, depth + 1, first.low, first.high);
		low = made->overlap ? low : end;
	}
}

static enum cairn_status keep_calls(struct function_table *kept, const struct made_calls *made)
{
	const struct function function = { .start = 0x1000,
		                           .size = SPAN,
		                           .range = made->range,
		                           .inlines = made->call,
		                           .inline_count = made->calls };
	const struct function_sink sink = function_table_sink(kept);

	function_table_clear(kept);
	return sink.take(sink.context, &function);
}

static void compare_lookups(const struct function_table *kept, const struct call_index *index,
                            uint64_t va)
{
	struct kept_lookup plain, indexed;

	kept_lookup_begin(&plain, kept, kept->function, va);
	kept_lookup_begin_by(&indexed, index, kept, kept->function, va);
	ck_assert_uint_eq(indexed.depth, plain.depth);
	for (uint32_t i = 0; i < plain.depth; i++)
		ck_assert_ptr_eq(indexed.call[i], plain.call[i]);
}

START_TEST(has_the_calls_of_each_address)
{
	struct function_table kept = { .count = 0 };
	struct call_index index = { .edges = 0 };
	size_t calls = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct made_calls made = { .state = seed, .overlap = _i };
		draw_calls(&made, 1, 0x1000, 0x1000 + SPAN);
		ck_assert(keep_calls(&kept, &made) == CAIRN_OK);
		ck_assert(call_index_make(&index, &kept, kept.function));
		for (uint64_t va = 0x0fff; va <= 0x1000 + SPAN; va++)
			compare_lookups(&kept, &index, va);
		calls += made.calls;
	}
	ck_assert_uint_gt(calls, 4 * SEEDS);
	call_index_free(&index);
	function_table_close(&kept);
}
END_TEST

/* Deeper ones than a lookup has room for are left out. */
START_TEST(stops_at_the_deepest)
{
	struct function_inline call[KEPT_LOCATIONS_MAX + 3] = { { .depth = 0 } };
	const struct cairn_range range = { 0x1000, 0x1010 };
	struct function_table kept = { .count = 0 };
	struct call_index index = { .edges = 0 };
	const struct function function = { .start = 0x1000,
		                           .size = 16,
		                           .range = &range,
		                           .inlines = call,
		                           .inline_count = COUNT(call) };

	for (uint32_t i = 0; i < COUNT(call); i++)
		call[i] = (struct function_inline){ .depth = i + 1, .ranges = 1 };
	const struct function_sink sink = function_table_sink(&kept);
	ck_assert(sink.take(sink.context, &function) == CAIRN_OK);
	ck_assert(call_index_make(&index, &kept, kept.function));
	compare_lookups(&kept, &index, 0x1008);
	call_index_free(&index);
	function_table_close(&kept);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_index");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, has_the_calls_of_each_address, 0, 2);
	tcase_add_test(tc, stops_at_the_deepest);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
