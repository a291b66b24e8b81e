/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
/* Distributes a query's modules among workers, and replaces workers that crash or hang. */
#include "worker_pool.h"

#include "pool.h"
#include "query.h"
#include "worker.h"

#include "base/hash.h"
#include "os/channel.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	MILLISECONDS = 1000,
	/* maximum number of attempts to answer a question; each failed attempt costs a worker */
	TRIES = 8,
};

/*
 * Short-lived notes about builds that are absent, that have been requested from debuginfod, or that
 * crash workers. Any thread may use the notes.
 */
enum {
	/*
	 * maximum number of notes; a new note replaces an older one about a build with the same
	 * hash
	 */
	BUILD_NOTES = 4096,
	BUILD_ABSENT_SECONDS = 15, /* seconds before absent files are searched again */
	/* seconds before debuginfod is queried again for the same build */
	BUILD_FETCHED_SECONDS = 60,
	BUILD_SHUNNED_SECONDS = 300, /* seconds before a build that crashed workers is read again */
	BUILD_STRIKES = 3,           /* shun a build after this many crashes */
	BUILD_STRIKE_SECONDS = 60,   /* forget a crash after this many seconds */
};

struct build_note {
	uint8_t id[QUERY_ID_MAX];
	uint8_t id_size, strikes;
	bool is_debug_id;
	uint64_t absent_until, fetched_until, shunned_until, strike_until;
};

struct build_notes {
	pthread_mutex_t mutex;
	struct build_note note[BUILD_NOTES];
};

struct worker_pool {
	struct worker_pool_options options;
	/* slots for workers, followed, at WORKER_POOL_WORKERS_MAX, by slots for fetchers */
	struct pool pool;
	struct worker_page *pages;
	struct build_notes notes;
	_Atomic uint64_t hits, misses, negatives, errors;
};

/*
 * Lock the table and return the note about the build. Overwrites a note about another build with
 * the same hash. The caller unlocks notes->mutex.
 */
static struct build_note *lock_note(struct build_notes *notes, const struct query_module *module)
{
	const struct cairn_bytes id = { module->id, module->id_size };
	struct build_note *note =
		&notes->note[hash_siphash(id, (uint64_t)(uintptr_t)notes) % BUILD_NOTES];

	pthread_mutex_lock(&notes->mutex);
	if (note->id_size != module->id_size || note->is_debug_id != module->is_debug_id ||
	    memcmp(note->id, module->id, module->id_size) != 0) {
		*note = (struct build_note){ .id_size = module->id_size,
			                     .is_debug_id = module->is_debug_id };
		memcpy(note->id, module->id, module->id_size);
	}
	return note;
}

static bool build_is_absent(struct build_notes *notes, const struct query_module *module,
                            uint64_t now)
{
	const bool absent = lock_note(notes, module)->absent_until > now;

	pthread_mutex_unlock(&notes->mutex);
	return absent;
}

/* Return true if the build has recently crashed so many workers that it must not be read. */
static bool build_is_shunned(struct build_notes *notes, const struct query_module *module,
                             uint64_t now)
{
	const bool shunned = lock_note(notes, module)->shunned_until > now;

	pthread_mutex_unlock(&notes->mutex);
	return shunned;
}

/*
 * Return true if debuginfod may be queried for the build. Further calls return false for
 * BUILD_FETCHED_SECONDS.
 */
static bool build_may_be_fetched(struct build_notes *notes, const struct query_module *module,
                                 uint64_t now)
{
	struct build_note *note = lock_note(notes, module);
	const bool may = note->fetched_until <= now;

	if (may)
		note->fetched_until = now + (uint64_t)BUILD_FETCHED_SECONDS * MILLISECONDS;
	pthread_mutex_unlock(&notes->mutex);
	return may;
}

static void build_note_absent(struct build_notes *notes, const struct query_module *module,
                              uint64_t now)
{
	lock_note(notes, module)->absent_until =
		now + (uint64_t)BUILD_ABSENT_SECONDS * MILLISECONDS;
	pthread_mutex_unlock(&notes->mutex);
}

/* Record that a worker has read the build's files completely, and reset its strikes. */
static void build_note_present(struct build_notes *notes, const struct query_module *module)
{
	struct build_note *note = lock_note(notes, module);

	note->absent_until = 0;
	note->strikes = 0;
	pthread_mutex_unlock(&notes->mutex);
}

/*
 * Record that a worker has crashed while it was reading the build. `late` means that the worker has
 * exceeded its time limit; the build is then shunned at once.
 */
