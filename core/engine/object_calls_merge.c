/* SPDX-License-Identifier: MIT */
/*
 * The inlined calls of a function and of the part that was split off from it, as one tree: a call
 * that goes on in the other part is one call with the code of both, as compilers write it.  Two
 * calls are the same when they have the same name, file and line, and are made by the same call.
 */
#include "object_parts.h"

#include <stdlib.h>
#include <string.h>

/* Looks at siblings while a call's counterpart is looked for, per call of the function: real ones
 * need a few, and what is left unmerged is a call of its own. */
enum { LOOKS_PER_CALL = 64, LOOKS_LEAST = 4096 };

/* A call in the tree; numbers are indices + 1, the root is 0. */
struct node {
	uint32_t first, last, next;
	uint32_t other; /* the same call in the other part */
};

struct tree {
	struct node *node;
	uint32_t at[OBJECT_LEVELS + 1]; /* the call in progress at each depth */
	size_t looks;
};

static bool is_same_call(const struct object_call *a, const struct object_call *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line;
}

/* The same call among the first part's below `parent`; 0 when there is none. */
static uint32_t find_other(struct tree *t, const struct object_calls *c, uint32_t parent,
                           size_t call, size_t parted)
{
	for (uint32_t n = t->node[parent].first; n && t->looks > 0; n = t->node[n].next) {
		t->looks--;
		if (n <= parted && t->node[n].other == 0 &&
		    is_same_call(&c->call[n - 1], &c->call[call]))
			return n;
	}
	return 0;
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

static void build_tree(struct tree *t, const struct object_calls *c, size_t parted)
{
	for (size_t i = 0; i < c->count; i++) {
		uint32_t depth = c->call[i].depth, parent = t->at[depth - 1];
		uint32_t other = i < parted ? 0 : find_other(t, c, parent, i, parted);
		if (other)
			t->node[other].other = (uint32_t)i + 1;
		else
			append_child(t, parent, (uint32_t)i + 1);
		t->at[depth] = other ? other : (uint32_t)i + 1;
	}
}

/* The ranges of both, in one place; those of the first part are lower. */
static bool join_ranges(struct object_calls *c, struct object_call *call,
                        const struct object_call *other)
{
	size_t at = c->ranges;

	for (size_t i = 0; i < call->ranges; i++)
		if (!object_add_range(c, c->range[call->range + i]))
			return false;
	for (size_t i = 0; i < other->ranges; i++)
		if (!object_add_range(c, c->range[other->range + i]))
			return false;
	call->range = at;
	call->ranges += other->ranges;
	return true;
}

/* The tree in pre-order.  Every call's depth stays what it was. */
static bool list_tree(const struct tree *t, struct object_calls *c, struct object_call *list,
                      size_t *count)
{
	uint32_t open[OBJECT_LEVELS + 1], depth = 0;

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

bool object_calls_merge(struct object_calls *c, size_t parted)
{
	struct tree t = { .looks = LOOKS_PER_CALL * c->count + LOOKS_LEAST };
	struct object_call *list = NULL;
	size_t count = 0;

	if (parted == 0 || parted == c->count)
		return true;
	t.node = calloc(c->count + 1, sizeof(*t.node));
	list = malloc(c->count * sizeof(*list));
	bool done = t.node && list;
	if (done) {
		build_tree(&t, c, parted);
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
