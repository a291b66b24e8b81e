/* SPDX-License-Identifier: MIT */
/* `cairn symbfile lookup`: prints the chain of frames at each address. */
#include "session.h"

#include "cli/front/printed.h"
#include "cli/front/rights.h"

#include "base/memory.h"
#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Prints function, file and line of each ADDRESS, or of each address on standard input "
	"when\nnone is given.  Inlined calls come first, then their function.  "
	"Addresses are those of\n"
	"the linked file, decimal or 0x and hex.  With --return they are return addresses: the "
	"answer\ncomes from a return pad if the call has one, else from the range one byte before. "
	" --with\nadds another file of ranges or return pads.";

enum { LINE_MAX_BYTES = 4096 };

struct lookup {
	struct symbfile_session session;
	enum form form;
	bool is_return, explain;
	struct json json;
	struct allowance printed;
	struct cairn_location *frame; /* innermost first, with the strings to print */
	size_t frames, room;
	int status;
};

/*
 * Collect all frames at an address first, because the output forms print them in different orders.
 */
static bool collect_frames(struct lookup *l, uint64_t va)
{
	struct symbfile_chain chain;
	struct cairn_location location;

	l->frames = 0;
	if (!symbfile_index_answer(&l->session.index, va, l->is_return, &chain))
		return true;
	while (symbfile_chain_next(&chain, &location)) {
		if (!ARRAY_APPEND(l->frame, l->frames, l->room,
		                  printed_location(&l->printed, &location)))
			return false;
	}
	return true;
}

static void print_frames_lines(const struct lookup *l, uint64_t va)
{
	printf("Q\t0x%" PRIx64 "\t%zu", va, l->frames);
	for (size_t i = l->frames; i-- > 0;) {
		const struct cairn_location *f = &l->frame[i];
		symbfile_print_field(true, f->function);
		symbfile_print_field(f->file.size > 0, f->file);
		printf("\t%" PRIu32, f->line);
	}
	putchar('\n');
}

static void print_frames_text(const struct lookup *l, uint64_t va)
{
	printf("0x%" PRIx64 ": ", va);
	if (l->frames == 0)
		puts("no function covers it");
	for (size_t i = 0; i < l->frames; i++) {
		const struct cairn_location *f = &l->frame[i];
		if (i > 0)
			fputs("  inlined into ", stdout);
		if (f->function.size)
			print_text(stdout, f->function);
		else
			fputs("??", stdout);
		if (f->offset)
			printf("+0x%" PRIx64, f->offset);
		if (f->file.size || f->line) {
			fputs(" at ", stdout);
			print_source_location(stdout, f);
		}
		putchar('\n');
	}
}

static void print_frames_json(struct lookup *l, uint64_t va)
{
	struct json *j = &l->json;

	json_object(j, NULL);
	json_address(j, "address", va);
	json_string(j, "outcome", cairn_status_name(l->frames ? CAIRN_OK : CAIRN_NOT_FOUND));
	json_array(j, "frames");
	for (size_t i = 0; i < l->frames; i++)
		json_location(j, &l->frame[i]);
	json_end(j);
	json_end(j);
}

/* Bound the printed strings, because frames and records may share a name of any size. */
static void begin_answers(struct lookup *l)
{
	l->printed = printed_of(0);
	for (size_t i = 0; i < l->session.count; i++)
		printed_credit(&l->printed, l->session.file[i].bytes.size);
}

static void end_answer(struct lookup *l, uint64_t va)
{
	if (!l->printed.over)
		return;
	l->status = fail_with(
		l->session.path[0],
		"0x%" PRIx64 ": calls share too many bytes of names; the rest is left out", va);
}

static void answer_address(struct lookup *l, uint64_t va)
{
	printed_begin_answer(&l->printed);
	if (!collect_frames(l, va)) {
		l->status = fail_with(l->session.path[0], "out of memory");
		return;
	}
	if (l->form == FORM_JSON)
		print_frames_json(l, va);
	else if (l->form == FORM_LINES)
		print_frames_lines(l, va);
	else
		print_frames_text(l, va);
	if (l->explain)
		symbfile_explain(&l->session, l->is_return ? va - 1 : va, &l->printed);
	if (l->frames == 0)
		l->status = choose_worse(l->status, EXIT_MISSING);
	end_answer(l, va);
}

static void answer_word(struct lookup *l, const char *word)
{
	uint64_t va;

	if (parse_number(word, &va)) {
		answer_address(l, va);
	} else {
		print_word_diagnostic(NULL, word,
		                      "an address is expected, decimal or 0x and hexadecimal");
		l->status = choose_worse(l->status, EXIT_USAGE);
	}
}

static void answer_input(struct lookup *l)
{
	char line[LINE_MAX_BYTES];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\r\n")] = '\0';
		answer_word(l, line);
	}
}

static int look_up_operands(struct lookup *l, const struct option_words *paths, bool use_cache,
                            int argc, char **argv)
{
	if (!symbfile_session_open(paths, use_cache, &l->session, &l->status))
		return l->status;
	rights_end_search();
	l->json = json_to(stdout);
	begin_answers(l);
	for (int i = 1; i < argc; i++)
		answer_word(l, argv[i]);
	if (argc == 1)
		answer_input(l);
	free(l->frame);
	symbfile_session_close(&l->session);
	return l->status;
}

int symbfile_lookup_verb(int argc, char **argv)
{
	static struct lookup l;
	struct option_words paths = { .count = 1 };
	bool no_cache = false;
	const struct option options[] = {
		OPTION_LINES(&l.form),
		OPTION_JSON(&l.form),
		OPTION_WORDS("with", "FILE", "use this symbfile too", &paths),
		OPTION_FLAG("return", "treat addresses as return addresses", &l.is_return),
		OPTION_FLAG("explain", "print which records contain the address", &l.explain),
		OPTION_FLAG("no-cache", "build the index again", &no_cache),
	};
	const struct command command = { "cairn symbfile lookup [OPTION...] FILE [ADDRESS...]",
		                         about,
		                         options,
		                         COUNT(options),
		                         .operands = { 1, OPERANDS_MANY, { "FILE", "ADDRESS" } },
		                         .rights = RIGHT_CACHE };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (paths.count > SYMBFILE_FILES_MAX)
		return usage_error(&command, "more than %d files", SYMBFILE_FILES_MAX);
	paths.word[0] = argv[0];
	return look_up_operands(&l, &paths, !no_cache, argc, argv);
}
