/* SPDX-License-Identifier: MIT */
/* Selects a verb, and prints the list of verbs. */
#include "cli.h"

#include "base/names.h"
#include "output/escape.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void print_verbs(FILE *out, const char *name, const char *about, const struct verb *verbs,
                        size_t count)
{
	fprintf(out, "usage: %s VERB [OPTION...] [ARGUMENT...]\n\n%s\n\nverbs:\n", name, about);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "  %-12s %s\n", verbs[i].name, verbs[i].summary);
	fprintf(out,
	        "\n'%s VERB --help' describes each verb.  Exit status: 0 success; 1 something was "
	        "not found\nor is not clean; 2 wrong usage; 3 unreadable or malformed input, or "
	        "output not written.\n",
	        name);
}

/* Suggest the verb for a name that other tools use, or for a verb in another case. */
static void offer_synonyms(struct similar_word *typed, const struct verb *verbs, size_t count)
{
	static const char *const synonyms[][2] = {
		{ "backtrace", "bt" }, { "stack", "bt" },     { "stacks", "bt" },
		{ "show", "dump" },    { "print", "dump" },   { "search", "find" },
		{ "lookup", "where" }, { "check", "verify" }, { "list", "stats" },
	};
	char lower[SIMILAR_WORD_MAX + 1];
	size_t length = 0;

	for (; typed->typed[length] && length < SIMILAR_WORD_MAX; length++)
		lower[length] = (char)tolower((unsigned char)typed->typed[length]);
	lower[length] = '\0';
	for (size_t i = 0; i < count; i++) {
		bool is_meant = strcmp(lower, verbs[i].name) == 0;
		for (size_t k = 0; k < COUNT(synonyms); k++)
			is_meant |= strcmp(lower, synonyms[k][0]) == 0 &&
			            strcmp(verbs[i].name, synonyms[k][1]) == 0;
		if (is_meant)
			typed->best = verbs[i].name;
	}
}

static int reject_unknown_verb(const char *name, const char *verb, const struct verb *verbs,
                               size_t count)
{
	struct similar_word typed = similar_word_start(verb, strlen(verb));

	for (size_t i = 0; i < count; i++)
		similar_word_offer(&typed, verbs[i].name);
	similar_word_offer(&typed, "help");
	if (strcmp(name, "cairn") == 0)
		similar_word_offer(&typed, "version");
	offer_synonyms(&typed, verbs, count);
	print_string_between(stderr, "cairn: unknown verb '", verb, "'");
	print_suggestion(&typed, "");
	fprintf(stderr, "; try '%s --help'\n", name);
	return EXIT_USAGE;
}

/* Turn "help VERB..." into "VERB... --help" in place. */
static void move_help_last(int argc, char **argv)
{
	static char help[] = "--help";

	for (int i = 1; i + 1 < argc; i++)
		argv[i] = argv[i + 1];
	argv[argc - 1] = help;
}

int verbs_run(const char *name, const char *about, const struct verb *verbs, size_t count, int argc,
              char **argv)
{
	if (argc < 2) {
		print_verbs(stderr, name, about, verbs, count);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0)
		move_help_last(argc, argv);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_verbs(stdout, name, about, verbs, count);
		return EXIT_CLEAN;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	return reject_unknown_verb(name, argv[1], verbs, count);
}