static void build_note_strike(struct build_notes *notes, const struct query_module *module,
                              bool late, uint64_t now)
{
	struct build_note *note = lock_note(notes, module);

	note->strikes = note->strike_until > now ? (uint8_t)(note->strikes + 1) : 1;
	note->strike_until = now + (uint64_t)BUILD_STRIKE_SECONDS * MILLISECONDS;
	if (late || note->strikes >= BUILD_STRIKES) {
		note->shunned_until = now + (uint64_t)BUILD_SHUNNED_SECONDS * MILLISECONDS;
		note->strikes = 0;
	}
	pthread_mutex_unlock(&notes->mutex);
}

static void run_slot(void *context, unsigned slot, int socket)
{
	struct worker_pool *worker_pool = context;

	if (slot >= WORKER_POOL_WORKERS_MAX)
		fetcher_run(socket);
	worker_run(&worker_pool->options.worker, &worker_pool->pages[slot], socket);
}

struct worker_pool *worker_pool_start(const struct worker_pool_options *options)
{
	struct worker_pool *worker_pool = calloc(1, sizeof(*worker_pool));

	if (!worker_pool)
		return NULL;
	worker_pool->options = *options;
	worker_pool->pages = mmap(NULL, WORKER_POOL_WORKERS_MAX * sizeof(struct worker_page),
	                          PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (worker_pool->pages != MAP_FAILED &&
	    pthread_mutex_init(&worker_pool->notes.mutex, NULL) == 0 &&
	    pool_start(&worker_pool->pool, run_slot, worker_pool))
		return worker_pool;
	free(worker_pool);
	return NULL;
}

void worker_pool_stop(struct worker_pool *worker_pool)
{
	pool_stop(&worker_pool->pool);
	pthread_mutex_destroy(&worker_pool->notes.mutex);
	munmap(worker_pool->pages, WORKER_POOL_WORKERS_MAX * sizeof(struct worker_page));
	free(worker_pool);
}

bool worker_pool_is_alive(const struct worker_pool *worker_pool)
{
	return pool_is_alive(&worker_pool->pool);
}

/*
 * Return the worker that is responsible for a build. Hash only the first bytes of the ID, so that a
 * debug ID and its build ID have the same worker.
 */
static struct pool_slot *choose_worker(struct worker_pool *worker_pool,
                                       const struct query_module *module)
{
	uint8_t id[QUERY_DEBUG_ID] = { 0 };

	memcpy(id, module->id, module->id_size < sizeof(id) ? module->id_size : sizeof(id));
	return &worker_pool->pool.slot[hash_bytes((struct cairn_bytes){ id, sizeof(id) }) %
	                               worker_pool->options.workers];
}

static bool send_question(struct pool_slot *slot, const struct question_text *text, uint64_t until)
{
	return channel_send(slot->socket, &text->header, sizeof(text->header), -1, until) &&
	       channel_send(slot->socket, text->bytes.data, text->bytes.size, -1, until);
}

struct share {
	struct worker_pool *worker_pool;
	struct query *query;
	size_t *module;
	size_t count;
	bool look_again;
	uint64_t until;
};

/*
 * Send one question and receive its answer. Returns false if the worker has crashed or missed the
 * deadline. Sets *is_short if the question could not be encoded.
 */
static bool ask_worker(const struct share *share, struct pool_slot *slot, uint64_t until,
                       bool *is_short)
{
	struct question_text text;
	struct answer_header header;
	void *memory = NULL;
	bool done = false;

	*is_short = !question_write(share->query, share->module, share->count, &text);
	text.header.kind = QUESTION_NAMES;
	text.header.look_again = share->look_again;
	if (!*is_short && send_question(slot, &text, until) &&
	    channel_receive(slot->socket, &header, sizeof(header), NULL, until) &&
	    header.size <= ANSWER_BYTES_MAX && (memory = malloc((size_t)header.size + 1))) {
		if (channel_receive(slot->socket, memory, header.size, NULL, until))
			done = answer_read(&header, memory, share->module, share->count,
			                   share->query);
		else
			free(memory);
	}
	byte_buffer_finish(&text.bytes);
	return done;
}

/*
 * Count a strike against the module that was being read when the worker ended. If the module is
 * shunned now, remove it from the worker's share of the query.
 */
static void blame_module(struct share *share, const struct pool_slot *slot, uint64_t now, bool late)
{
	struct worker_pool *worker_pool = share->worker_pool;
	const uint32_t number =
		atomic_load(&worker_pool->pages[slot - worker_pool->pool.slot].module);

	if (number >= share->count)
		return;
	struct query_module *module = &share->query->modules[share->module[number]];
	build_note_strike(&worker_pool->notes, module, late, now);
	if (!build_is_shunned(&worker_pool->notes, module, now))
		return;
	atomic_fetch_add(&worker_pool->errors, 1);
	module->is_left_out = true;
	memmove(share->module + number, share->module + number + 1,
	        (share->count - number - 1) * sizeof(*share->module));
	share->count--;
}

static enum query_outcome ask_again(struct share *share, struct pool_slot *slot)
{
	struct worker_pool *worker_pool = share->worker_pool;
	bool is_short;

