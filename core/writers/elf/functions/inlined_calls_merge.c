/* SPDX-License-Identifier: MIT */
/*
 * The inlined calls of a function and of the part that was split off from it, as one tree: a call
 * that goes on in the other part is one call with the code of both, as compilers write it.
 */
#include "writers/elf/parts.h"

#include <stdlib.h>
#include <string.h>

/* Looks at siblings while a call's counterpart is looked for, per call of the function: real ones
 * need a few, and what is left unmerged is a call of its own. */
enum { LOOKS_PER_CALL = 256, LOOKS_LEAST = 4096 };

/* A call in the tree; numbers are indices + 1, the root is 0. */
struct node {
	uint32_t first, last, next;
	uint32_t other; /* the same call in the other part */
};

struct tree {
	struct node *node;
	uint32_t at[ELF_WRITER_LEVELS + 1]; /* the call in progress at each depth */
	size_t looks;
	bool entries;             /* calls that are one have one entry */
	size_t hot_low, hot_high; /* indices of the calls of the function's own part */
};

static bool is_hot(const struct tree *t, size_t call)
{
	return call >= t->hot_low && call < t->hot_high;
}

static bool is_same_call(const struct tree *t, const struct elf_writer_call *a,
                         const struct elf_writer_call *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line &&
	       (!t->entries || a->entry == b->entry);
}

/* The last call of the function's own below `parent` that is the same, and not continued yet; 0: none. */
static uint32_t find_same(struct tree *t, const struct elf_writer_calls *c, uint32_t parent,
                          size_t call)
{
	uint32_t found = 0;

	for (uint32_t n = t->node[parent].first; n && t->looks > 0; n = t->node[n].next) {
		t->looks--;
		if (t->node[n].other == 0 && is_hot(t, n - 1) &&
		    is_same_call(t, &c->call[n - 1], &c->call[call]))
			found = n;
	}
	return found;
}

static bool is_innermost(const struct elf_writer_calls *c, size_t call)
{
	return call + 1 == c->count || c->call[call + 1].depth <= c->call[call].depth;
}

/* How many calls inside this one make none. */
static size_t count_innermost(struct tree *t, const struct elf_writer_calls *c, size_t call)
{
	size_t count = 0;

	for (size_t i = call + 1; i < c->count && t->looks > 0; i++) {
		if (c->call[i].depth <= c->call[call].depth)
			break;
		t->looks--;
		count += is_innermost(c, i);
	}
	return count;
}

/* Counts the innermost calls inside a call that `own`, a node, has as well. */
static size_t count_common(struct tree *t, const struct elf_writer_calls *c, uint32_t own,
                           size_t call)
{
	uint32_t at[ELF_WRITER_LEVELS + 1], top = c->call[call].depth;
	size_t count = 0;

	at[top] = own;
	for (size_t i = call + 1; i < c->count && c->call[i].depth > top && t->looks > 0; i++) {
		uint32_t depth = c->call[i].depth, parent = at[depth - 1];
		t->looks--;
		at[depth] = parent ? find_same(t, c, parent, i) : 0;
		count += at[depth] && is_innermost(c, i) && is_innermost(c, at[depth] - 1);
	}
	return count;
}

/*
 * The call of the function's own part that goes on as this one; 0 when none does.  It is the last of
 * several, because what goes on in a cold part begins at the end.  Two that end in the same calls are
 * two: a destructor where the function returns, and again where an exception is caught.  All that is a
 * guess, unless the symbols know where calls are entered.
 */
static uint32_t find_other(struct tree *t, const struct elf_writer_calls *c, uint32_t parent,
                           size_t call)
{
	uint32_t other = find_same(t, c, parent, call);

	if (other == 0 || t->entries)
		return other;
	size_t ends = count_innermost(t, c, call);
	bool again = ends > 0 && ends == count_innermost(t, c, other - 1) &&
	             ends == count_common(t, c, other, call);
	return again ? 0 : other;
}

static void append_child(struct tree *t, uint32_t parent, uint32_t child)
{
	struct node *p = &t->node[parent];

	if (p->last)
		t->node[p->last].next = child;
	else
		p->first = child;
	p->last = child;
}

static void add_calls(struct tree *t, const struct elf_writer_calls *c, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		uint32_t depth = c->call[i].depth, parent = t->at[depth - 1];
		uint32_t other = is_hot(t, i) ? 0 : find_other(t, c, parent, i);
		if (other)
			t->node[other].other = (uint32_t)i + 1;
		else
			append_child(t, parent, (uint32_t)i + 1);
		t->at[depth] = other ? other : (uint32_t)i + 1;
	}
}

/* The ranges of both, in one place, ascending. */
static bool join_ranges(struct elf_writer_calls *c, struct elf_writer_call *call,
                        const struct elf_writer_call *other)
{
	bool is_lower = c->ranges.range[other->range].low < c->ranges.range[call->range].low;
	const struct elf_writer_call both[2] = { is_lower ? *other : *call,
		                                 is_lower ? *call : *other };
	const size_t at = c->ranges.count;

	for (unsigned i = 0; i < 2; i++)
		for (size_t r = 0; r < both[i].ranges; r++)
			if (!nested_ranges_add(&c->ranges, c->ranges.range[both[i].range + r]))
				return false;
	call->range = at;
	call->ranges += other->ranges;
	return true;
}

/* The tree in pre-order.  Every call's depth stays what it was. */
static bool list_tree(const struct tree *t, struct elf_writer_calls *c,
                      struct elf_writer_call *list, size_t *count)
{
	uint32_t open[ELF_WRITER_LEVELS + 1], depth = 0;

	open[0] = t->node[0].first;
	while (open[0] != 0) {
		uint32_t n = open[depth];
		if (n == 0) {
			depth--;
			open[depth] = t->node[open[depth]].next;
			continue;
		}
		list[*count] = c->call[n - 1];
		uint32_t other = t->node[n].other;
		if (other && !join_ranges(c, &list[*count], &c->call[other - 1]))
			return false;
		++*count;
		if (t->node[n].first)
			open[++depth] = t->node[n].first;
		else
			open[depth] = t->node[n].next;
	}
	return true;
}

bool elf_writer_calls_merge(struct elf_writer_calls *c, size_t parted, bool cold_first,
                            bool entries)
{
	struct tree t = { .entries = entries,
		          .looks = LOOKS_PER_CALL * c->count + LOOKS_LEAST,
		          .hot_low = cold_first ? parted : 0,
		          .hot_high = cold_first ? c->count : parted };
	struct elf_writer_call *list = NULL;
	size_t count = 0;

	if (parted == 0 || parted == c->count)
		return true;
	t.node = calloc(c->count + 1, sizeof(*t.node));
	list = malloc(c->count * sizeof(*list));
	bool done = t.node && list;
	if (done) {
		add_calls(&t, c, t.hot_low, t.hot_high);
		add_calls(&t, c, cold_first ? 0 : parted, cold_first ? parted : c->count);
		done = list_tree(&t, c, list, &count);
	}
	if (done) {
		memcpy(c->call, list, count * sizeof(*list));
		c->count = count;
	}
	free(t.node);
	free(list);
	return done;
}
