/* SPDX-License-Identifier: MIT */
/* Assigns functions to ELF objects, and maintains the list of objects that debuggers read. */
#include "list.h"

#include "machine.h"
#include "unwinder.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JIT_NO_ACTION, JIT_REGISTERED, JIT_UNREGISTERED };

struct jit_descriptor {
	uint32_t version, action;
	struct cairn_jit_entry *relevant, *first;
};

#define LISTING_WEAK __attribute__((weak, visibility("default")))

extern struct jit_descriptor __jit_debug_descriptor;
LISTING_WEAK struct jit_descriptor __jit_debug_descriptor = { .version = 1 };

void __jit_debug_register_code(void);
LISTING_WEAK __attribute__((noinline)) void __jit_debug_register_code(void)
{
	__asm__ volatile("" ::: "memory");
}

static bool forced;

CAIRN_JIT_INTERNAL void cairn_jit_listing_force(void)
{
	forced = true;
}

/*
 * Return true if a debugger is waiting for JIT events. GDB and LLDB set a breakpoint on the empty
 * function that is called for each event, so check whether its first instruction is a breakpoint.
 */
static bool cairn_jit_listing_watched(void)
{
	__asm__ volatile("" ::: "memory");
	return forced || machine_is_breakpoint((const void *)(uintptr_t)__jit_debug_register_code);
}

static void cairn_jit_listing_add(struct cairn_jit_object *object)
{
	struct cairn_jit_entry *entry = &object->entry;

	entry->next = __jit_debug_descriptor.first;
	entry->previous = NULL;
	cairn_jit_keep_order();
	__jit_debug_descriptor.first = entry;
	if (entry->next)
		entry->next->previous = entry;
	object->listed = true;
}

static void cairn_jit_listing_drop(struct cairn_jit_object *object)
{
	struct cairn_jit_entry *entry = &object->entry;

	if (entry->previous)
		entry->previous->next = entry->next;
	else
		__jit_debug_descriptor.first = entry->next;
	if (entry->next)
		entry->next->previous = entry->previous;
	cairn_jit_keep_order();
	object->listed = false;
}

static void tell_change(struct cairn_jit_object *object, uint32_t action)
{
	__jit_debug_descriptor.relevant = &object->entry;
	__jit_debug_descriptor.action = action;
	cairn_jit_keep_order();
	__jit_debug_register_code();
	__jit_debug_descriptor.action = JIT_NO_ACTION;
	__jit_debug_descriptor.relevant = NULL;
}

static void cairn_jit_listing_tell_added(struct cairn_jit_object *object)
{
	cairn_jit_listing_add(object);
	tell_change(object, JIT_REGISTERED);
}

static void cairn_jit_listing_tell_dropped(struct cairn_jit_object *object)
{
	cairn_jit_listing_drop(object);
	tell_change(object, JIT_UNREGISTERED);
}

/*
 * Index of functions: a hash table of address windows, each with a sorted array of functions. Most
 * JIT compilers allocate ascending addresses, so most insertions append to an array.
 */

enum {
	WINDOW_SHIFT = 18,
	/* maximum number of attempts of a search while other threads change the index */
	TRIES_MAX = 1000,
	/* maximum number of times to yield the processor to searches; a search takes microseconds */
	WAITS_MAX = 10000,
};

struct window {
	uint64_t number; /* address >> WINDOW_SHIFT */
	struct window *next;
	struct cairn_jit_code **code;
	uint32_t count, capacity;
};

struct buckets {
	uint32_t count; /* a power of two */
	struct window *first[];
};

static struct {
	struct buckets *buckets;
	uint32_t count;   /* number of windows */
	uint64_t longest; /* size in bytes of the largest function so far */
} windows;

/*
 * A signal handler may search the index at any time, without the lock. Therefore each store leaves
 * the index sorted and complete, and memory is freed only after it has been unlinked and all
 * searches have ended. A search in another thread may miss a function that is being moved, so it is
 * repeated if `changes` has changed meanwhile.
 */
static unsigned searches;
static uint32_t changes;

