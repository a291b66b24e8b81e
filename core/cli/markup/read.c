/* SPDX-License-Identifier: MIT */
/*
 * Reads a log for `cairn markup`.  What is read at once is written at once, so that each line appears
 * when it is complete, however slowly they come.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_ROOM = 1 << 18 };

/* A piece of the log; false after a message, when it asks for more output than its size allows. */
static bool filter_piece(struct run *run, struct cairn_bytes piece, enum cairn_status *status)
{
	const bool tired = run->symbols.naming.over;

	markup_symbols_credit(&run->symbols, piece.size);
	*status = markup_split_feed(&run->split, piece);
	if (run->symbols.naming.over && !tired) {
		progress_end(&run->progress);
		print_diagnostic(run->name, "names take too much work to be made readable; "
		                            "others stay as they are");
	}
	if (run->printed.over) {
		progress_end(&run->progress);
		print_diagnostic(run->name, "elements share too many bytes of names; the rest is "
		                            "left out");
	}
	return !run->printed.over;
}

static bool read_input(struct run *run, int input)
{
	static uint8_t buffer[INPUT_ROOM];
	struct pollfd more = { .fd = input, .events = POLLIN };
	enum cairn_status status = CAIRN_OK;
	struct stat about;
	bool within = true;
	ssize_t got = 1;

	/* a regular file has a size; what comes through a pipe takes as long as its writer */
	if (fstat(input, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
		run->size = (uint64_t)about.st_size;
	run->progress = progress_begin_aside(run->name, "bytes", run->quiet);
	while (status == CAIRN_OK && got > 0 && within && !run->output_failed) {
		progress_update(&run->progress, run->done, run->size);
		got = read(input, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR) {
			got = 1;
			continue;
		}
		if (got < 0)
			print_diagnostic(run->name, "cannot read: %s", strerror(errno));
		/* logs may hold any byte, so that only the magic numbers tell */
		if (got >= 4 && run->done == 0 && !run->compat &&
		    (memcmp(buffer, "\177ELF", 4) == 0 || memcmp(buffer, "MDMP", 4) == 0))
			print_diagnostic(run->name, "not a text; a log with symbolizer markup is "
			                            "expected");
		run->done += got > 0 ? (uint64_t)got : 0;
		if (got > 0)
			within = filter_piece(run, (struct cairn_bytes){ buffer, (size_t)got },
			                      &status);
		if (status == CAIRN_OK && run->interactive && poll(&more, 1, 0) == 0)
			status = markup_split_pause(&run->split);
		if (!run->in_blocks)
			fflush(stdout);
	}
	progress_end(&run->progress);
	if (status == CAIRN_OK)
		status = markup_split_finish(&run->split);
	if (status != CAIRN_OK)
		print_diagnostic(run->name, "%s", cairn_status_text(status));
	return status == CAIRN_OK && got == 0 && !run->output_failed;
}

int markup_filter_file(struct run *run, const char *path)
{
	int input = STDIN_FILENO;

	run->name = "standard input";
	if (path && strcmp(path, "-") != 0) {
		run->name = path;
		input = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (input < 0)
		return fail_with(path, "cannot read: %s", strerror(errno));
	bool good = read_input(run, input);
	if (input != STDIN_FILENO)
		close(input);
	if (!good)
		return EXIT_BROKEN;
	return run->strict && (run->complaints || run->symbols.missing) ? EXIT_MISSING : EXIT_CLEAN;
}
