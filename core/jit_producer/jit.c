/* SPDX-License-Identifier: MIT */
/*
 * Implements cairn_jit.h: takes the lock and passes functions to debuggers, perf and the unwinder.
 */
#include "dwarf.h"
#include "list.h"
#include "memory.h"
#include "perf.h"
#include "unwinder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cairn_jit_environment {
	bool off, events;
	bool chosen; /* an environment variable has set `consumers` */
	unsigned consumers;
	const char *directory; /* directory for jitdumps; NULL selects the default */
};

static const struct {
	const char *word;
	unsigned consumer;
} words[] = {
	{ "debugger", CAIRN_JIT_DEBUGGER },
	{ "backtrace", CAIRN_JIT_BACKTRACE },
	{ "perf-map", CAIRN_JIT_PERF_MAP },
	{ "jitdump", CAIRN_JIT_JITDUMP },
};

static bool is_word(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && memcmp(text, word, size) == 0;
}

static void take_word(struct cairn_jit_environment *environment, const char *text, size_t size)
{
	if (is_word(text, size, "off"))
		environment->off = true;
	if (is_word(text, size, "events"))
		environment->events = true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_word(text, size, words[i].word)) {
			environment->chosen = true;
			environment->consumers |= words[i].consumer;
		}
}

/* Read the environment variables. A set-user-ID program ignores them. */
static struct cairn_jit_environment cairn_jit_read_environment(void)
{
	struct cairn_jit_environment environment = { .off = false };

	if (getuid() != geteuid() || getgid() != getegid())
		return environment;
	for (const char *at = getenv("CAIRN_JIT"); at && *at; at += *at == ',') {
		const size_t size = strcspn(at, ",");

		take_word(&environment, at, size);
		at += size;
	}
	environment.directory = getenv("CAIRN_JIT_DIRECTORY");
	return environment;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cairn_jit_environment environment;
static unsigned consumers = CAIRN_JIT_DEBUGGER;
static struct cairn_jit_scratch scratch;
static uint64_t batches;
static uint64_t removals;            /* number of functions removed so far */
static _Thread_local uint64_t batch; /* ID of this thread's open batch; 0 outside of batches */
static _Thread_local unsigned nested;

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
	pthread_mutex_unlock(&lock);
}

static void release_in_child(void)
{
	cairn_jit_index_forked();
	release_lock();
}

/*
 * Initialize the library. The lock is held during fork(), so that the child inherits a consistent
 * list of functions; afterwards both processes release it.
 */
static void start_library(void)
{
	environment = cairn_jit_read_environment();
	if (environment.chosen)
		consumers = environment.consumers;
	if (environment.events)
		cairn_jit_listing_force();
	cairn_jit_perf_directory(environment.directory);
	pthread_atfork(take_lock, release_lock, release_in_child);
}

static void begin_change(void)
{
	pthread_once(&once, start_library);
	take_lock();
	cairn_jit_arrange_begin();
}

static void end_change(void)
{
	cairn_jit_arrange_end();
	release_lock();
}

/*
 * Remove a function from debuggers and from the process's unwinder. The program's handle, if any,
 * stays valid.
 */
static void retire_code(struct cairn_jit_code *code)
{
	code->gone = true;
	__atomic_fetch_add(&removals, 1, __ATOMIC_SEQ_CST);
	if (code->object)
		cairn_jit_arrange_remove(code);
	if (code->table)
		cairn_jit_unwinder_remove(code);
	cairn_jit_code_settle(code);
}

/* Remove all functions that overlap [start, end), and make debuggers drop their copies. */
static void free_addresses(uint64_t start, uint64_t end)
{
	struct cairn_jit_code *old;

	while ((old = cairn_jit_index_overlap(start, end)) != NULL) {
		const bool held = old->held;

		old->held = true;
		if (!old->gone)
			retire_code(old);
		if (old->object)
			cairn_jit_arrange_forget(old);
		if (old->table)
			cairn_jit_unwinder_forget(old);
		old->held = held;
		cairn_jit_code_settle(old);
	}
}

static bool tell_consumers(struct cairn_jit_code *code, const struct cairn_jit_facts *facts)
{
	const bool added =
		!(consumers & CAIRN_JIT_DEBUGGER) || cairn_jit_arrange_add(code, facts, batch);

	if (added && consumers & CAIRN_JIT_BACKTRACE && facts->framed)
		cairn_jit_unwinder_add(code, facts);
	if (added && consumers & CAIRN_JIT_PERF_MAP)
		cairn_jit_perf_map(facts);
	if (added && consumers & CAIRN_JIT_JITDUMP)
		cairn_jit_perf_dump(facts);
	return added;
}

static struct cairn_jit_code *add_facts(const struct cairn_jit_facts *facts)
{
	const uint32_t frame_size = facts->framed ? facts->frame_size : 0;
	struct cairn_jit_code *code = cairn_jit_allocate(sizeof(*code) + frame_size);

	if (!code)
		return NULL;
	code->start = facts->start;
	code->size = facts->size;
	code->framed = facts->framed;
	code->frame_size = frame_size;
	if (frame_size)
		memcpy(code->frame, facts->frame, frame_size);
	free_addresses(code->start, code->start + code->size);
	if (cairn_jit_index_insert(code)) {
		code->held = true;
		if (tell_consumers(code, facts))
			return code;
		cairn_jit_index_erase(code);
	}
	cairn_jit_code_free(code);
	return NULL;
}

cairn_jit_code *cairn_jit_add(const struct cairn_jit_function *function)
{
	struct cairn_jit_code *code = NULL;
	struct cairn_jit_facts facts;
	int error = ECANCELED;

	begin_change();
	if (!environment.off) {
		const bool is_sound = cairn_jit_make_facts(&scratch, function, &facts);

		error = scratch.problem ? EINVAL : ENOMEM;
		if (is_sound)
			code = add_facts(&facts);
	}
	end_change();
	if (!code)
		errno = error;
	return code;
}

const char *cairn_jit_problem(const struct cairn_jit_function *function)
{
	struct cairn_jit_facts facts;

	pthread_once(&once, start_library);
	take_lock();
	(void)cairn_jit_make_facts(&scratch, function, &facts);
	const char *problem = scratch.problem;
	release_lock();
	return problem;
}

void cairn_jit_remove(cairn_jit_code *code)
{
	if (!code)
		return;
	begin_change();
	if (!code->gone)
		retire_code(code);
	code->held = false;
	if (!code->indexed)
		cairn_jit_code_free(code);
	end_change();
}

void cairn_jit_begin(void)
{
	if (nested++ > 0)
		return;
	begin_change();
	batch = ++batches;
	end_change();
}

void cairn_jit_end(void)
{
	if (nested == 0 || --nested > 0)
		return;
	begin_change();
	cairn_jit_arrange_batch(batch);
	batch = 0;
	end_change();
}

void cairn_jit_publish(void)
{
	cairn_jit_arrange_publish();
}

void cairn_jit_use(unsigned chosen)
{
	begin_change();
	if (!environment.chosen)
		consumers = chosen;
	end_change();
}

size_t cairn_jit_rules(uint64_t pc, void *buffer, size_t capacity, uint64_t *removed)
{
	*removed = __atomic_load_n(&removals, __ATOMIC_SEQ_CST);
	return cairn_jit_index_copy_frame(pc, buffer, capacity);
}

size_t cairn_jit_memory(void)
{
	return cairn_jit_allocated();
}
