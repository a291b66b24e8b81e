/* SPDX-License-Identifier: MIT */
/* Runs a program made of verbs, from its start to its exit status. */
#include "cli.h"

#include "rights.h"

#include "os/file/guard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Flush standard output. Unwritten output must not look like success. */
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
 * Report files that were truncated while they were mapped. The guard maps zero pages over the
 * missing part, so the output may be wrong.
 */
static int check_files(int status)
{
	const char *path = os_guard_truncated_path();

	if (!path)
		return status;
	return fail_with(path,
	                 "cut short by another program while it was read; run the command again "
	                 "when the file is whole");
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
	 * Line buffering: names in messages may be long, and unbuffered output would cost a system
	 * call per escaped character.
	 */
	(void)setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	os_guard_start(); /* if this fails, files are copied instead of mapped */
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