#define INDEX_LOAD(from) __atomic_load_n(&(from), __ATOMIC_ACQUIRE)
#define INDEX_STORE(to, value) __atomic_store_n(&(to), (value), __ATOMIC_RELEASE)

static void note_change(void)
{
	__atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
}

/*
 * Wait until no search can still use memory that has been unlinked. Return false if a search does
 * not end, because its thread is suspended or has left its signal handler by siglongjmp(). The
 * memory must then be leaked.
 */
static bool wait_for_searches(void)
{
	static bool is_lost;

	for (unsigned i = 0; i < (is_lost ? 1 : WAITS_MAX); i++, sched_yield())
		if (__atomic_fetch_add(&searches, 0, __ATOMIC_SEQ_CST) == 0) {
			is_lost = false;
			return true;
		}
	is_lost = true;
	return false;
}

CAIRN_JIT_INTERNAL void cairn_jit_index_forked(void)
{
	searches = 0;
}

static struct window **locate_bucket(struct buckets *buckets, uint64_t number)
{
	const uint64_t hash = number * 0x9e3779b97f4a7c15u;

	return &buckets->first[(hash >> 32) & (buckets->count - 1)];
}

static struct window *find_window(uint64_t number)
{
	struct buckets *buckets = INDEX_LOAD(windows.buckets);
	struct window *window = buckets ? INDEX_LOAD(*locate_bucket(buckets, number)) : NULL;

	while (window && window->number != number)
		window = INDEX_LOAD(window->next);
	return window;
}

static void link_window(struct buckets *buckets, struct window *window)
{
	struct window **link = locate_bucket(buckets, window->number);

	window->next = *link;
	INDEX_STORE(*link, window);
}

static void free_buckets(struct buckets *buckets)
{
	for (uint32_t i = 0; buckets && i < buckets->count; i++)
		for (struct window *window = buckets->first[i], *next; window; window = next) {
			next = window->next;
			cairn_jit_free(window, sizeof(*window));
		}
	if (buckets)
		cairn_jit_free(buckets,
		               sizeof(*buckets) + buckets->count * sizeof(struct window *));
}

/* Replace the hash table. Copies the windows, because searches may still use the old lists. */
static bool grow_buckets(void)
{
	struct buckets *old = windows.buckets;
	const uint32_t before = old ? old->count : 0, wanted = before ? 2 * before : 16;
	struct buckets *buckets =
		cairn_jit_allocate(sizeof(*buckets) + wanted * sizeof(struct window *));

	if (!buckets)
		return before != 0;
	buckets->count = wanted;
	for (uint32_t i = 0; i < before; i++)
		for (struct window *window = old->first[i]; window; window = window->next) {
			struct window *copy = cairn_jit_allocate(sizeof(*copy));

			if (!copy) {
				free_buckets(buckets);
				return true;
			}
			*copy = *window;
			link_window(buckets, copy);
		}
	INDEX_STORE(windows.buckets, buckets);
	if (wait_for_searches())
		free_buckets(old);
	return true;
}

static struct window *make_window(uint64_t number)
{
	struct window *window = find_window(number);

	if (window)
		return window;
	if ((!windows.buckets || windows.count >= windows.buckets->count) && !grow_buckets())
		return NULL;
	window = cairn_jit_allocate(sizeof(*window));
	if (window) {
		window->number = number;
		link_window(windows.buckets, window);
		windows.count++;
	}
	return window;
}

static void free_empty_window(struct window *window)
{
	struct window **link = locate_bucket(windows.buckets, window->number);

	if (window->count)
		return;
	while (*link != window)
		link = &(*link)->next;
	INDEX_STORE(*link, window->next);
	windows.count--;
	if (!wait_for_searches())
		return;
	cairn_jit_free(window->code, window->capacity * sizeof(struct cairn_jit_code *));
	cairn_jit_free(window, sizeof(*window));
}

/* Return the index of the first function that does not begin below `start`. */
static uint32_t find_place(const struct window *window, uint64_t start,
                           struct cairn_jit_code **before)
{
	uint32_t low = 0, high = INDEX_LOAD(window->count);
	/* load the array after the count, so that it has at least as many elements */
	struct cairn_jit_code **array = INDEX_LOAD(window->code);
	struct cairn_jit_code *last = high ? INDEX_LOAD(array[high - 1]) : NULL;

