/* SPDX-License-Identifier: MIT */
/*
 * Runs a program that consists of verbs: selects a verb, lists the verbs, and finds other files of
 * cairn's installation.
 */
#define _XOPEN_SOURCE 700 /* readlink() */
#include "cli.h"
#include "rights.h"

#include "base/names.h"
#include "os/guard.h"
#include "output/escape.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool join_path(const char *directory, const char *rest, char path[OWN_FILE_PATH])
{
	int size = rest[0] == '/' ? snprintf(path, OWN_FILE_PATH, "%s", rest)
	                          : snprintf(path, OWN_FILE_PATH, "%s/%s", directory, rest);

	return size > 0 && size < OWN_FILE_PATH;
}

static bool cut_end(char *path, const char *end)
{
	size_t size = strlen(path), cut = strlen(end);

	if (size <= cut || strcmp(path + size - cut, end) != 0)
		return false;
	path[size - cut] = '\0';
	return true;
}

bool own_file_path(const char *installed, const char *built, char path[OWN_FILE_PATH])
{
	char own[OWN_FILE_PATH];
	ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (size <= 0)
		return false;
	own[size] = '\0';
	if (cut_end(own, "/core/cli/cairn") || cut_end(own, "/core/cli/cairn-net"))
		return join_path(own, built, path);
	if (!cut_end(own, "/" CAIRN_BINDIR "/cairn") &&
	    !cut_end(own, "/" CAIRN_LIBEXECDIR "/cairn/cairn-net"))
		snprintf(own, sizeof(own), "%s", CAIRN_PREFIX);
	return join_path(own, installed, path);
}

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

/* Suggest a verb if the user typed another tool's name for it, or its name in the wrong case. */
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

int verbs_run(const char *name, const char *about, const struct verb *verbs, size_t count, int argc,
              char **argv)
{
	if (argc < 2) {
		print_verbs(stderr, name, about, verbs, count);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0) {
		/* rewrite "help VERB..." to "VERB... --help" in place */
		static char help[] = "--help";
		for (int i = 1; i + 1 < argc; i++)
			argv[i] = argv[i + 1];
		argv[argc - 1] = help;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_verbs(stdout, name, about, verbs, count);
		return EXIT_CLEAN;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	return reject_unknown_verb(name, argv[1], verbs, count);
}

/*
 * Flush standard output. Return EXIT_BROKEN if that fails, because lost output must not look like
 * success.
 */
static int flush_output(int status)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "cairn: standard output: cannot write: %s\n",
		        errno ? strerror(errno) : "write error");
		return EXIT_BROKEN;
	}
	return status;
}

/*
 * Report a file that was truncated while it was mapped. The guard has replaced its missing pages
 * with zeros, so the output may be wrong.
 */
static int check_files(int status)
{
	const char *path = os_guard_truncated_path();

	if (!path)
		return status;
	return fail_with(path,
	                 "truncated by another program while it was being read; run the command "
	                 "again when the file is complete");
}

static int print_version(int argc, char **argv)
{
	if (argc > 2) {
		fprintf(stderr, "cairn: '%s' takes no operands; try 'cairn --help'\n", argv[1]);
		return EXIT_USAGE;
	}
	printf("cairn %s\n", cairn_version());
	return EXIT_CLEAN;
}

int program_run(const char *name, const char *about, const struct verb *verbs, size_t count,
                int argc, char **argv)
{
	int status;

	/*
	 * Diagnostics may contain long names. Use line buffering, because unbuffered output would
	 * take a system call per escaped character.
	 */
	(void)setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	os_guard_start(); /* if this fails, files are read into memory instead of mapped */
	if (argc > 1 && strcmp(argv[1], RIGHTS_KEPT) == 0) {
		rights_keep_all();
		argv[1] = argv[0];
		argv++, argc--;
	}
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
	                 strcmp(argv[1], "version") == 0))
		status = print_version(argc, argv);
	else
		status = verbs_run(name, about, verbs, count, argc, argv);
	return flush_output(check_files(status));
}

int program_run_verb(const struct verb *verb, int argc, char **argv)
{
	os_guard_start();
	return flush_output(check_files(verb->run(argc, argv)));
}
