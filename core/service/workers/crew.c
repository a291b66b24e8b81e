/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
/* Shares the modules of a query among workers, and replaces workers that end. */
#include "crew.h"

#include "build_notes.h"
#include "fetcher.h"
#include "mate.h"
#include "os/channel.h"
#include "spawner.h"

#include "base/hash.h"
#include "service/query/answer.h"
#include "service/query/question.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	MILLISECONDS = 1000,
	TRIES = 8, /* of one question; each that fails costs a worker */
};

struct crew {
	struct crew_options options;
	struct spawner spawner;
	struct worker_page *pages;
	struct mate worker[CREW_WORKERS_MAX], fetcher[CREW_FETCHERS];
	struct build_notes notes;
	_Atomic uint64_t hits, misses, negatives, errors, replaced;
};

static void run_slot(void *context, unsigned slot, int socket)
{
	struct crew *crew = context;

	if (slot >= CREW_WORKERS_MAX)
		fetcher_run(socket);
	worker_run(&crew->options.worker, &crew->pages[slot], socket);
}

static struct worker_page *map_pages(void)
{
	void *pages = mmap(NULL, CREW_WORKERS_MAX * sizeof(struct worker_page),
	                   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

struct crew *crew_start(const struct crew_options *options)
{
	struct crew *crew = calloc(1, sizeof(*crew));

	if (!crew)
		return NULL;
	crew->options = *options;
	crew->pages = map_pages();
	const struct spawner_options spawned = { run_slot, crew };
	if (crew->pages && pthread_mutex_init(&crew->notes.mutex, NULL) == 0 &&
	    mates_open(crew->worker, crew->options.workers, 0) &&
	    mates_open(crew->fetcher, CREW_FETCHERS, CREW_WORKERS_MAX) &&
	    spawner_start(&spawned, &crew->spawner))
		return crew;
	free(crew);
	return NULL;
}

void crew_stop(struct crew *crew)
{
	mates_close(crew->worker, crew->options.workers);
	mates_close(crew->fetcher, CREW_FETCHERS);
	spawner_stop(&crew->spawner);
	pthread_mutex_destroy(&crew->notes.mutex);
	munmap(crew->pages, CREW_WORKERS_MAX * sizeof(struct worker_page));
	free(crew);
}

bool crew_is_alive(const struct crew *crew)
{
	return spawner_is_alive(&crew->spawner);
}

/* The first bytes alone, so that a debug ID and its build ID belong to one worker. */
static struct mate *choose_worker(struct crew *crew, const struct query_module *module)
{
	uint8_t id[QUERY_DEBUG_ID] = { 0 };

	memcpy(id, module->id, module->id_size < sizeof(id) ? module->id_size : sizeof(id));
	return &crew->worker[hash_bytes((struct cairn_bytes){ id, sizeof(id) }) %
	                     crew->options.workers];
}

/* Receives the answer to a question about names. */
static bool receive_names(struct mate *mate, struct query *query, const size_t *module,
                          size_t count, uint64_t until)
{
	struct answer_header header;
	void *memory;

	if (!channel_receive(mate->socket, &header, sizeof(header), NULL, until) ||
	    header.size > ANSWER_BYTES_MAX || !(memory = malloc((size_t)header.size + 1)))
		return false;
	if (channel_receive(mate->socket, memory, header.size, NULL, until))
		return answer_read(&header, memory, module, count, query);
	free(memory);
	return false;
}

static bool send_question(struct mate *mate, const struct question_text *text, uint64_t until)
{
	return channel_send(mate->socket, &text->header, sizeof(text->header), -1, until) &&
	       channel_send(mate->socket, text->bytes.data, text->bytes.size, -1, until);
}

/* The modules of a query that one worker is asked about. */
struct share {
	struct crew *crew;
	struct query *query;
	size_t *module; /* their numbers */
	size_t count;
	bool look_again;
	uint64_t until;
};

/* One question and its answer. False: the worker has ended, or was late. */
static bool ask_worker(const struct share *share, struct mate *mate, uint64_t until, bool *is_short)
{
	struct question_text text;
	bool done = false;

	*is_short = !question_write(share->query, share->module, share->count, &text);
	text.header.kind = QUESTION_NAMES;
	text.header.look_again = share->look_again;
	if (!*is_short)
		done = send_question(mate, &text, until) &&
		       receive_names(mate, share->query, share->module, share->count, until);
	byte_buffer_finish(&text.bytes);
	return done;
}

/* Blames the module that was read when the worker ended; one that has done it too often is left out from now on. */
static void blame_module(struct share *share, const struct mate *mate, uint64_t now, bool late)
{
	struct crew *crew = share->crew;
	const uint32_t number = atomic_load(&crew->pages[mate->slot].module);

	if (number >= share->count)
		return;
	struct query_module *module = &share->query->modules[share->module[number]];
	build_note_strike(&crew->notes, module, late, now);
	if (!build_is_shunned(&crew->notes, module, now))
		return;
	atomic_fetch_add(&crew->errors, 1);
	module->is_left_out = true;
	memmove(share->module + number, share->module + number + 1,
	        (share->count - number - 1) * sizeof(*share->module));
	share->count--;
}

static enum query_outcome ask_again(struct share *share, struct mate *mate)
{
	struct crew *crew = share->crew;
	bool is_short;

	for (unsigned i = 0; i < TRIES && share->count > 0; i++) {
		/* all of its time, whoever asks: what is read now is there for the next one */
		const uint64_t now = channel_clock(),
			       until = now + (uint64_t)crew->options.seconds * MILLISECONDS;
		if (now >= share->until)
			return QUERY_LATE;
		if (!mate_ensure(mate, &crew->spawner))
			return QUERY_BROKEN;
		if (ask_worker(share, mate, until, &is_short))
			return QUERY_DONE;
		if (is_short)
			return QUERY_BROKEN;
		blame_module(share, mate, channel_clock(), channel_clock() >= until);
		mate_drop(mate, &crew->replaced);
	}
	return share->count == 0 ? QUERY_DONE : QUERY_BROKEN;
}

/* Notes what is absent now, so that it is not looked for each time. */
static void note_answers(struct share *share, uint64_t now)
{
	struct crew *crew = share->crew;

	for (size_t i = 0; i < share->count; i++) {
		const struct query_module *module = &share->query->modules[share->module[i]];
		const bool absent = module->missing & CAIRN_MISSING_ALL;
		if (absent)
			build_note_absent(&crew->notes, module, now);
		else
			build_note_present(&crew->notes, module);
		atomic_fetch_add(absent ? &crew->misses : &crew->hits, 1);
	}
}

static enum query_outcome ask_share(struct share *share, struct mate *mate)
{
	if (!mate_lock(mate, share->until))
		return QUERY_LATE;
	const enum query_outcome outcome = ask_again(share, mate);
	mate_unlock(mate);
	if (outcome == QUERY_DONE)
		note_answers(share, channel_clock());
	return outcome;
}

/* Answers what is known without a worker. */
static bool answer_from_notes(struct crew *crew, struct query_module *module, uint64_t now)
{
	const bool shunned = build_is_shunned(&crew->notes, module, now);

	if (!shunned && !build_is_absent(&crew->notes, module, now))
		return false;
	module->is_left_out = shunned;
	if (!shunned)
		module->missing = CAIRN_MISSING_ALL | CAIRN_MISSING_PROGRAM | CAIRN_MISSING_DEBUG;
	atomic_fetch_add(shunned ? &crew->errors : &crew->negatives, 1);
	return true;
}

/*
 * Asks each worker once about all of its modules; the worst outcome counts. `owner`: of each module; NULL: nobody is to be
 * asked.
 */
static enum query_outcome ask_owners(struct share *share, struct mate *const *owner)
{
	struct crew *crew = share->crew;
	enum query_outcome outcome = QUERY_DONE;

	for (unsigned i = 0; i < crew->options.workers; i++) {
		share->count = 0;
		for (size_t m = 0; m < share->query->module_count; m++)
			if (owner[m] == &crew->worker[i])
				share->module[share->count++] = m;
		const enum query_outcome one =
			share->count > 0 ? ask_share(share, &crew->worker[i]) : QUERY_DONE;
		outcome = one > outcome ? one : outcome;
	}
	return outcome;
}

/* Does debuginfod have something to add? */
static bool wants_fetching(const struct crew *crew, const struct query_module *module)
{
	const unsigned lacks = CAIRN_MISSING_ALL | CAIRN_MISSING_DEBUG;

	return crew->options.use_debuginfod && (module->missing & lacks) && !module->is_left_out &&
	       !module->is_debug_id;
}

/* True: a file has come that was not there. */
static bool fetch_build(struct crew *crew, const struct query_module *module, uint64_t until)
{
	struct fetcher_question question = { .id_size = module->id_size,
		                             .seconds = crew->options.fetch_seconds };
	struct mate *mate =
		&crew->fetcher[hash_bytes((struct cairn_bytes){ module->id, module->id_size }) %
	                       CREW_FETCHERS];
	struct fetcher_answer answer = { .is_late = 0 };

	memcpy(question.id, module->id, module->id_size);
	if (!mate_lock(mate, until))
		return false;
	const uint64_t now = channel_clock();
	if (build_may_be_fetched(&crew->notes, module, now) && mate_ensure(mate, &crew->spawner)) {
		const uint64_t most =
			now + (uint64_t)(2 * crew->options.fetch_seconds + 1) * MILLISECONDS;
		const uint64_t end = most < until ? most : until;
		if (!channel_send(mate->socket, &question, sizeof(question), -1, end) ||
		    !channel_receive(mate->socket, &answer, sizeof(answer), NULL, end))
			mate_drop(mate, &crew->replaced);
	}
	mate_unlock(mate);
	return answer.has_program || answer.has_debug;
}

/* What debuginfod has brought is asked about again. */
static void fetch_missing(struct share *share, struct mate **owner, uint64_t until)
{
	bool any = false;

	for (size_t i = 0; i < share->query->module_count; i++) {
		struct query_module *module = &share->query->modules[i];
		const bool has_come = wants_fetching(share->crew, module) &&
		                      fetch_build(share->crew, module, until);
		owner[i] = has_come ? choose_worker(share->crew, module) : NULL;
		if (has_come)
			build_note_present(&share->crew->notes, module);
		any |= has_come;
	}
	share->look_again = true;
	if (any)
		(void)ask_owners(share, owner); /* without it the first answer stays */
}

enum query_outcome crew_ask(struct crew *crew, struct query *query, uint64_t until)
{
	struct mate **owner = calloc(query->module_count + 1, sizeof(*owner));
	struct share share = { .crew = crew,
		               .query = query,
		               .module = calloc(query->module_count + 1, sizeof(*share.module)),
		               .until = until };
	enum query_outcome outcome = QUERY_BROKEN;
	const uint64_t now = channel_clock();

	if (owner && share.module && query_begin(query)) {
		for (size_t i = 0; i < query->module_count; i++)
			if (!answer_from_notes(crew, &query->modules[i], now))
				owner[i] = choose_worker(crew, &query->modules[i]);
		outcome = ask_owners(&share, owner);
		/* half of the time is left for what comes after it */
		if (outcome == QUERY_DONE && crew->options.use_debuginfod)
			fetch_missing(&share, owner, now + (until - now) / 2);
	}
	free(owner);
	free(share.module);
	return outcome;
}

/* Asks one question about one module; *fd and `bytes` get what comes. */
static bool ask_about(struct crew *crew, const struct query_module *module, enum question_kind kind,
                      uint64_t until, void *bytes, size_t size, int *fd)
{
	struct query query = { .raw_names = false };
	struct answer_header header = { .size = 0 };
	struct question_text text = { .header = { 0 } };
	const size_t first = 0;
	bool done = false;

	if (build_is_shunned(&crew->notes, module, channel_clock()))
		return false;
	struct mate *mate = choose_worker(crew, module);
	if (!query_add_module(&query, module) || !question_write(&query, &first, 1, &text) ||
	    !mate_lock(mate, until)) {
		query_finish(&query);
		return false;
	}
	text.header.kind = kind;
	if (mate_ensure(mate, &crew->spawner)) {
		done = send_question(mate, &text, until) &&
		       channel_receive(mate->socket, &header, sizeof(header), fd, until) &&
		       header.size == size &&
		       channel_receive(mate->socket, bytes, size, NULL, until);
		if (!done) {
			build_note_strike(&crew->notes, module, false, channel_clock());
			mate_drop(mate, &crew->replaced);
		}
	}
	mate_unlock(mate);
	byte_buffer_finish(&text.bytes);
	query_finish(&query);
	return done;
}

bool crew_find_places(struct crew *crew, const struct query_module *module,
                      struct elf_places *places, uint64_t until)
{
	return ask_about(crew, module, QUESTION_PLACES, until, places, sizeof(*places), NULL) &&
	       places->count > 0 && places->count <= ELF_PLACES_MAX;
}

int crew_open_file(struct crew *crew, const struct query_module *module, bool debug, uint64_t until)
{
	char nothing[1];
	int fd = -1;

	if (!ask_about(crew, module, debug ? QUESTION_DEBUG : QUESTION_PROGRAM, until, nothing, 0,
	               &fd) &&
	    fd >= 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct crew_counts crew_count(struct crew *crew)
{
	struct crew_counts counts = { .hits = crew->hits,
		                      .misses = crew->misses,
		                      .negatives = crew->negatives,
		                      .errors = crew->errors,
		                      .replaced = crew->replaced };

	for (unsigned i = 0; i < crew->options.workers; i++) {
		counts.resident += atomic_load(&crew->pages[i].resident);
		counts.opened_bytes += atomic_load(&crew->pages[i].opened_bytes);
	}
	return counts;
}
