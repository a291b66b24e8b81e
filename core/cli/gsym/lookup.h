/* SPDX-License-Identifier: MIT */
/* State of one run of `cairn gsym lookup` or `cairn where`. */
#ifndef CAIRN_CLI_GSYM_LOOKUP_H
#define CAIRN_CLI_GSYM_LOOKUP_H

#include "gsym.h"

#include <regex.h>

enum lookup_style {
	STYLE_CAIRN,
	STYLE_ADDR2LINE,
	STYLE_GSYMUTIL,
};

/* Extended regular expressions. A name passes the filter if any of them matches. */
struct name_filter {
	regex_t pattern[OPTION_WORDS_MAX];
	size_t count; /* if 0, every name passes */
};

struct lookup {
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_module module;
	/* GSYM data for resolving function names; without it, input.symbols is NULL */
	struct gsym_input input;
	/*
	 * Replaces lookup_ask(), so that a verb can do more, such as reporting damage. May be NULL.
	 */
	enum cairn_status (*find)(void *context, const uint64_t *vas, size_t count,
	                          struct cairn_symbol_answer *answers);
	/* Called before the first function name is resolved, to open `input`. May be NULL. */
	void (*name_functions)(void *context);
	/*
	 * `see` is called with lines before they are parsed. Afterwards `place` converts a runtime
	 * address to a link-time address, or returns false. Both may be NULL.
	 */
	void (*see)(void *context, struct cairn_bytes lines);
	bool (*place)(void *context, uint64_t address, uint64_t *va);
	void *context;
	enum form form;
	enum lookup_style style;
	/* with STYLE_GSYMUTIL: print all functions with the same code whose names pass `filter` */
	bool merged;
	const struct name_filter *filter;
	bool from_input;
	bool linkage_names;
	struct functions_by_name names;
	uint64_t lowest; /* lowest link-time address of the program, rounded down to a page */
	struct json json;
	struct allowance printed;
	int status;
};

struct question {
	uint64_t va;
	const char *text;
	bool is_address;
};

/*
 * Look up and print the addresses in argv or, if argc is 0, on standard input. Close lookup->input.
 * Return the exit status.
 */
int lookup_run(struct lookup *lookup, int argc, char **argv);

static inline enum cairn_status lookup_ask(struct lookup *lookup, const uint64_t *vas, size_t count,
                                           struct cairn_symbol_answer *answers)
{
	return cairn_symbolizer_find(lookup->symbolizer, &lookup->module, vas, count, answers,
	                             sizeof(*answers));
}

/*
 * Parse the address in a word or line, in one of these notations:
 *
 *	4144  0x1030  103f              decimal, or hexadecimal if there is a 0x or a letter
 *	0000000000001030  00001030      hexadecimal, padded as in the output of nm
 *	main  main+4  ns::area(int)     a function; takes precedence over hexadecimal digits
 *	srv+0x14f0  /opt/srv+0x14f0     an offset from the first byte of the program in memory
 *	#1  0x000055555555516c in main () at a.c:3
 *
 * The last line is a stack frame printed by `cairn bt`, GDB or LLDB. Except in the innermost frame,
 * its address is a return address, so the call before it is looked up.
 */
bool question_parse(struct lookup *lookup, const char *text, uint64_t *va);

/*
 * Find the lowest address of the program if one of `texts` is an offset from it, or if `count` is
 * 0, because standard input may contain offsets.
 */
void question_begin(struct lookup *lookup, int count, char **texts);

bool question_parse_address(struct cairn_bytes text, uint64_t *va);

#endif
