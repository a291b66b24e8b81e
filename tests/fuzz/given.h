/* SPDX-License-Identifier: MIT */
/*
 * The functions that a reader gave to a writer, so that what is read back from the file can be compared: ranges, hashes of
 * names, first lines. Of more than GIVEN_MAX functions nothing is claimed.
 *
 *	given_begin(&given);
 *	given_add(&given, function);                           each that the writer takes
 *	ALWAYS(given_has(&given, function));                   each that is read back
 *	ALWAYS(given_holds(&given, va, name, line));           the answer of a lookup: outermost name, innermost line
 */
#ifndef CAIRN_TESTS_FUZZ_GIVEN_H
#define CAIRN_TESTS_FUZZ_GIVEN_H

#include "contract.h"

#include "base/utf8.h"

enum { GIVEN_MAX = 1 << 10 };

struct given {
	struct given_copy {
		uint64_t start, size, name;
		uint32_t line; /* at its start */
	} function[GIVEN_MAX];
	size_t count;
};

/* FNV-1a. */
static inline uint64_t given_hash(struct cairn_bytes text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ text.data[i]) * 0x100000001b3;
	return hash;
}

/* Of a name as formats have it: one that is not UTF-8 is repaired, and ?? stands for none. */
static inline uint64_t given_name(struct cairn_bytes name)
{
	static const uint8_t unknown[] = { '?', '?' };

	if (name.size == 0)
		return given_hash((struct cairn_bytes){ unknown, sizeof(unknown) });
	if (utf8_is_valid(name))
		return given_hash(name);
	struct sink sound = sink_open(malloc(UTF8_GROWTH * name.size), UTF8_GROWTH * name.size);
	ALWAYS(sound.data);
	utf8_put_repaired(&sound, name);
	const uint64_t hash = given_hash((struct cairn_bytes){ sound.data, sound.size });
	free(sound.data);
	return hash;
}

static inline void given_begin(struct given *given)
{
	given->count = 0;
}

static inline void given_add(struct given *given, const struct function *f)
{
	if (given->count < GIVEN_MAX)
		given->function[given->count] =
			(struct given_copy){ f->start, f->size, given_name(f->name),
			                         f->row_count ? f->rows[0].line : 0 };
	given->count++;
}

/* Was this one given, with this range and name? */
static inline bool given_has(const struct given *given, const struct function *f)
{
	const uint64_t name = given_name(f->name);

	if (given->count > GIVEN_MAX)
		return true;
	for (size_t i = 0; i < given->count; i++)
		if (given->function[i].start == f->start && given->function[i].size == f->size &&
		    given->function[i].name == name)
			return true;
	return false;
}

/* Was one of this name given that holds the address, and has this line if it begins there? Size 0 reaches anywhere. */
static inline bool given_holds(const struct given *given, uint64_t va, struct cairn_bytes name,
                               uint32_t line)
{
	const uint64_t wanted = given_name(name);

	if (given->count > GIVEN_MAX)
		return true;
	for (size_t i = 0; i < given->count; i++) {
		const struct given_copy *f = &given->function[i];
		const bool holds = f->size ? va - f->start < f->size : va >= f->start;
		if (f->name == wanted && holds && (va != f->start || line == f->line))
			return true;
	}
	return false;
}

#endif
