/* SPDX-License-Identifier: MIT */
/*
 * Finds the word that a user probably meant to type, chooses the more readable of two names, and
 * describes Linux signals.
 */
#ifndef CAIRN_BASE_NAMES_H
#define CAIRN_BASE_NAMES_H

#include <cairn.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The most similar candidate ("markup" below) is chosen if it is similar enough.
 *
 *	struct similar_word typed = similar_word_start("makrup", 6);
 *	similar_word_offer(&typed, "markup");
 *	similar_word_offer(&typed, "where");
 *	puts(typed.best);
 *
 * A candidate is similar if it begins with the word, which must have at least two characters. It is
 * also similar if at most one character per three characters of the longer word is missing,
 * superfluous, wrong, or swapped with its neighbor.
 */

enum { SIMILAR_WORD_MAX = 40 };

struct similar_word {
	const char *typed;
	size_t length;
	/* most similar candidate so far, borrowed; NULL if no candidate is similar */
	const char *best;
	size_t distance;
};

struct similar_word similar_word_start(const char *typed, size_t length);

/*
 * Compare a candidate with the typed word. The string is not copied, so it must remain valid while
 * word->best may point to it. Of equally similar candidates, the first one is kept.
 */
void similar_word_offer(struct similar_word *word, const char *candidate);

enum { NAME_UNDERSCORES_MAX = 64 }; /* maximum number of leading underscores that are counted */

static inline size_t name_count_underscores(struct cairn_bytes name)
{
	size_t count = 0;

	while (count < name.size && count < NAME_UNDERSCORES_MAX && name.data[count] == '_')
		count++;
	return count;
}

/*
 * Choose the more readable of two names for the same code, by spelling alone. Return a value below
 * 0 if `a` is better: it has fewer leading underscores, is shorter, or sorts first.
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

/*
 * Return a phrase for a Linux signal, such as "Segmentation fault", or NULL if the signal is
 * unknown. Names such as SIGSEGV are in <cairn/stacks.h>.
 */
const char *signal_phrase(uint64_t signal);

#endif