	*before = NULL;
	/* the newest function usually has the highest address */
	if (last && last->start < start) {
		*before = last;
		return high;
	}
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		struct cairn_jit_code *code = INDEX_LOAD(array[middle]);

		if (code->start < start) {
			*before = code;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static bool insert_code(struct window *window, struct cairn_jit_code *code)
{
	struct cairn_jit_code **array = window->code, *before;

	if (window->count == window->capacity) {
		const uint32_t capacity = window->capacity + window->capacity / 2 + 8;

		array = cairn_jit_allocate(capacity * sizeof(*array));
		if (!array)
			return false;
		if (window->count)
			memcpy(array, window->code, window->count * sizeof(*array));
		struct cairn_jit_code **old = window->code;
		INDEX_STORE(window->code, array);
		if (wait_for_searches())
			cairn_jit_free(old, window->capacity * sizeof(*array));
		window->capacity = capacity;
	}
	const uint32_t place = find_place(window, code->start, &before);
	const uint32_t count = window->count;
	INDEX_STORE(array[count], count > place ? array[count - 1] : code);
	INDEX_STORE(window->count, count + 1);
	for (uint32_t i = count; i > place; i--)
		INDEX_STORE(array[i - 1], i - 1 > place ? array[i - 2] : code);
	return true;
}

CAIRN_JIT_INTERNAL bool cairn_jit_index_insert(struct cairn_jit_code *code)
{
	struct window *window = make_window(code->start >> WINDOW_SHIFT);

	if (!window)
		return false;
	if (code->size > windows.longest)
		INDEX_STORE(windows.longest, code->size);
	note_change();
	code->indexed = insert_code(window, code);
	note_change();
	if (!code->indexed)
		free_empty_window(window);
	return code->indexed;
}

CAIRN_JIT_INTERNAL void cairn_jit_index_erase(struct cairn_jit_code *code)
{
	struct window *window = find_window(code->start >> WINDOW_SHIFT);
	struct cairn_jit_code *before;
	const uint32_t place = find_place(window, code->start, &before);

	code->indexed = false;
	note_change();
	for (uint32_t i = place; i + 1 < window->count; i++)
		INDEX_STORE(window->code[i], window->code[i + 1]);
	INDEX_STORE(window->count, window->count - 1);
	note_change();
	free_empty_window(window);
}

/*
 * Return the last function that begins below `end`, or NULL. The search stops at windows from which
 * even the longest function could not reach `start`.
 */
static struct cairn_jit_code *find_before(uint64_t start, uint64_t end)
{
	const uint64_t longest = INDEX_LOAD(windows.longest);
	const uint64_t lowest = start < longest ? 0 : (start - longest) >> WINDOW_SHIFT;
	struct cairn_jit_code *before;

	for (uint64_t number = (end - 1) >> WINDOW_SHIFT; end > 0; number--) {
		const struct window *window = find_window(number);

		if (window) {
			find_place(window, end, &before);
			if (before)
				return before;
		}
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

CAIRN_JIT_INTERNAL size_t cairn_jit_index_copy_frame(uint64_t pc, void *buffer, size_t capacity)
{
	struct cairn_jit_bytes bytes = { .data = buffer, .capacity = capacity };
	const struct cairn_jit_code *code;
	uint32_t before;
	size_t tries = 0;

	__atomic_fetch_add(&searches, 1, __ATOMIC_SEQ_CST);
	do {
		before = INDEX_LOAD(changes);
		code = cairn_jit_index_overlap(pc, pc + 1);
	} while (!code && (before % 2 || INDEX_LOAD(changes) != before) && ++tries < TRIES_MAX);
	if (code && !code->gone && code->framed && pc + 1 != 0)
		cairn_jit_write_frame(&bytes, code);
	__atomic_fetch_sub(&searches, 1, __ATOMIC_SEQ_CST);
	return bytes.size;
}

/*
 * Return the first function in the window after window `number`, or NULL if that window is empty. A
 * run may cross a window boundary, so the next function in the run may be there.
 */
static struct cairn_jit_code *find_after(uint64_t number)
{
	const struct window *window = find_window(number + 1);

	return window ? window->code[0] : NULL;
}

/*
 * Return true if the function has been removed and is in no object. Such a function stays in the
 * index only because the process's unwinder still has its frame.
 */
static bool is_unlisted(const struct cairn_jit_code *code)
{
	return code->gone && !code->object;
}

struct cairn_jit_beside {
	struct cairn_jit_code *before, *after;
};

static struct cairn_jit_beside cairn_jit_index_beside(const struct cairn_jit_code *code)
{
	const struct window *window = find_window(code->start >> WINDOW_SHIFT);
	struct cairn_jit_code *below;
	uint32_t before = find_place(window, code->start, &below), after = before + 1;

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

CAIRN_JIT_INTERNAL void cairn_jit_code_free(struct cairn_jit_code *code)
{
	if (wait_for_searches())
		cairn_jit_free(code, sizeof(*code) + code->frame_size);
}

CAIRN_JIT_INTERNAL void cairn_jit_code_settle(struct cairn_jit_code *code)
{
	if (!code->gone || code->object || code->table)
		return;
	if (code->indexed)
		cairn_jit_index_erase(code);
	if (!code->held)
		cairn_jit_code_free(code);
}

/*
 * Merges objects: sorts their functions by address, groups adjacent functions into runs, and writes
 * the runs into a new object.
 */

enum {
	GAP_MAX = 64,             /* maximum alignment gap between functions in one run, in bytes */
	CAPACITY_BYTES = 1 << 20, /* maximum number of bytes to preallocate */
};

struct gathering {
	struct cairn_jit_code **code;
	uint32_t count, capacity;
	struct cairn_jit_need need;
	/*
	 * `leads` requests that no new run start at the same address as an old run, which may
	 * require starting it one byte early; `apart` remains true if this succeeds
	 */
	bool leads, apart;
};

static struct cairn_jit_need cairn_jit_need_one(const struct cairn_jit_facts *facts)
{
	struct cairn_jit_need need = { .slots = 0 };

	cairn_jit_need_add(&need, facts);
	cairn_jit_need_run(&need);
	return need;
}

/*
 * Scale the space in *need to `slots` functions of the same average size, or to fewer functions if
 * the object would become too large.
 */
static void cairn_jit_need_scale(struct cairn_jit_need *need, uint32_t slots)
{
	uint64_t sum = 0;
	const uint64_t has = need->slots;

	for (int part = 0; part < PART_COUNT; part++)
		sum += need->bytes[part];
	while (slots > has && sum * slots / has > CAPACITY_BYTES)
		slots = (uint32_t)(has + (slots - has) / 2);
	if (slots <= has)
		return;
	for (int part = 0; part < PART_COUNT; part++)
		need->bytes[part] = (uint32_t)(need->bytes[part] * (uint64_t)slots / has);
	need->slots = slots;
}

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

/* Return the run of the object that the function is in or next to, or RUN_NEW if there is none. */
static uint32_t cairn_jit_find_run(const struct cairn_jit_object *object,
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
		gathering->capacity += objects[i]->body.live;
	gathering->code = cairn_jit_allocate((gathering->capacity + 1) * sizeof(*gathering->code));
	if (!gathering->code)
		return false;
	list_codes(gathering, objects, count);
	count_need(gathering);
	return true;
}

static void finish_gathering(struct gathering *gathering)
{
	cairn_jit_free(gathering->code, (gathering->capacity + 1) * sizeof(*gathering->code));
}

/*
 * Return 1 if gathering->leads requires that the new run begin one byte before its first function,
 * because the old run of the function starts at the same address. If that byte is in use, return 0
 * and clear gathering->apart.
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
 * Append the functions to the new object in the order of their addresses. choose_lead() needs the
 * old object of a function, so it is called before the function refers to the new one.
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

/*
 * Create an object with all functions of the given objects, and make the functions refer to it.
 * Returns NULL, without changes, if allocation fails. *apart is set if no run of the new object
 * starts at the same address as a run in the given objects. This requires an unused byte before
 * each run that would otherwise do so.
 */
static struct cairn_jit_object *cairn_jit_gather(struct cairn_jit_object **objects, uint32_t count,
                                                 bool *apart)
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

/*
 * Rebuild the object without removed functions, with space for the function `more` (may be NULL)
 * and a total capacity of `slots` functions. Returns false, without changes, if allocation fails.
 */
static bool cairn_jit_rebuild(struct cairn_jit_object *object, const struct cairn_jit_need *more,
                              uint32_t slots)
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

/* Free an object that is not listed, and detach its removed functions. */
static void cairn_jit_discard(struct cairn_jit_object *object)
{
	drop_gone(object);
	cairn_jit_object_free(object);
}

/*
 * Identifies the debugger that traces the process. When an object replaces another one, two
 * sections may briefly have the same start address. GDB tolerates this, whereas LLDB forgets both
 * sections when the old object is unregistered. Under LLDB, an object must therefore be
 * unregistered before a replacement with an equal start address is registered.
 */

enum { STATUS_BYTES = 2048, TRACER_PATH = 40 };

static void read_proc_text(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;

	if (fd >= 0) {
		got = read(fd, text, size - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = '\0';
}

/*
 * Return true if the name of the tracing program, read from /proc, starts with "gdb". Returns false
 * if the name cannot be read.
 */
static bool cairn_jit_traced_by_gdb(void)
{
	char text[STATUS_BYTES], path[TRACER_PATH];

	read_proc_text("/proc/self/status", text, sizeof(text));
	const char *tracer = strstr(text, "\nTracerPid:\t");
	const long pid = tracer ? strtol(tracer + 12, NULL, 10) : 0;
	if (pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	read_proc_text(path, text, sizeof(text));
	return strncmp(text, "gdb", 3) == 0;
}

/*
 * Merges registered objects of similar size: as soon as a level has 32 objects, they become one
 * object in the next level, so debuggers never see many objects.
 */

enum {
	MERGED = 32,
	MERGED_BITS = 5,
	LEVELS = 3, /* objects with at least MERGED^3 functions are not merged */
};

/* true if the debugger tolerates two sections with the same start address */
static bool overlapping;

static struct {
	struct cairn_jit_object *object[MERGED];
	uint32_t count;
} level[LEVELS];

static uint32_t find_level(const struct cairn_jit_object *object)
{
	uint32_t number = 0;

	for (uint32_t live = object->body.live; live >= MERGED && number < LEVELS;
	     live >>= MERGED_BITS)
		number++;
	return number;
}

/* Register `fresh` instead of the old objects, and free the old objects. */
static void put_in_place(struct cairn_jit_object *fresh, bool apart, struct cairn_jit_object **old,
                         uint32_t count)
{
	const bool first = apart || overlapping;

	if (first)
		cairn_jit_listing_tell_added(fresh);
	for (uint32_t i = 0; i < count; i++) {
		cairn_jit_listing_tell_dropped(old[i]);
		cairn_jit_discard(old[i]);
	}
	if (!first)
		cairn_jit_listing_tell_added(fresh);
}

static struct cairn_jit_object *merge_level(uint32_t number)
{
	bool apart;
	struct cairn_jit_object *merged = cairn_jit_gather(level[number].object, MERGED, &apart);

	if (merged)
		put_in_place(merged, apart, level[number].object, MERGED);
	level[number].count = 0;
	return merged;
}

static void enter_level(struct cairn_jit_object *object)
{
	while (object) {
		const uint32_t number = find_level(object);

		if (number == LEVELS)
			return;
		level[number].object[level[number].count++] = object;
		object = level[number].count == MERGED ? merge_level(number) : NULL;
	}
}

/*
 * Set whether a merged object may be registered before its predecessors are unregistered, even if
 * two of their sections have the same start address. Registering first is preferable, because then
 * the debugger knows every function at all times. All debuggers accept it if no two sections start
 * at the same address.
 */
static void cairn_jit_levels_overlap(bool may)
{
	overlapping = may;
}

static void cairn_jit_levels_add(struct cairn_jit_object *object)
{
	cairn_jit_listing_tell_added(object);
	enter_level(object);
}

static void cairn_jit_levels_take(const struct cairn_jit_object *object)
{
	for (uint32_t number = 0; number < LEVELS; number++)
		for (uint32_t i = 0; i < level[number].count; i++)
			if (level[number].object[i] == object) {
				level[number].object[i] =
					level[number].object[--level[number].count];
				return;
			}
}

static void cairn_jit_levels_drop(struct cairn_jit_object *object)
{
	cairn_jit_levels_take(object);
	cairn_jit_listing_tell_dropped(object);
	cairn_jit_discard(object);
}

static void cairn_jit_levels_renew(struct cairn_jit_object *object)
{
	bool apart;
	struct cairn_jit_object *fresh =
		object->body.live ? cairn_jit_gather(&object, 1, &apart) : NULL;

	cairn_jit_levels_take(object);
	if (fresh) {
		put_in_place(fresh, apart, &object, 1);
		enter_level(fresh);
		return;
	}
	/* allocation has failed, so register the old object again */
	cairn_jit_listing_tell_dropped(object);
	cairn_jit_levels_add(object);
}

/*
 * Appends functions to a growing object while no debugger is attached. For an attached debugger,
 * creates a new object per function or batch.
 */

enum {
	FIRST_FUNCTIONS = 64,
	GROWING_FUNCTIONS = 1024,
};

static struct {
	bool attached; /* a debugger is attached and has copied the listed objects */
	struct cairn_jit_object *growing;
	struct cairn_jit_object
		/* object that the current change modified before a debugger was detected */
		*touched;
	struct cairn_jit_object *waiting;
} state;

static bool is_told(const struct cairn_jit_object *object)
{
	return state.attached && object->listed;
}

/* Record that a debugger has attached. From now on, listed objects must not grow. */
static void notice_debugger(void)
{
	state.attached = true;
	state.growing = NULL;
	cairn_jit_levels_overlap(cairn_jit_traced_by_gdb());
}

/* Remove objects that cairn_jit_publish() has registered from the waiting list. */
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
 * Free an object that has no functions left. If a debugger attaches at this moment, it may already
 * have read the object's list entry; the entry is then leaked, so that no other object gets the
 * same address.
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
 * Register an object again for a debugger that has attached during the change, because the debugger
 * may have copied the object either before or after the modification.
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
 * debugger that attaches during the change. Unlisted objects are ignored, because debuggers do not
 * see them. Callers handle a debugger that is already attached (see is_told()).
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
 * Start a new growing object and list it while it is empty. If a debugger attaches at this moment,
 * it may or may not read the object; either way the object stays empty, and later functions are
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
 * Return the capacity for rebuilding an object with `live` functions. Each rebuild copies the
 * object, so small objects grow by a large factor.
 */
static uint32_t choose_slots(uint32_t live)
{
	if (live < GROWING_FUNCTIONS / 2)
		return 4 * live + 2;
	return live < GROWING_FUNCTIONS ? 2 * live : live + live / 4;
}

/*
 * Ensure that the object has space for another function. Rebuilds the object if it is small or has
 * many removed functions.
 */
static bool reserve(struct cairn_jit_object *object, const struct cairn_jit_need *need)
{
	return cairn_jit_object_fits(object, need) ||
	       cairn_jit_rebuild(object, need, choose_slots(object->body.live));
}

static bool append_code(struct cairn_jit_object *object, struct cairn_jit_code *code,
                        const struct cairn_jit_facts *facts)
{
	const struct cairn_jit_need need = cairn_jit_need_one(facts);

	touch_object(object);
	if (is_told(object) || !reserve(object, &need))
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
 * Return true if functions may be appended to the object. An unlisted object is reserved for the
 * thread of an unfinished batch.
 */
static bool is_growable(const struct cairn_jit_object *object)
{
	return object->listed && !state.attached;
}

/*
 * Make sure that no other object claims the function's addresses. If an object claims them and can
 * grow, return it, because the function must be appended to it. Rebuild all other such objects;
 * their runs then end before the function, because the function is already in the index. Return
 * NULL if there is no object to append to.
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
