/* SPDX-License-Identifier: MIT */
/*
 * Sorts the functions of objects by address, groups adjacent ones into runs, and writes them into a
 * new object.
 */
#include "gather.h"

#include <stdlib.h>

enum {
	GAP_MAX = 64,         /* bytes between functions of one run, lost to alignment */
	ROOM_BYTES = 1 << 20, /* limit of the space that is allocated in advance */
};

struct gathering {
	struct cairn_jit_code **code;
	uint32_t count, room;
	struct cairn_jit_need need;
	/*
	 * `leads` requests runs that start at other addresses than old runs; `apart` is set if that
	 * succeeded
	 */
	bool leads, apart;
};

CAIRN_JIT_INTERNAL struct cairn_jit_need cairn_jit_need_one(const struct cairn_jit_facts *facts)
{
	struct cairn_jit_need need = { .slots = 0 };

	cairn_jit_need_add(&need, facts);
	cairn_jit_need_run(&need);
	return need;
}

CAIRN_JIT_INTERNAL void cairn_jit_need_scale(struct cairn_jit_need *need, uint32_t slots)
{
	uint64_t sum = 0;
	const uint64_t has = need->slots;

	for (int part = 0; part < PART_COUNT; part++)
		sum += need->bytes[part];
	while (slots > has && sum * slots / has > ROOM_BYTES)
		slots = (uint32_t)(has + (slots - has) / 2);
	if (slots <= has)
		return;
	for (int part = 0; part < PART_COUNT; part++)
		need->bytes[part] = (uint32_t)(need->bytes[part] * (uint64_t)slots / has);
	need->slots = slots;
}

/* Return true if the functions are adjacent and at least one is in the object. */
static bool is_beside(const struct cairn_jit_object *object, const struct cairn_jit_code *before,
                      const struct cairn_jit_code *after)
{
	return before && after && !before->gone && !after->gone &&
	       (before->object == object || after->object == object) &&
	       after->start - (before->start + before->size) <= GAP_MAX;
}

static uint32_t find_neighbour_run(const struct cairn_jit_object *object,
                                   const struct cairn_jit_code *neighbour)
{
	return neighbour && neighbour->object == object ? object->body.slot[neighbour->slot].run
	                                                : RUN_NEW;
}

static bool meets_code(const struct cairn_jit_object *object, uint32_t run,
                       const struct cairn_jit_code *code)
{
	return run != RUN_NEW &&
	       cairn_jit_object_run_meets(object, run, code->start, code->start + code->size);
}

CAIRN_JIT_INTERNAL uint32_t cairn_jit_find_run(const struct cairn_jit_object *object,
                                               const struct cairn_jit_code *code)
{
	const struct cairn_jit_beside beside = cairn_jit_index_beside(code);
	const uint32_t before = find_neighbour_run(object, beside.before);
	const uint32_t after = find_neighbour_run(object, beside.after);

	if (meets_code(object, after, code))
		return after;
	if (before != RUN_NEW &&
	    (meets_code(object, before, code) || is_beside(object, beside.before, code)))
		return before;
	return after != RUN_NEW && is_beside(object, code, beside.after) ? after : RUN_NEW;
}

static int compare_codes(const void *left, const void *right)
{
	const struct cairn_jit_code *a = *(struct cairn_jit_code *const *)left;
	const struct cairn_jit_code *b = *(struct cairn_jit_code *const *)right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void list_codes(struct gathering *gathering, struct cairn_jit_object **objects,
                       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t slot = 0; slot < objects[i]->body.count; slot++) {
			struct cairn_jit_code *code = objects[i]->body.slot[slot].code;

			if (code && !code->gone)
				gathering->code[gathering->count++] = code;
		}
	qsort(gathering->code, gathering->count, sizeof(*gathering->code), compare_codes);
}

/* Return true if the function belongs to the run of the one before it. */
static bool continues_run(const struct gathering *gathering, uint32_t number)
{
	const struct cairn_jit_code *code = gathering->code[number];
	const struct cairn_jit_code *before = number ? gathering->code[number - 1] : NULL;

	return before && is_beside(before->object, before, code) &&
	       cairn_jit_index_beside(code).before == before;
}

