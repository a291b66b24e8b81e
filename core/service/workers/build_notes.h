/* SPDX-License-Identifier: MIT */
/*
 * What a service remembers of builds for a short time: that nobody has symbols of it, that debuginfod was asked, and that workers
 * have ended while they read its files. Any thread may ask.
 */
#ifndef CAIRN_SERVICE_WORKERS_BUILD_NOTES_H
#define CAIRN_SERVICE_WORKERS_BUILD_NOTES_H

#include "service/query/query.h"

#include <pthread.h>

enum {
	BUILD_NOTES = 4096,          /* builds; one with the same place replaces another */
	BUILD_ABSENT_SECONDS = 15,   /* that files of a build are not looked for again */
	BUILD_FETCHED_SECONDS = 60,  /* that debuginfod is not asked again */
	BUILD_SHUNNED_SECONDS = 300, /* that a build is not read again which has ended workers */
	BUILD_STRIKES = 3,           /* workers that a build may end */
	BUILD_STRIKE_SECONDS = 60,   /* after which an earlier one is forgotten */
};

struct build_note {
	uint8_t id[QUERY_ID_MAX];
	uint8_t id_size, strikes;
	bool is_debug_id;
	uint64_t absent_until, fetched_until, shunned_until, strike_until; /* milliseconds */
};

/* All zeros at first, but for the mutex. */
struct build_notes {
	pthread_mutex_t mutex;
	struct build_note note[BUILD_NOTES];
};

/* Is nothing known of it, and will nothing be for a while? */
bool build_is_absent(struct build_notes *notes, const struct query_module *module, uint64_t now);
/* Did it end so many workers that it is left alone? */
bool build_is_shunned(struct build_notes *notes, const struct query_module *module, uint64_t now);
/* May debuginfod be asked now?  Nobody else may then for a while. */
bool build_may_be_fetched(struct build_notes *notes, const struct query_module *module,
                          uint64_t now);

void build_note_absent(struct build_notes *notes, const struct query_module *module, uint64_t now);
/* Its files are there, and a worker has come to their end: what ended others before was not this build. */
void build_note_present(struct build_notes *notes, const struct query_module *module);
/* A worker has ended while it read this build; `late`: it had all the time that it may take. */
void build_note_strike(struct build_notes *notes, const struct query_module *module, bool late,
                       uint64_t now);

#endif
