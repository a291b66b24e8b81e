/* SPDX-License-Identifier: MIT */
/*
 * `cairn gsym lookup`: addresses in, answers out in the same order.  From standard input as many
 * are taken at once as are there, so that a program may ask one address and wait for the answer,
 * and a file of a million is answered in large batches.
 */
#include "question.h"

#include "cli/front/rights.h"

#include <string.h>
#include <unistd.h>

static const char about[] =
	"Prints function, file and line of each ADDRESS, or of each address on standard input "
	"when\nnone is given.  Inlined calls come first, then their function.  "
	"Addresses are those\n"
	"of the linked file: 4144, 0x1030, 103f, main, main+4, MODULE+0x14f0, or a line of a "
	"stack.\n"
	"FILE is a GSYM file, an ELF or Mach-O file with GSYM in it, or a program: then its GSYM\n"
	"file is looked for beside it, in --directory, in build-ID trees and in the cache, and\n"
	"must have its build ID.\n"
	"--addr2line prints what addr2line -fi does, and takes bare addresses as hexadecimal;\n"
	"--gsymutil prints what llvm-gsymutil does, and without FILE reads \"ADDRESS FILE\" lines.";

enum {
	CHUNK = 8192,           /* addresses answered together */
	INPUT_BUFFER = 1 << 18, /* longer lines are not addresses */
	ADDRESS_TEXT_MAX = 64,
};

/* Standard input, line by line, without waiting for more than there is. */
struct lines {
	char buffer[INPUT_BUFFER + 1];
	size_t start, end;
	bool ended;
};

/* Reads what there is, and waits only when there is nothing.  False at the end. */
static bool fill_line_buffer(struct lines *lines)
{
	if (lines->ended)
		return false;
	memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	if (lines->end == INPUT_BUFFER)
		lines->end = 0;
	ssize_t got = read(STDIN_FILENO, lines->buffer + lines->end, INPUT_BUFFER - lines->end);
	if (got < 0)
		print_diagnostic("-", "cannot read addresses");
	if (got > 0) {
		lines->end += (size_t)got;
		return true;
	}
	lines->ended = true;
	if (lines->end == lines->start)
		return false;
	lines->buffer[lines->end++] = '\n';
	return true;
}

/* The next whole line of what has been read, without its end; NULL when there is none. */
static char *read_buffered_line(struct lines *lines)
{
	char *line = lines->buffer + lines->start;
	char *end = memchr(line, '\n', lines->end - lines->start);

	if (!end)
		return NULL;
	lines->start = (size_t)(end + 1 - lines->buffer);
	*end = '\0';
	line[strcspn(line, "\r")] = '\0';
	return line;
}

/* An address as the chosen form has it: addr2line takes bare digits as hexadecimal. */
static bool parse_lookup_address(struct lookup *lookup, const char *text, uint64_t *va)
{
	char hex[ADDRESS_TEXT_MAX];

	if (lookup->style != STYLE_ADDR2LINE || strncmp(text, "0x", 2) == 0)
		return lookup->style == STYLE_CAIRN ? question_parse(lookup, text, va)
		                                    : parse_number(text, va);
	if (strlen(text) + 3 > sizeof(hex))
		return false;
	strcpy(hex, "0x");
	strcat(hex, text);
	return parse_number(hex, va);
}

static void answer_batch(struct lookup *lookup, struct question *questions, size_t count)
{
	static uint64_t vas[CHUNK];
	static struct cairn_symbol_answer answers[CHUNK];
	size_t good = 0;

	for (size_t i = 0; i < count; i++)
		if (questions[i].is_address)
			vas[good++] = questions[i].va;
	const enum cairn_status status = lookup->find
	                                         ? lookup->find(lookup->context, vas, good, answers)
	                                         : lookup_ask(lookup, vas, good, answers);
	if (status == CAIRN_NO_MEMORY)
		lookup->status = fail_with(lookup->input.path, "out of memory");
	if (status != CAIRN_OK)
		return;
	good = 0;
	for (size_t i = 0; i < count; i++)
		if (questions[i].is_address)
			lookup_print(lookup, questions[i].va, &answers[good++]);
		else
			lookup_print_no_address(lookup, questions[i].text);
}

static void answer_questions(struct lookup *lookup, struct question *questions, size_t count)
{
	if (lookup->style != STYLE_GSYMUTIL) {
		answer_batch(lookup, questions, count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!questions[i].is_address)
			lookup_print_no_address(lookup, questions[i].text);
		else
			lookup_print_compat(lookup, questions[i].va);
		if (lookup->from_input)
			putchar('\n');
	}
}

static struct question parse_question(struct lookup *lookup, char *text)
{
	struct question q = { .text = text };

	q.is_address = parse_lookup_address(lookup, text, &q.va);
	return q;
}

