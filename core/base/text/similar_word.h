/* SPDX-License-Identifier: MIT */
/*
 * Finds the word that somebody meant who typed another one: the nearest candidate, "markup" here, if one is near.
 *
 *	struct similar_word typed = similar_word_start("makrup", 6);
 *	similar_word_offer(&typed, "markup");
 *	similar_word_offer(&typed, "where");
 *	puts(typed.best);
 *
 * A candidate is near if it begins with the word, which then has at least two characters, or if few characters are
 * missing, superfluous, wrong, or exchanged with their neighbour: one for each three characters of the longer of both.
 */
#ifndef CAIRN_BASE_TEXT_SIMILAR_WORD_H
#define CAIRN_BASE_TEXT_SIMILAR_WORD_H

#include <stddef.h>

/* A longer word is similar to none. */
enum { SIMILAR_WORD_MAX = 40 };

struct similar_word {
	const char *typed; /* lent */
	size_t length;
	const char *best; /* the nearest candidate so far, lent; NULL if none is near */
	size_t distance;  /* of `best`, in characters that differ */
};

struct similar_word similar_word_start(const char *typed, size_t length);

/* Offers one candidate, which stays the caller's.  Of two that are equally near the first counts. */
void similar_word_offer(struct similar_word *word, const char *candidate);

#endif
