/* SPDX-License-Identifier: MIT */
/* Keeps short-lived notes about builds in a table of a fixed size. */
#include "build_notes.h"

#include "base/hash.h"

enum { MILLISECONDS = 1000 };

/* Locks the table, and gives the note of this build, which may be new. */
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

bool build_is_absent(struct build_notes *notes, const struct query_module *module, uint64_t now)
{
	const bool absent = lock_note(notes, module)->absent_until > now;

	pthread_mutex_unlock(&notes->mutex);
	return absent;
}

bool build_is_shunned(struct build_notes *notes, const struct query_module *module, uint64_t now)
{
	const bool shunned = lock_note(notes, module)->shunned_until > now;

	pthread_mutex_unlock(&notes->mutex);
	return shunned;
}

bool build_may_be_fetched(struct build_notes *notes, const struct query_module *module,
                          uint64_t now)
{
	struct build_note *note = lock_note(notes, module);
	const bool may = note->fetched_until <= now;

	if (may)
		note->fetched_until = now + (uint64_t)BUILD_FETCHED_SECONDS * MILLISECONDS;
	pthread_mutex_unlock(&notes->mutex);
	return may;
}

void build_note_absent(struct build_notes *notes, const struct query_module *module, uint64_t now)
{
	lock_note(notes, module)->absent_until =
		now + (uint64_t)BUILD_ABSENT_SECONDS * MILLISECONDS;
	pthread_mutex_unlock(&notes->mutex);
}

void build_note_present(struct build_notes *notes, const struct query_module *module)
{
	struct build_note *note = lock_note(notes, module);

	note->absent_until = 0;
	note->strikes = 0;
	pthread_mutex_unlock(&notes->mutex);
}

void build_note_strike(struct build_notes *notes, const struct query_module *module, bool late,
                       uint64_t now)
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
