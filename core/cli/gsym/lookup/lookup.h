/* SPDX-License-Identifier: MIT */
/* One run of `cairn gsym lookup`, and the printing of its answers. */
#ifndef CAIRN_CLI_GSYM_LOOKUP_LOOKUP_H
#define CAIRN_CLI_GSYM_LOOKUP_LOOKUP_H

#include "cli/gsym/functions_by_name.h"
#include "cli/gsym/gsym.h"

#include <regex.h>

enum lookup_style {
	STYLE_CAIRN,
	STYLE_ADDR2LINE,
	STYLE_GSYMUTIL,
};

/* Extended regular expressions of the user, any of which a name may match. */
struct name_filter {
	regex_t pattern[OPTION_WORDS_MAX];
	size_t count; /* 0: every name matches */
};

/* False: one is not a regular expression, and a message was printed. */
bool name_filter_compile(struct name_filter *filter, const struct option_words *words);

/* Only the first 64 KiB of a longer name are compared. */
bool name_filter_matches(const struct name_filter *filter, struct cairn_bytes name);

struct lookup {
	struct cairn_symbolizer *symbolizer; /* knows the addresses of this module */
	struct cairn_symbol_module module;
	struct gsym_input
		input; /* `symbols` NULL: there is no GSYM data, from which functions are known by name */
	/* Asks the symbolizer for somebody who does more, and reports what is wrong; NULL: it is asked as it is. */
	enum cairn_status (*find)(void *context, const uint64_t *vas, size_t count,
	                          struct cairn_symbol_answer *answers);
	void (*name_functions)(
		void *context); /* makes ->input when a name is asked for; NULL: nobody can */
	/* Gets lines before they are parsed; then place() makes addresses of a process those as linked, if it can.  NULL: it cannot. */
	void (*see)(void *context, struct cairn_bytes lines);
	bool (*place)(void *context, uint64_t address, uint64_t *va);
	void *context;
	enum form form;
	enum lookup_style style;
	bool merged;                      /* with STYLE_GSYMUTIL: all functions of the same code, */
	const struct name_filter *filter; /* whose names match */
	bool from_input;                  /* addresses come from standard input */
	bool linkage_names;               /* text has names as they are in the file */
	struct functions_by_name names;   /* for questions that name one */
	uint64_t lowest;                  /* va of the program's first byte in memory */
	struct json json;
	struct allowance printed;
	int status;
};

struct question {
	uint64_t va;
	const char *text;
	bool is_address;
};

/* Answers the addresses, or without any those of standard input; closes the input. */
int lookup_run(struct lookup *lookup, int argc, char **argv);

/* The answer of the symbolizer about its module. */
static inline enum cairn_status lookup_ask(struct lookup *lookup, const uint64_t *vas, size_t count,
                                           struct cairn_symbol_answer *answers)
{
	return cairn_symbolizer_find(lookup->symbolizer, &lookup->module, vas, count, answers);
}

/* After an answer: reports that it had more bytes of names than may be printed. */
void lookup_end_answer(struct lookup *lookup, uint64_t va);

void lookup_print(struct lookup *lookup, uint64_t va, const struct cairn_symbol_answer *answer);

/* The answer as llvm-gsymutil prints it, with its losses, and its errors. */
void lookup_print_compat(struct lookup *lookup, uint64_t va);

/*
 * Answers "ADDRESS FILE" lines of standard input, as llvm-gsymutil --addresses-from-stdin has it, all in the way
 * of `like`.
 */
int lookup_run_compat_lines(const struct lookup *like);

/* A line that asks for nothing we understand gets an answer too, so that answers stay in step. */
void lookup_print_no_address(struct lookup *lookup, const char *text);

#endif
