/* SPDX-License-Identifier: MIT */
/*
 * Names: words that a misspelled one may stand for, the more readable of two names, and phrases for
 * Linux signals.
 */
#ifndef CAIRN_BASE_NAMES_H
#define CAIRN_BASE_NAMES_H

#include <cairn.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Finds the word that a mistyped one probably means: the nearest candidate ("markup" below), if one
 * is near.
 *
 *	struct similar_word typed = similar_word_start("makrup", 6);
 *	similar_word_offer(&typed, "markup");
 *	similar_word_offer(&typed, "where");
 *	puts(typed.best);
 *
 * A candidate is near if it begins with the word, which must then have at least two characters, or
 * if few characters are missing, superfluous, wrong, or swapped with a neighbor: one per three
 * characters of the longer word.
 */

/* Longer words do not match. */
enum { SIMILAR_WORD_MAX = 40 };

struct similar_word {
	const char *typed;
	size_t length;
	const char *best; /* nearest candidate so far, borrowed; NULL if none is near */
	size_t distance;
};

struct similar_word similar_word_start(const char *typed, size_t length);

/* Compare a candidate, which is borrowed. The first of several equally near candidates is kept. */
void similar_word_offer(struct similar_word *word, const char *candidate);

/* Chooses the more readable of two names of the same code by their spelling alone. */

enum { NAME_UNDERSCORES_MAX = 64 }; /* Count at most this many leading underscores. */

static inline size_t name_count_underscores(struct cairn_bytes name)
{
	size_t count = 0;

	while (count < name.size && count < NAME_UNDERSCORES_MAX && name.data[count] == '_')
		count++;
	return count;
}

/*
 * Return a value below 0 if `a` is better: it has fewer leading underscores, is shorter, or sorts
 * first.
 */
static inline int name_order_compare(struct cairn_bytes a, struct cairn_bytes b)
{
	const size_t a_lead = name_count_underscores(a), b_lead = name_count_underscores(b);

	if (a_lead != b_lead)
		return a_lead < b_lead ? -1 : 1;
	if (a.size != b.size)
		return a.size < b.size ? -1 : 1;
	return a.data == b.data || a.size == 0 ? 0 : memcmp(a.data, b.data, a.size);
}

/* Phrases that describe Linux signals; their names are in <cairn/stacks.h>. */

/* Return a phrase such as "Segmentation fault", or NULL for an unknown signal. */
const char *signal_phrase(uint64_t signal);

#endif
