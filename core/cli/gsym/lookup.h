/* SPDX-License-Identifier: MIT */
/* One run of `cairn gsym lookup`: the addresses that a person gives, and the printing of answers. */
#ifndef CAIRN_CLI_GSYM_LOOKUP_H
#define CAIRN_CLI_GSYM_LOOKUP_H

#include "gsym.h"

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

/*
 * The address that a word or a line is about:
 *
 *	4144  0x1030  103f              decimal, and hexadecimal where 0x or a letter says so
 *	0000000000001030  00001030      hexadecimal, as nm prints it
 *	main  main+4  ns::area(int)     a function, which goes before hexadecimal digits
 *	srv+0x14f0  /opt/srv+0x14f0     an offset from the first byte of the program in memory
 *	#1  0x000055555555516c in main () at a.c:3
 *
 * The last is a frame of a stack, as `cairn bt`, GDB and LLDB print it: of all but the innermost the call is looked up, which
 * ends before the return address.
 */
bool question_parse(struct lookup *lookup, const char *text, uint64_t *va);

/* Finds out where the program begins in memory, for offsets from there, if any of the texts has one (none: standard input). */
void question_begin(struct lookup *lookup, int count, char **texts);

/* A number alone, without white space around it. */
bool question_parse_address(struct cairn_bytes text, uint64_t *va);

#endif