	for (unsigned i = 0; i < TRIES && share->count > 0; i++) {
		/*
		 * Give the worker its full time even if the query's deadline is earlier, because
		 * the next query benefits from files that are then in memory.
		 */
		const uint64_t now = channel_clock(),
			       until = now + (uint64_t)worker_pool->options.seconds * MILLISECONDS;
		if (now >= share->until)
			return QUERY_LATE;
		if (!pool_ensure(&worker_pool->pool, slot))
			return QUERY_BROKEN;
		if (ask_worker(share, slot, until, &is_short))
			return QUERY_DONE;
		if (is_short)
			return QUERY_BROKEN;
		blame_module(share, slot, channel_clock(), channel_clock() >= until);
		pool_drop(&worker_pool->pool, slot);
	}
	return share->count == 0 ? QUERY_DONE : QUERY_BROKEN;
}

static enum query_outcome ask_share(struct share *share, struct pool_slot *slot)
{
	struct worker_pool *worker_pool = share->worker_pool;

	if (!pool_lock(slot, share->until))
		return QUERY_LATE;
	const enum query_outcome outcome = ask_again(share, slot);
	pool_unlock(slot);
	const uint64_t now = channel_clock();
	for (size_t i = 0; outcome == QUERY_DONE && i < share->count; i++) {
		const struct query_module *module = &share->query->modules[share->module[i]];
		const bool absent = module->missing & CAIRN_MISSING_ALL;
		if (absent)
			build_note_absent(&worker_pool->notes, module, now);
		else
			build_note_present(&worker_pool->notes, module);
		atomic_fetch_add(absent ? &worker_pool->misses : &worker_pool->hits, 1);
	}
	return outcome;
}

static bool answer_from_notes(struct worker_pool *worker_pool, struct query_module *module,
                              uint64_t now)
{
	const bool shunned = build_is_shunned(&worker_pool->notes, module, now);

	if (!shunned && !build_is_absent(&worker_pool->notes, module, now))
		return false;
	module->is_left_out = shunned;
	if (!shunned)
		module->missing = CAIRN_MISSING_ALL | CAIRN_MISSING_PROGRAM | CAIRN_MISSING_DEBUG;
	atomic_fetch_add(shunned ? &worker_pool->errors : &worker_pool->negatives, 1);
	return true;
}

/*
 * Query each worker once about all of its modules. `owner` contains each module's worker; NULL
 * skips a module. Returns the worst outcome.
 */
static enum query_outcome ask_owners(struct share *share, struct pool_slot *const *owner)
{
	struct worker_pool *worker_pool = share->worker_pool;
	enum query_outcome outcome = QUERY_DONE;

