/* SPDX-License-Identifier: MIT */
/* What symbols around an address say about the function there. */
#include "address_parts.h"

#include <ctype.h>

/* The symbols around one address. */
struct surroundings {
	uint64_t va;
	struct cairn_range near;  /* from the symbol before the address to the one after it */
	struct cairn_range sized; /* as far as those with a size that hold it reach */
	bool any;                 /* one begins there or before */
};

static bool look_around(void *context, const struct alias *symbol)
{
	struct surroundings *s = context;

	if (symbol->va > s->va) {
		s->near.high = symbol->va < s->near.high ? symbol->va : s->near.high;
		return true;
	}
	s->any = true;
	s->near.low = symbol->va > s->near.low ? symbol->va : s->near.low;
	if (s->va - symbol->va >= symbol->size || symbol->size > UINT64_MAX - symbol->va)
		return true;
	const uint64_t end = symbol->va + symbol->size;
	s->sized.low = symbol->va < s->sized.low ? symbol->va : s->sized.low;
	s->sized.high = end > s->sized.high ? end : s->sized.high;
	return true;
}

bool address_window(const struct symbol_set *symbols, uint64_t va, struct cairn_range *window,
                    struct cairn_range *gap)
{
	struct surroundings s = { .va = va, .near = { 0, UINT64_MAX }, .sized = { va, va } };

	if (!symbol_set_look_around(symbols, va, look_around, &s))
		return false;
	*gap = s.any ? s.near : (struct cairn_range){ 0, 0 };
	window->low = s.sized.low < s.near.low ? s.sized.low : s.near.low;
	window->high = s.sized.high > s.near.high ? s.sized.high : s.near.high;
	if (!s.any) /* the first symbol, so that there is one */
		*window = (struct cairn_range){ va, s.near.high + (s.near.high < UINT64_MAX) };
	return true;
}

/* The symbols where a function begins. */
struct start {
	uint64_t va;
	struct cairn_bytes name; /* of the first, perhaps with all text from there on */
	size_t symbols;
};

/* `C1` and `C2`, or `D0`, `D1` and `D2`, of one class: one function under several names. */
static bool is_same_but_for_kind(struct cairn_bytes a, struct cairn_bytes b)
{
	enum { NAME_MAX_READ = 4096 };
	const size_t common = a.size < b.size ? a.size : b.size;
	unsigned others = 0;
	size_t i = 0;

	for (; i < common && i < NAME_MAX_READ && others < 2; i++) {
		if (a.data[i] == b.data[i] && a.data[i] == 0)
			return others == 1;
		if (a.data[i] == b.data[i])
			continue;
		others++;
		if (i == 0 || (a.data[i - 1] != 'C' && a.data[i - 1] != 'D') ||
		    !isdigit(a.data[i]) || !isdigit(b.data[i]))
			return false;
	}
	return a.size == b.size && i == common && others == 1;
}

static bool look_at_start(void *context, const struct alias *symbol)
{
	struct start *start = context;

	if (symbol->va != start->va)
		return true;
	if (start->symbols++ == 0)
		start->name = symbol->name;
	else if (start->symbols > 3 || !is_same_but_for_kind(start->name, symbol->name))
		return false;
	return true;
}

struct holder {
	struct cairn_range found;
	uint64_t va;
	struct start start;
	bool alone; /* no other function may be where it begins */
};

/*
 * Can the symbol not begin a function of its own between the start of what was found and the address? Of two functions
 * that were laid out at one place the linker leaves the symbols of both.
 */
static bool leaves_holder(void *context, const struct alias *symbol)
{
	struct holder *h = context;

	if (h->alone && !look_at_start(&h->start, symbol))
		return false;
	return symbol->va > h->va || symbol->va < h->found.low ||
	       (symbol->va == h->found.low && symbol->size <= h->found.high - h->found.low);
}

bool address_is_held(const struct symbol_set *symbols, struct cairn_range found, uint64_t va,
                     bool alone)
{
	struct holder h = { .found = found, .va = va, .alone = alone };

	h.start.va = found.low;
	return found.high != 0 &&
	       symbol_set_visit(symbols, (struct cairn_range){ found.low, va }, leaves_holder,
	                        &h) &&
	       (!alone || h.start.symbols > 0);
}
