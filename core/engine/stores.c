/* SPDX-License-Identifier: MIT */
#include "stores.h"

#include "amd64.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 2048 };

/* A part of the code, moved along as instructions are read. */
struct code {
	struct cairn_space *space;
	uint64_t bias, va, end; /* va of what comes next */
	uint8_t window[WINDOW];
	size_t at, size;
};

static bool next_instruction(struct code *c, struct amd64_instruction *instruction)
{
	if (c->size - c->at < AMD64_LONGEST) {
		uint64_t left = c->end - c->va;
		c->size = left < WINDOW ? (size_t)left : WINDOW;
		c->at = 0;
		if (c->size == 0 ||
		    !memory_read(&c->space->target, c->va + c->bias, c->window, c->size))
			return false;
	}
	if (!amd64_decode(c->window + c->at, c->size - c->at, instruction))
		return false;
	c->at += instruction->length;
	c->va += instruction->length;
	return true;
}

static void look_through(struct cairn_space *space, const struct module *module,
                         const struct sframe_function *function, struct stores *stores)
{
	struct code c = { .space = space,
		          .bias = module->bias,
		          .va = function->start,
		          .end = function->start + function->size };
	struct amd64_instruction i;

	if (function->size > STORES_CODE_MAX)
		return;
	while (c.va < c.end && next_instruction(&c, &i)) {
		if (i.kind != AMD64_STORE || stores->of[i.reg].end)
			continue;
		stores->of[i.reg] =
			(struct store){ c.va - i.length, c.va, (uint8_t)i.base, i.displacement };
	}
	stores->complete = c.va >= c.end;
}

const struct stores *stores_of(struct cairn_space *space, struct module *module,
                               const struct sframe_function *function)
{
	if (!module->stores)
		module->stores = calloc(STORES_CACHE, sizeof(*module->stores));
	if (!module->stores)
		return NULL;
	struct stores *slot =
		&module->stores[(function->start >> 4 ^ function->start >> 12) % STORES_CACHE];
	if (slot->function != function->start) {
		struct stores found = { .complete = false };
		look_through(space, module, function, &found);
		found.function = function->start;
		*slot = found;
	}
	return slot;
}

bool stores_straight(struct cairn_space *space, const struct module *module, uint64_t from,
                     uint64_t to)
{
	struct code c = { .space = space, .bias = module->bias, .va = from, .end = to };
	struct amd64_instruction i;

	while (c.va < to)
		if (!next_instruction(&c, &i) || i.kind == AMD64_BRANCH)
			return false;
	return true;
}
