/* SPDX-License-Identifier: MIT */
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
#ifndef CAIRN_BASE_SIMILAR_WORD_H
#define CAIRN_BASE_SIMILAR_WORD_H

#include <stddef.h>

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

#endif
