/* SPDX-License-Identifier: MIT */
/*
 * A hash table of windows with sorted arrays. Most JIT compilers allocate ascending addresses,
 * which are appended.
 */
#include "index.h"

#include <string.h>

enum { WINDOW_SHIFT = 18 };

struct window {
	uint64_t number; /* address >> WINDOW_SHIFT */
	struct window *next;
	struct cairn_jit_code **code;
	uint32_t count, room;
};

static struct {
	struct window **bucket;
	uint32_t buckets, count; /* `buckets` is a power of two */
	uint64_t longest;        /* size of the largest function so far, in bytes */
} windows;

static struct window **locate_bucket(uint64_t number)
{
	const uint64_t hash = number * 0x9e3779b97f4a7c15u;

	return &windows.bucket[(hash >> 32) & (windows.buckets - 1)];
}

static struct window *find_window(uint64_t number)
{
	struct window *window = windows.buckets ? *locate_bucket(number) : NULL;

	while (window && window->number != number)
		window = window->next;
	return window;
}

static void link_window(struct window *window)
{
	struct window **link = locate_bucket(window->number);

	window->next = *link;
	*link = window;
}

static bool grow_buckets(void)
{
	const uint32_t before = windows.buckets, wanted = before ? 2 * before : 16;
	struct window **old = windows.bucket;
	struct window **bucket = cairn_jit_allocate(wanted * sizeof(struct window *));

	if (!bucket)
		return before != 0;
	windows.bucket = bucket;
	windows.buckets = wanted;
	for (uint32_t i = 0; i < before; i++)
		for (struct window *window = old[i], *next; window; window = next) {
			next = window->next;
			link_window(window);
		}
	cairn_jit_free(old, before * sizeof(struct window *));
	return true;
}

static struct window *make_window(uint64_t number)
{
	struct window *window = find_window(number);

	if (window)
		return window;
	if (windows.count >= windows.buckets && !grow_buckets())
		return NULL;
	window = cairn_jit_allocate(sizeof(*window));
	if (window) {
		window->number = number;
		link_window(window);
		windows.count++;
	}
	return window;
}

static void free_empty_window(struct window *window)
{
	struct window **link = locate_bucket(window->number);

	if (window->count)
		return;
	while (*link != window)
		link = &(*link)->next;
	*link = window->next;
	windows.count--;
	cairn_jit_free(window->code, window->room * sizeof(struct cairn_jit_code *));
	cairn_jit_free(window, sizeof(*window));
}

/* Return the index of the function that begins at `start`, or its insertion point. */
static uint32_t find_place(const struct window *window, uint64_t start)
{
	uint32_t low = 0, high = window->count;

	if (high &&
	    window->code[high - 1]->start <= start) /* the latest function is usually last */
		return high - (window->code[high - 1]->start == start);
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (window->code[middle]->start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert_code(struct window *window, struct cairn_jit_code *code)
{
	struct cairn_jit_code **array = cairn_jit_grow(
		window->code, sizeof(struct cairn_jit_code *), window->count, &window->room);

	if (!array)
		return false;
	window->code = array;
	const uint32_t place = find_place(window, code->start);
	memmove(array + place + 1, array + place,
	        (window->count - place) * sizeof(struct cairn_jit_code *));
	array[place] = code;
	window->count++;
	return true;
}

CAIRN_JIT_INTERNAL bool cairn_jit_index_insert(struct cairn_jit_code *code)
{
	struct window *window = make_window(code->start >> WINDOW_SHIFT);

	if (!window)
		return false;
	code->indexed = insert_code(window, code);
	if (!code->indexed)
		free_empty_window(window);
	else if (code->size > windows.longest)
		windows.longest = code->size;
	return code->indexed;
}

CAIRN_JIT_INTERNAL void cairn_jit_index_erase(struct cairn_jit_code *code)
{
	struct window *window = find_window(code->start >> WINDOW_SHIFT);
	const uint32_t place = find_place(window, code->start);

	code->indexed = false;
	window->count--;
	memmove(window->code + place, window->code + place + 1,
	        (window->count - place) * sizeof(struct cairn_jit_code *));
	free_empty_window(window);
}

/*
 * Return the last function that begins below `end`. The search ends where even the longest function
 * would not reach `start`.
 */
static struct cairn_jit_code *find_before(uint64_t start, uint64_t end)
{
	const uint64_t lowest =
		start < windows.longest ? 0 : (start - windows.longest) >> WINDOW_SHIFT;

	for (uint64_t number = (end - 1) >> WINDOW_SHIFT; end > 0; number--) {
		const struct window *window = find_window(number);
		const uint32_t place = window ? find_place(window, end) : 0;

		if (place)
			return window->code[place - 1];
		if (number <= lowest)
			break;
	}
	return NULL;
}

CAIRN_JIT_INTERNAL struct cairn_jit_code *cairn_jit_index_overlap(uint64_t start, uint64_t end)
{
	struct cairn_jit_code *code = find_before(start, end);

	return code && code->start + code->size > start ? code : NULL;
}

/* Return the first function of the next window, or NULL; runs may cross the boundary. */
static struct cairn_jit_code *find_after(uint64_t number)
{
	const struct window *window = find_window(number + 1);

	return window ? window->code[0] : NULL;
}

/*
 * Return true for a removed function that is in no object. The index keeps it only for the
 * process's unwinder.
 */
static bool is_unlisted(const struct cairn_jit_code *code)
{
	return code->gone && !code->object;
}

CAIRN_JIT_INTERNAL struct cairn_jit_beside cairn_jit_index_beside(const struct cairn_jit_code *code)
{
	const struct window *window = find_window(code->start >> WINDOW_SHIFT);
	uint32_t before = find_place(window, code->start), after = before + 1;

	while (before > 0 && is_unlisted(window->code[before - 1]))
		before--;
	while (after < window->count && is_unlisted(window->code[after]))
		after++;
	return (struct cairn_jit_beside){
		.before = before ? window->code[before - 1]
		                 : find_before(code->start, window->number << WINDOW_SHIFT),
		.after = after < window->count ? window->code[after] : find_after(window->number),
	};
}

CAIRN_JIT_INTERNAL void cairn_jit_code_settle(struct cairn_jit_code *code)
{
	if (!code->gone || code->object || code->table)
		return;
	if (code->indexed)
		cairn_jit_index_erase(code);
	if (!code->held)
		cairn_jit_free(code, sizeof(*code));
}
