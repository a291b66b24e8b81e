/* SPDX-License-Identifier: MIT */
/* Draws, updates and erases the progress line on the terminal. */
#include "progress.h"

#include "output/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { AFTER = 1, AFTER_MAX = 3600, EVERY = 100 /* milliseconds */ };

static uint64_t read_clock_ms(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static uint64_t read_delay_seconds(void)
{
	const char *text = getenv("CAIRN_PROGRESS_AFTER");
	char *end;
	long value = text ? strtol(text, &end, 10) : AFTER;

	return text && (end == text || *end || value < 0 || value > AFTER_MAX) ? AFTER
	                                                                       : (uint64_t)value;
}

struct progress progress_begin(const char *what, const char *units, bool quiet)
{
	struct progress progress = { .what = what,
		                     .units = units,
		                     .on = !quiet && isatty(STDERR_FILENO) };

	if (progress.on)
		progress.next = read_clock_ms() + 1000 * read_delay_seconds();
	return progress;
}

struct progress progress_begin_aside(const char *what, const char *units, bool quiet)
{
	return progress_begin(what, units, quiet || isatty(STDOUT_FILENO));
}

/* Print the start of the line. Return false if it is too early to redraw it. */
static bool begin_line(struct progress *progress)
{
	uint64_t time = progress->on ? read_clock_ms() : 0;

	if (!progress->on || time < progress->next)
		return false;
	progress->shown = true;
	progress->next = time + EVERY;
	fputc('\r', stderr);
	print_string(stderr, progress->what);
	return true;
}

void progress_update(struct progress *progress, uint64_t done, uint64_t all)
{
	if (all == 0 || !begin_line(progress))
		return;
	fprintf(stderr, ": %u%% of %" PRIu64 " %s", (unsigned)((double)done * 100 / (double)all),
	        all, progress->units);
	fflush(stderr);
}

void progress_count(struct progress *progress, uint64_t done)
{
	if (!begin_line(progress))
		return;
	fprintf(stderr, ": %" PRIu64 " %s", done, progress->units);
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	progress->shown = false;
}
