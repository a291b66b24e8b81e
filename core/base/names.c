/* SPDX-License-Identifier: MIT */
/* Compares words by edit distance, and names Linux signals. */
#include "names.h"

#include <cairn.h>

#include <stdbool.h>
#include <string.h>

/*
 * Computes the edit distance of two words: the minimum number of insertions, deletions,
 * replacements and swaps of neighbors that turn one word into the other without changing a
 * character twice (optimal string alignment).
 */

/*
 * Two words, and the last three rows of the cost matrix. costs[(i + 1) % 3] contains the costs of
 * turning the first i + 1 typed characters into each prefix of the candidate.
 */
struct comparison {
	const char *typed, *candidate;
	size_t length;
	size_t costs[3][SIMILAR_WORD_MAX + 1];
};

static size_t choose_smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool are_exchanged(const struct comparison *c, size_t i, size_t j)
{
	return i > 0 && j > 0 && c->typed[i] == c->candidate[j - 1] &&
	       c->typed[i - 1] == c->candidate[j];
}

static void fill_row(struct comparison *c, size_t i)
{
	size_t *now = c->costs[(i + 1) % 3];
	const size_t *before = c->costs[i % 3], *earlier = c->costs[(i + 2) % 3];

	now[0] = i + 1;
	for (size_t j = 0; j < c->length; j++) {
		size_t replaced = before[j] + (c->typed[i] != c->candidate[j]);
		size_t moved = choose_smaller(before[j + 1], now[j]) + 1;
		now[j + 1] = choose_smaller(replaced, moved);
		if (are_exchanged(c, i, j))
			now[j + 1] = choose_smaller(now[j + 1], earlier[j - 1] + 1);
	}
}

static size_t measure_distance(const struct similar_word *word, const char *candidate,
                               size_t length)
{
	struct comparison c = { word->typed, candidate, length, { { 0 } } };

	for (size_t j = 0; j <= length; j++)
		c.costs[0][j] = j;
	for (size_t i = 0; i < word->length; i++)
		fill_row(&c, i);
	return c.costs[word->length % 3][length];
}

/* Return the distance of a candidate. It is 1 if the candidate begins with the typed word. */
static size_t find_distance(const struct similar_word *word, const char *candidate, size_t length)
{
	if (length > word->length && memcmp(candidate, word->typed, word->length) == 0)
		return 1;
	return measure_distance(word, candidate, length);
}

struct similar_word similar_word_start(const char *typed, size_t length)
{
	return (struct similar_word){ typed, length, NULL, 0 };
}

void similar_word_offer(struct similar_word *word, const char *candidate)
{
	size_t length = strlen(candidate), distance;

	if (word->length < 2 || word->length > SIMILAR_WORD_MAX || length > SIMILAR_WORD_MAX)
		return;
	distance = find_distance(word, candidate, length);
	if (distance > 1 && distance * 3 > (length > word->length ? length : word->length))
		return;
	if (!word->best || distance < word->distance) {
		word->best = candidate;
		word->distance = distance;
	}
}

/* Names of Linux signals as on amd64, aarch64 and s390x, and the C library's phrases for them. */
static const struct {
	const char *name, *phrase;
} signals[] = {
	[1] = { "SIGHUP", "Hangup" },
	[2] = { "SIGINT", "Interrupt" },
	[3] = { "SIGQUIT", "Quit" },
	[4] = { "SIGILL", "Illegal instruction" },
	[5] = { "SIGTRAP", "Trace/breakpoint trap" },
	[6] = { "SIGABRT", "Aborted" },
	[7] = { "SIGBUS", "Bus error" },
	[8] = { "SIGFPE", "Arithmetic exception" },
	[9] = { "SIGKILL", "Killed" },
	[10] = { "SIGUSR1", "User defined signal 1" },
	[11] = { "SIGSEGV", "Segmentation fault" },
	[12] = { "SIGUSR2", "User defined signal 2" },
	[13] = { "SIGPIPE", "Broken pipe" },
	[14] = { "SIGALRM", "Alarm clock" },
	[15] = { "SIGTERM", "Terminated" },
	[16] = { "SIGSTKFLT", "Stack fault" },
	[17] = { "SIGCHLD", "Child status changed" },
	[18] = { "SIGCONT", "Continued" },
	[19] = { "SIGSTOP", "Stopped (signal)" },
	[20] = { "SIGTSTP", "Stopped (user)" },
	[21] = { "SIGTTIN", "Stopped (tty input)" },
	[22] = { "SIGTTOU", "Stopped (tty output)" },
	[23] = { "SIGURG", "Urgent I/O condition" },
	[24] = { "SIGXCPU", "CPU time limit exceeded" },
	[25] = { "SIGXFSZ", "File size limit exceeded" },
	[26] = { "SIGVTALRM", "Virtual timer expired" },
	[27] = { "SIGPROF", "Profiling timer expired" },
	[28] = { "SIGWINCH", "Window size changed" },
	[29] = { "SIGIO", "I/O possible" },
	[30] = { "SIGPWR", "Power fail/restart" },
	[31] = { "SIGSYS", "Bad system call" },
};

enum { SIGNALS = sizeof(signals) / sizeof(*signals) };

const char *cairn_signal_name(uint64_t signal)
{
	return signal < SIGNALS ? signals[signal].name : NULL;
}

const char *signal_phrase(uint64_t signal)
{
	return signal < SIGNALS ? signals[signal].phrase : NULL;
}