static void count_need(struct gathering *gathering)
{
	for (uint32_t i = 0; i < gathering->count; i++) {
		const struct cairn_jit_code *code = gathering->code[i];
		struct cairn_jit_facts facts;

		cairn_jit_object_facts(code->object, code->slot, &facts);
		cairn_jit_need_add(&gathering->need, &facts);
		if (!continues_run(gathering, i))
			cairn_jit_need_run(&gathering->need);
	}
}

static bool gather_codes(struct gathering *gathering, struct cairn_jit_object **objects,
                         uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		gathering->room += objects[i]->body.live;
	gathering->code = cairn_jit_allocate((gathering->room + 1) * sizeof(*gathering->code));
	if (!gathering->code)
		return false;
	list_codes(gathering, objects, count);
	count_need(gathering);
	return true;
}

static void finish_gathering(struct gathering *gathering)
{
	cairn_jit_free(gathering->code, (gathering->room + 1) * sizeof(*gathering->code));
}

/*
 * Return 1 if the run can begin one byte before the function. This keeps it from beginning at the
 * same address as an old run. Clears gathering->apart if the byte is in use.
 */
static uint32_t choose_lead(struct gathering *gathering, const struct cairn_jit_code *code)
{
	const struct cairn_jit_object *old = code->object;
	const struct cairn_jit_code *before = cairn_jit_index_beside(code).before;

	if (!gathering->leads || code->start == 0 ||
	    cairn_jit_object_run_start(old, old->body.slot[code->slot].run) != code->start)
		return 0;
	if (!before || before->start + before->size < code->start)
		return 1;
	gathering->apart = false;
	return 0;
}

/*
 * Append the functions to the new object. Runs are determined before the codes refer to the new
 * object, in the order of the list.
 */
static void append_codes(struct cairn_jit_object *fresh, struct gathering *gathering)
{
	uint32_t run = RUN_NEW;

	for (uint32_t i = 0; i < gathering->count; i++) {
		struct cairn_jit_code *code = gathering->code[i];
		const bool goes_on = i > 0 && is_beside(fresh, gathering->code[i - 1], code) &&
		                     cairn_jit_index_beside(code).before == gathering->code[i - 1];
		struct cairn_jit_facts facts;

		cairn_jit_object_facts(code->object, code->slot, &facts);
		facts.lead = goes_on ? 0 : choose_lead(gathering, code);
		cairn_jit_object_append(fresh, &facts, goes_on ? run : RUN_NEW, code);
		run = fresh->body.slot[code->slot].run;
	}
}

CAIRN_JIT_INTERNAL struct cairn_jit_object *cairn_jit_gather(struct cairn_jit_object **objects,
                                                             uint32_t count, bool *apart)
{
	struct gathering gathering = { .leads = true, .apart = true };
	struct cairn_jit_object *fresh = NULL;

	if (gather_codes(&gathering, objects, count))
		fresh = cairn_jit_object_new(&gathering.need);
	if (fresh)
		append_codes(fresh, &gathering);
	finish_gathering(&gathering);
	*apart = gathering.apart;
	return fresh;
}

static void drop_gone(struct cairn_jit_object *object)
{
	for (uint32_t i = 0; i < object->body.count; i++) {
		struct cairn_jit_code *code = object->body.slot[i].code;

		if (!code || !code->gone)
			continue;
		object->body.slot[i].code = NULL;
		code->object = NULL;
		cairn_jit_code_settle(code);
	}
}

CAIRN_JIT_INTERNAL bool cairn_jit_rebuild(struct cairn_jit_object *object,
                                          const struct cairn_jit_need *more, uint32_t slots)
{
	struct gathering gathering = { .count = 0 };
	struct cairn_jit_object *fresh = NULL;

	if (gather_codes(&gathering, &object, 1)) {
		for (int part = 0; more && part < PART_COUNT; part++)
			gathering.need.bytes[part] += more->bytes[part];
		gathering.need.slots += more ? more->slots : 0;
		if (gathering.need.slots)
			cairn_jit_need_scale(&gathering.need, slots);
		fresh = cairn_jit_object_new(&gathering.need);
	}
	if (fresh) {
		drop_gone(object);
		append_codes(fresh, &gathering);
		cairn_jit_object_swap(object, fresh);
	}
	finish_gathering(&gathering);
	return fresh != NULL;
}

CAIRN_JIT_INTERNAL void cairn_jit_discard(struct cairn_jit_object *object)
{
	drop_gone(object);
	cairn_jit_object_free(object);
}
