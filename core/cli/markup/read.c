/* SPDX-License-Identifier: MIT */
/*
 * Reads a log for `cairn markup`. Output is flushed after each read, so that a line appears as soon
 * as it is complete, however slowly the input arrives.
 */
#include "run.h"

#include "base/bytes.h"
#include "locate/captured_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	INPUT_ROOM = 1 << 18,
	LOOK_MAX = 1 << 16,
};

/* Infer load addresses of --exe programs from these lines, and report new ones. */
static void learn_bases(struct run *run, struct cairn_bytes lines)
{
	struct markup_symbols *s = &run->symbols;

	markup_bases_read(s, lines);
	for (; s->bases.lent < s->bases.count; s->bases.lent++) {
		progress_end(&run->progress);
		const struct load_base *base = &s->bases.found[s->bases.lent].base;
		print_diagnostic(s->programs[s->bases.found[s->bases.lent].exe],
		                 CAPTURED_FILES_LOADED, base->first, base->follow, base->inside);
		for (size_t i = 0; i < run->split.count; i++)
			markup_exes_add_bases(s, run->split.process[i].markup);
	}
}

/* Read a whole regular file ahead, because the frames that show the base may come after others. */
static bool learn_bases_of_file(struct run *run, int input)
{
	struct os_file file;

	if (run->size == 0 || os_file_open_descriptor(input, run->name, &file) != 0)
		return false;
	learn_bases(run, file.bytes);
	os_file_close(&file);
	return true;
}

/*
 * Find out if the beginning of the log has frames without markup but no markup elements, to suggest
 * --reports. To be fast, only lines with "0x" are parsed.
 */
static void look_for_frames(struct run *run, struct cairn_bytes piece)
{
	struct captured_text text = captured_text_open();
	struct captured_line line;

	piece.size =
		piece.size > LOOK_MAX - run->looked_at ? LOOK_MAX - run->looked_at : piece.size;
	run->looked_at += piece.size;
	while (piece.size > 0 && !run->has_markup && !run->has_frames) {
		struct cairn_bytes part = bytes_take_part(&piece, '\n'), rest = part;
		const uint8_t *x, *brace = memchr(part.data, '{', part.size);
		run->has_markup = run->has_markup || (brace && part.data + part.size - brace >= 3 &&
		                                      memcmp(brace, "{{{", 3) == 0);
		while (rest.size > 0 && (x = memchr(rest.data, 'x', rest.size))) {
			rest.size -= (size_t)(x + 1 - rest.data);
			rest.data = x + 1;
			if (x == part.data || x[-1] != '0')
				continue;
			run->has_frames = run->has_frames ||
			                  captured_text_line(&text, part, &line) == CAPTURED_FRAME;
			break;
		}
	}
}

/* Filter a piece of the log. Return false after a message if the output exceeds the limit. */
static bool filter_piece(struct run *run, struct cairn_bytes piece, enum cairn_status *status)
{
	const bool tired = run->symbols.naming.over;

	if (run->learns)
		learn_bases(run, piece);
	if (!run->symbols.reports && run->looked_at < LOOK_MAX && !run->has_markup &&
	    !run->has_frames)
		look_for_frames(run, piece);
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

	/* progress needs a size, which only a regular file has */
	if (fstat(input, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
		run->size = (uint64_t)about.st_size;
	run->progress = progress_begin_aside(run->name, "bytes", run->quiet);
	for (size_t i = 0; i < run->symbols.exes.count && run->symbols.reports; i++)
		run->learns = run->learns || run->symbols.report_exe[i].returns;
	if (run->learns && learn_bases_of_file(run, input))
		run->learns = false;
	while (status == CAIRN_OK && got > 0 && within && !run->output_failed) {
		progress_update(&run->progress, run->done, run->size);
		got = read(input, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR) {
			got = 1;
			continue;
		}
		if (got < 0)
			print_diagnostic(run->name, "cannot read: %s", strerror(errno));
		/* logs may contain any byte, so test for magic numbers only */
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
	for (size_t i = 0; run->symbols.reports && i < run->symbols.exes.count; i++) {
		const struct captured_returns *r = run->symbols.report_exe[i].returns;
		if (r && r->bare > 0 && !run->symbols.report_exe[i].is_used &&
		    run->symbols.bases.count == 0)
			print_diagnostic(
				run->symbols.programs[i],
				"not placed: the log does not tell where it was loaded, and its "
				"%zu "
				"addresses fit no place clearly; --exe FILE@BASE gives one",
				r->bare);
	}
	if (run->has_frames && !run->has_markup && !run->symbols.any_build)
		print_diagnostic(run->name, "its frames have no markup; --reports names them");
	return run->strict && (run->complaints || run->symbols.missing) ? EXIT_MISSING : EXIT_CLEAN;
}