static void look_up_input(struct lookup *lookup)
{
	static struct question questions[CHUNK];
	static struct lines lines;
	size_t count = 0;
	char *line;

	lookup->from_input = true;
	while (fill_line_buffer(&lines)) {
		if (lookup->see)
			lookup->see(
				lookup->context,
				(struct cairn_bytes){ (const uint8_t *)lines.buffer + lines.start,
			                              lines.end - lines.start });
		while ((line = read_buffered_line(&lines))) {
			questions[count++] = parse_question(lookup, line);
			if (count == CHUNK) {
				answer_questions(lookup, questions, count);
				count = 0;
			}
		}
		answer_questions(lookup, questions, count);
		count = 0;
		fflush(stdout);
	}
}

static void look_up_arguments(struct lookup *lookup, int argc, char **argv)
{
	static struct question questions[CHUNK];
	size_t count = 0;

	if (lookup->style == STYLE_GSYMUTIL)
		printf("Looking up addresses in \"%s\":\n", lookup->input.path);
	for (int i = 0; i < argc && lookup->see; i++)
		lookup->see(lookup->context,
		            (struct cairn_bytes){ (const uint8_t *)argv[i], strlen(argv[i]) });
	for (int i = 0; i < argc; i++) {
		questions[count++] = parse_question(lookup, argv[i]);
		if (count == CHUNK || i + 1 == argc) {
			answer_questions(lookup, questions, count);
			count = 0;
		}
	}
}

int lookup_run(struct lookup *lookup, int argc, char **argv)
{
	lookup->status = EXIT_CLEAN;
	if (argc > 0)
		look_up_arguments(lookup, argc, argv);
	else
		look_up_input(lookup);
	functions_by_name_finish(&lookup->names);
	gsym_input_close(&lookup->input);
	return lookup->status;
}

/* The GSYM data is the one source, and no other file is looked for. */
static bool open_symbolizer(struct lookup *lookup)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_source source;

	options.bare = true;
	lookup->module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	lookup->symbolizer = cairn_symbolizer_new(&options);
	cairn_symbols_as_source(lookup->input.symbols, 0, &source);
	return lookup->symbolizer && cairn_symbolizer_add(lookup->symbolizer, &source) == CAIRN_OK;
}

static int look_up_in_file(struct lookup *lookup, const struct gsym_source *source, int argc,
                           char **argv)
{
	int status = EXIT_CLEAN;

	if (!gsym_input_open(argv[0], source, &lookup->input, &status))
		return status;
	if (!open_symbolizer(lookup))
		return fail_with(argv[0], "out of memory");
	lookup->printed = gsym_printed(lookup->input.gsym);
	question_begin(lookup, argc - 1, argv + 1);
	rights_end_search();
	status = lookup_run(lookup, argc - 1, argv + 1);
	cairn_symbolizer_free(lookup->symbolizer);
	return status;
}

int gsym_lookup_verb(int argc, char **argv)
{
	struct gsym_source source = { .force = false };
	bool addr2line = false, gsymutil = false;
	static struct lookup lookup = { .form = FORM_TEXT };
	static struct name_filter filter;
	struct option_words patterns = { .count = 0 };
	const struct option options[] = {
		OPTION_LINES(&lookup.form),
		OPTION_JSON(&lookup.form),
		OPTION_LINKAGE_NAMES(&lookup.linkage_names),
		OPTION_FLAG("addr2line", "print as addr2line -fi does", &addr2line),
		OPTION_FLAG("gsymutil", "print as llvm-gsymutil does", &gsymutil),
		OPTION_FLAG("merged-functions",
		            "with --gsymutil: print all functions that share the same code",
		            &lookup.merged),
		OPTION_WORDS("merged-functions-filter", "REGEX",
		             "of these only those whose names match; may be given several times",
		             &patterns),
		OPTIONS_GSYM_SOURCE(&source),
	};
	const struct command command = {
		"cairn gsym lookup [OPTION...] FILE|--gsymutil [ADDRESS...]", about, options,
		COUNT(options)
	};
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	lookup.filter = &filter;
	if (patterns.count > 0 && !lookup.merged)
		return usage_error(&command, "--merged-functions-filter needs --merged-functions");
	if (!name_filter_compile(&filter, &patterns))
		return EXIT_USAGE;
	if (argc == 0 && gsymutil)
		return lookup_run_compat_lines(&lookup);
	if (argc == 0)
		return usage_error(&command, "no FILE");
	if (argc == 1 && strcmp(argv[0], "-") == 0)
		return usage_error(&command, "FILE and addresses cannot both be standard input");
	lookup.json = json_to(stdout);
	lookup.style = gsymutil ? STYLE_GSYMUTIL : addr2line ? STYLE_ADDR2LINE : STYLE_CAIRN;
	return look_up_in_file(&lookup, &source, argc, argv);
}
