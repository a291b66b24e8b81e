/* SPDX-License-Identifier: MIT */
/*
 * Appends functions to the growing object while no debugger is attached, and creates objects for an
 * attached one.
 */
#include "arrange.h"

#include "gather.h"
#include "levels.h"
#include "listing.h"
#include "tracer.h"

enum {
	FIRST_FUNCTIONS = 64,
	/* functions in the growing object before the next one is started */
	GROWING_FUNCTIONS = 1024,
};

static struct {
	bool attached; /* a debugger is attached and has copies of listed objects */
	struct cairn_jit_object *growing;
	struct cairn_jit_object
		*touched; /* object that this change modified before a debugger attached */
	struct cairn_jit_object *waiting;
} state;

static bool is_told(const struct cairn_jit_object *object)
{
	return state.attached && object->listed;
}

/* Note that a debugger attached: listed objects must no longer grow. */
static void notice_debugger(void)
{
	state.attached = true;
	state.growing = NULL;
	cairn_jit_levels_overlap(cairn_jit_traced_by_gdb());
}

/*
 * Remove objects that cairn_jit_publish() has registered from the waiting list, and treat them like
 * any other.
 */
static void take_published(void)
{
	struct cairn_jit_object **link = &state.waiting;

	while (*link)
		if ((*link)->listed)
			*link = (*link)->waiting;
		else
			link = &(*link)->waiting;
}

CAIRN_JIT_INTERNAL void cairn_jit_arrange_begin(void)
{
	take_published();
	if (!cairn_jit_listing_watched())
		state.attached = false;
	else if (!state.attached)
		notice_debugger();
}

/*
 * Drop an object without functions. A debugger that attaches at this moment may have read the
 * object's entry. The entry is then leaked, so that no other object gets its address.
 */
static void drop_empty(struct cairn_jit_object *object)
{
	if (object == state.growing)
		return;
	cairn_jit_levels_take(object);
	cairn_jit_listing_drop(object);
	if (!cairn_jit_listing_watched())
		cairn_jit_discard(object);
}

/*
 * Register an object again for a debugger that attached since the change began, because its copy
 * may be from before or after the change.
 */
static void tell_again(struct cairn_jit_object *object)
{
	notice_debugger();
	if (object->body.live == 0)
		cairn_jit_levels_drop(object);
	else
		cairn_jit_levels_renew(object);
}

static void settle_touched(void)
{
	struct cairn_jit_object *object = state.touched;

	state.touched = NULL;
	if (!object)
		return;
	if (cairn_jit_listing_watched())
		tell_again(object);
	else if (object->body.live == 0)
		drop_empty(object);
}

CAIRN_JIT_INTERNAL void cairn_jit_arrange_end(void)
{
	settle_touched();
}

/*
 * Remember an object that is about to change, so that settle_touched() can update the copy of a
 * debugger that attaches during the change. Unlisted objects do not matter because debuggers do not
 * see them, and a debugger that is already attached is handled by the callers (see is_told()).
 */
static void touch_object(struct cairn_jit_object *object)
{
	if (state.touched != object)
		settle_touched();
	if (object->listed && !state.attached)
		state.touched = object;
}

static bool renew_object(struct cairn_jit_object *object)
{
	touch_object(object);
	if (!is_told(object))
		return cairn_jit_rebuild(object, NULL, object->body.slots);
	cairn_jit_levels_renew(object);
	return true;
}

/*
 * Start a new growing object. It is listed while empty, so it does not matter whether a debugger
 * that attaches at this moment has read it: in that case the object stays empty, and functions are
 * added to another one.
 */
static struct cairn_jit_object *start_growing(struct cairn_jit_need need)
{
	cairn_jit_need_scale(&need, FIRST_FUNCTIONS);
	struct cairn_jit_object *object = cairn_jit_object_new(&need);

	if (!object)
		return NULL;
	cairn_jit_listing_add(object);
	state.growing = object;
	if (cairn_jit_listing_watched())
		notice_debugger();
	return state.growing;
}

/*
 * Return the capacity of an object that is rebuilt. Growing copies the object, so small objects
 * grow by a large factor.
 */
static uint32_t choose_slots(uint32_t live)
{
	if (live < GROWING_FUNCTIONS / 2)
		return 4 * live + 2;
	return live < GROWING_FUNCTIONS ? 2 * live : live + live / 4;
}

/*
 * Make space for another function. Rebuilds the object if it is small or has many removed
 * functions.
 */
static bool make_room(struct cairn_jit_object *object, const struct cairn_jit_need *need)
{
	return cairn_jit_object_fits(object, need) ||
	       cairn_jit_rebuild(object, need, choose_slots(object->body.live));
}

static bool append_code(struct cairn_jit_object *object, struct cairn_jit_code *code,
                        const struct cairn_jit_facts *facts)
{
	const struct cairn_jit_need need = cairn_jit_need_one(facts);

	touch_object(object);
	if (is_told(object) || !make_room(object, &need))
		return false;
	cairn_jit_object_append(object, facts, cairn_jit_find_run(object, code), code);
	return true;
}

static bool add_object(struct cairn_jit_code *code, const struct cairn_jit_facts *facts)
{
	const struct cairn_jit_need need = cairn_jit_need_one(facts);
	struct cairn_jit_object *object = cairn_jit_object_new(&need);

	if (!object)
		return false;
	cairn_jit_object_append(object, facts, RUN_NEW, code);
	cairn_jit_levels_add(object);
	return true;
}