	for (unsigned i = 0; i < worker_pool->options.workers; i++) {
		share->count = 0;
		for (size_t m = 0; m < share->query->module_count; m++)
			if (owner[m] == &worker_pool->pool.slot[i])
				share->module[share->count++] = m;
		const enum query_outcome one =
			share->count > 0 ? ask_share(share, &worker_pool->pool.slot[i])
					 : QUERY_DONE;
		outcome = one > outcome ? one : outcome;
	}
	return outcome;
}

static bool fetch_build(struct worker_pool *worker_pool, const struct query_module *module,
                        uint64_t until)
{
	struct fetcher_question question = { .id_size = module->id_size,
		                             .seconds = worker_pool->options.fetch_seconds };
	struct pool_slot *slot =
		&worker_pool->pool
			 .slot[WORKER_POOL_WORKERS_MAX +
	                       hash_bytes((struct cairn_bytes){ module->id, module->id_size }) %
	                               WORKER_POOL_FETCHERS];
	struct fetcher_answer answer = { .is_late = 0 };

	memcpy(question.id, module->id, module->id_size);
	if (!pool_lock(slot, until))
		return false;
	const uint64_t now = channel_clock();
	if (build_may_be_fetched(&worker_pool->notes, module, now) &&
	    pool_ensure(&worker_pool->pool, slot)) {
		const uint64_t most =
			now + (uint64_t)(2 * worker_pool->options.fetch_seconds + 1) * MILLISECONDS;
		const uint64_t end = most < until ? most : until;
		if (!channel_send(slot->socket, &question, sizeof(question), -1, end) ||
		    !channel_receive(slot->socket, &answer, sizeof(answer), NULL, end))
			pool_drop(&worker_pool->pool, slot);
	}
	pool_unlock(slot);
	return answer.has_program || answer.has_debug;
}

/* Fetch missing files from debuginfod, and query the workers again about modules with new files. */
static void fetch_missing(struct share *share, struct pool_slot **owner, uint64_t until)
{
	const unsigned lacks = CAIRN_MISSING_ALL | CAIRN_MISSING_DEBUG;
	bool any = false;

	for (size_t i = 0; i < share->query->module_count; i++) {
		struct query_module *module = &share->query->modules[i];
		const bool has_come = (module->missing & lacks) && !module->is_left_out &&
		                      !module->is_debug_id &&
		                      fetch_build(share->worker_pool, module, until);
		owner[i] = has_come ? choose_worker(share->worker_pool, module) : NULL;
		if (has_come)
			build_note_present(&share->worker_pool->notes, module);
		any |= has_come;
	}
	share->look_again = true;
	if (any)
		(void)ask_owners(share, owner); /* on failure the first answers stay valid */
}

enum query_outcome worker_pool_ask(struct worker_pool *worker_pool, struct query *query,
                                   uint64_t until)
{
	struct pool_slot **owner = calloc(query->module_count + 1, sizeof(*owner));
	struct share share = { .worker_pool = worker_pool,
		               .query = query,
		               .module = calloc(query->module_count + 1, sizeof(*share.module)),
		               .until = until };
	enum query_outcome outcome = QUERY_BROKEN;
	const uint64_t now = channel_clock();

	if (owner && share.module && query_begin(query)) {
		for (size_t i = 0; i < query->module_count; i++)
			if (!answer_from_notes(worker_pool, &query->modules[i], now))
				owner[i] = choose_worker(worker_pool, &query->modules[i]);
		outcome = ask_owners(&share, owner);
		/* reserve half of the time for querying the workers again */
		if (outcome == QUERY_DONE && worker_pool->options.use_debuginfod)
			fetch_missing(&share, owner, now + (until - now) / 2);
	}
	free(owner);
	free(share.module);
	return outcome;
}

/*
 * Ask a question about one module. The reply is stored in `bytes` and, if `fd` is not NULL, in *fd.
 */
static bool ask_about(struct worker_pool *worker_pool, const struct query_module *module,
                      enum question_kind kind, uint64_t until, void *bytes, size_t size, int *fd)
{
	struct query query = { .raw_names = false };
	struct answer_header header = { .size = 0 };
	struct question_text text = { .header = { 0 } };
	const size_t first = 0;
	bool done = false;

	if (build_is_shunned(&worker_pool->notes, module, channel_clock()))
		return false;
	struct pool_slot *slot = choose_worker(worker_pool, module);
	if (!query_add_module(&query, module) || !question_write(&query, &first, 1, &text) ||
	    !pool_lock(slot, until)) {
		query_finish(&query);
		return false;
	}
	text.header.kind = kind;
	if (pool_ensure(&worker_pool->pool, slot)) {
		done = send_question(slot, &text, until) &&
		       channel_receive(slot->socket, &header, sizeof(header), fd, until) &&
		       header.size == size &&
		       channel_receive(slot->socket, bytes, size, NULL, until);
		if (!done) {
			build_note_strike(&worker_pool->notes, module, false, channel_clock());
			pool_drop(&worker_pool->pool, slot);
		}
	}
	pool_unlock(slot);
	byte_buffer_finish(&text.bytes);
	query_finish(&query);
	return done;
}

bool worker_pool_find_places(struct worker_pool *worker_pool, const struct query_module *module,
                             struct elf_places *places, uint64_t until)
{
	return ask_about(worker_pool, module, QUESTION_PLACES, until, places, sizeof(*places),
	                 NULL) &&
	       places->count > 0 && places->count <= ELF_PLACES_MAX;
}

int worker_pool_open_file(struct worker_pool *worker_pool, const struct query_module *module,
                          bool debug, uint64_t until)
{
	char nothing[1];
	int fd = -1;

	if (!ask_about(worker_pool, module, debug ? QUESTION_DEBUG : QUESTION_PROGRAM, until,
	               nothing, 0, &fd) &&
	    fd >= 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct worker_pool_counts worker_pool_count(struct worker_pool *worker_pool)
{
	struct worker_pool_counts counts = { .hits = worker_pool->hits,
		                             .misses = worker_pool->misses,
		                             .negatives = worker_pool->negatives,
		                             .errors = worker_pool->errors,
		                             .replaced = worker_pool->pool.replaced };

	for (unsigned i = 0; i < worker_pool->options.workers; i++) {
		counts.resident += atomic_load(&worker_pool->pages[i].resident);
		counts.opened_bytes += atomic_load(&worker_pool->pages[i].opened_bytes);
	}
	return counts;
}