static struct cairn_jit_object **find_waiting(uint64_t batch)
{
	struct cairn_jit_object **link = &state.waiting;

	while (*link && (*link)->batch != batch)
		link = &(*link)->waiting;
	return link;
}

static struct cairn_jit_object *start_batch(uint64_t batch, struct cairn_jit_need need)
{
	cairn_jit_need_scale(&need, FIRST_FUNCTIONS);
	struct cairn_jit_object *object = cairn_jit_object_new(&need);

	if (!object)
		return NULL;
	object->batch = batch;
	object->waiting = state.waiting;
	cairn_jit_keep_order();
	state.waiting = object;
	return object;
}

/* Return true if the function lies in a run of the neighbour's object. */
static bool meets_run(const struct cairn_jit_code *neighbour, const struct cairn_jit_code *code)
{
	const struct cairn_jit_object *object = neighbour ? neighbour->object : NULL;

	return object && cairn_jit_object_run_meets(object, object->body.slot[neighbour->slot].run,
	                                            code->start, code->start + code->size);
}

static bool share_run(const struct cairn_jit_code *a, const struct cairn_jit_code *b)
{
	return a && b && a->object && a->object == b->object &&
	       a->object->body.slot[a->slot].run == a->object->body.slot[b->slot].run;
}

/*
 * Return true if functions can be appended to the object. Objects of unfinished batches belong to
 * their threads.
 */
static bool is_growable(const struct cairn_jit_object *object)
{
	return object->listed && !state.attached;
}

/*
 * Make sure that no object claims the function's addresses, except the returned one, to which the
 * function must be appended, or NULL. When an object is rebuilt its runs end before the function,
 * because the function is in the index.
 */
static struct cairn_jit_object *clear_addresses(struct cairn_jit_code *code)
{
	struct cairn_jit_beside beside = cairn_jit_index_beside(code);
	struct cairn_jit_object *inside = NULL;

	if (meets_run(beside.before, code)) {
		if (is_growable(beside.before->object) &&
		    (!meets_run(beside.after, code) || share_run(beside.before, beside.after)))
			inside = beside.before->object;
		else
			renew_object(beside.before->object);
		beside = cairn_jit_index_beside(code);
	}
	if (meets_run(beside.after, code)) {
		if (is_growable(beside.after->object))
			inside = beside.after->object;
		else
			renew_object(beside.after->object);
	}
	return inside;
}

static bool is_grown_up(const struct cairn_jit_object *object, const struct cairn_jit_need *need)
{
	return object->body.live >= GROWING_FUNCTIONS - GROWING_FUNCTIONS / 4 &&
	       !cairn_jit_object_fits(object, need);
}

static bool add_growing(struct cairn_jit_code *code, const struct cairn_jit_facts *facts)
{
	const struct cairn_jit_need need = cairn_jit_need_one(facts);

	if (!state.growing || is_grown_up(state.growing, &need)) {
		settle_touched();
		if (!start_growing(need))
			return state.attached && add_object(code, facts);
	}
	return append_code(state.growing, code, facts) ||
	       (state.attached && add_object(code, facts));
}

CAIRN_JIT_INTERNAL bool cairn_jit_arrange_add(struct cairn_jit_code *code,
                                              const struct cairn_jit_facts *facts, uint64_t batch)
{
	struct cairn_jit_object *inside = clear_addresses(code);

	if (inside && append_code(inside, code, facts))
		return true;
	if (inside)
		renew_object(inside);
	if (!state.attached)
		return add_growing(code, facts);
	if (!batch)
		return add_object(code, facts);
	struct cairn_jit_object *object = *find_waiting(batch);
	if (!object)
		object = start_batch(batch, cairn_jit_need_one(facts));
	return object && append_code(object, code, facts);
}

CAIRN_JIT_INTERNAL void cairn_jit_arrange_remove(struct cairn_jit_code *code)
{
	struct cairn_jit_object *object = code->object;

	touch_object(object);
	cairn_jit_object_remove(object, code->slot);
	if (!is_told(object)) {
		object->body.slot[code->slot].code = NULL;
		code->object = NULL;
	} else if (object->body.live == 0) {
		cairn_jit_levels_drop(object);
	} else if (object->body.live < object->body.count / 2) {
		cairn_jit_levels_renew(object);
	}
}

CAIRN_JIT_INTERNAL void cairn_jit_arrange_forget(struct cairn_jit_code *code)
{
	struct cairn_jit_object *object = code->object;

	if (!object || renew_object(object))
		return;
	object->body.slot[code->slot].code = NULL;
	code->object = NULL;
}

CAIRN_JIT_INTERNAL void cairn_jit_arrange_batch(uint64_t batch)
{
	struct cairn_jit_object **link = find_waiting(batch), *object = *link;

	if (!object)
		return;
	*link = object->waiting;
	if (object->body.live == 0)
		cairn_jit_discard(object);
	else
		cairn_jit_levels_add(object);
}

CAIRN_JIT_INTERNAL void cairn_jit_arrange_publish(void)
{
	for (struct cairn_jit_object *object = state.waiting; object; object = object->waiting)
		if (!object->listed)
			cairn_jit_listing_tell_added(object);
}
