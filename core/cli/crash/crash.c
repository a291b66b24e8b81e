/* SPDX-License-Identifier: MIT */
/* Parses the options of `cairn crash`. */
#include "crash.h"

#include "cli/front/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
	NOBODY = 65534,
	/*
	 * maximum number of frames per stack; infinite recursion leaves about 100,000, nearly all
	 * equal
	 */
	FRAMES = 1024,
	SECONDS = 60,
	SECONDS_MAX = 24 * 60 * 60,
	RATE = 120,
	KEEP = 1000,
	SPACE = 1024,
	SPACE_MAX = 1 << 30,
	DUMP_USER = 1, /* SUID_DUMP_USER: the user may read all memory of the process */
	ALL_MAY = 0640,
	ROOT_MAY = 0600,
};

static const char about[] =
	"Handle a crash as the kernel's core_pattern program: write a JSON report from the\n"
	"core on standard input and from /proc, with the stacks of all threads.\n"
	"docs/crash-handler.md shows the setup. Exit status 0: the report is complete; 1: it\n"
	"lists missing parts; 3: there is no report.";

/* Cut off --then and the arguments after it, which are a command to run for each crash. */
static char **take_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (strcmp(argv[i], "--then") == 0) {
			*argc = i;
			return argv + i + 1;
		}
	return NULL;
}

static const char *judge_options(const struct crash_options *options)
{
	if (options->pid == 0 || options->pid > INT32_MAX)
		return "--pid PID is required: the process that crashed";
	if (!options->reports || !*options->reports)
		return "--reports DIR is required: the directory for the report";
	if (options->then && (!options->then[0] || options->then[0][0] != '/'))
		return "--then requires a command with an absolute path";
	if (options->user == 0 || options->user >= UINT32_MAX)
		return "--user must be the number of a user other than root";
	if (options->seconds == 0 || options->seconds > SECONDS_MAX)
		return "--timeout must be from 1 to 86,400 seconds";
	if (options->space == 0 || options->space > SPACE_MAX || options->keep == 0)
		return "--space and --keep must allow at least one report";
	return NULL;
}

static struct crash_options given = { .uid = UINT64_MAX,
	                              .count = FRAMES,
	                              .user = NOBODY,
	                              .seconds = SECONDS,
	                              .rate = RATE,
	                              .keep = KEEP,
	                              .space = SPACE };
/* take_command() removes --then before options are parsed, so this row is only for --help */
static const char *then_unused;

static const struct option table[] = {
	OPTION_NUMBER_OF('p', "pid", "PID", "process, %P of core_pattern", &given.pid),
	OPTION_NUMBER_OF('t', "tid", "TID", "thread that received the signal, %i or %I",
	                 &given.tid),
	OPTION_NUMBER_OF('s', "signal", "N", "the signal, %s", &given.signal),
	OPTION_NUMBER_OF('d', "dump-mode", "N", "%d; if not 1, only root can read the files",
	                 &given.dump_mode),
	OPTION_NUMBER_OF('u', "uid", "UID", "the user of the process, %u", &given.uid),
	OPTION_NUMBER_OF('T', "time", "SECONDS", "time of the crash since 1970, %t (now)",
	                 &given.time),
	OPTION_TEXT_OF('r', "reports", "DIR", "directory of reports, which must exist",
	               &given.reports),
	OPTION_TEXT_OF('c', "core", "DIR", "directory for cores, which are stored compressed",
	               &given.core),
	OPTION_TEXT_OF('m', "minidump", "DIR", "directory for minidumps of the cores",
	               &given.minidump),
	OPTION_TEXT("then", "COMMAND...",
	            "pass the core to this program too; must be the last option", &then_unused),
	OPTION_NUMBER_OF('n', "count", "N", "keep at most N frames of each stack (1024); 0: all",
	                 &given.count),
	OPTION_NUMBER("rate", "N", "write at most N reports per user and minute (120); 0: no limit",
	              &given.rate),
	OPTION_NUMBER("keep", "N", "keep N files per directory (1000), the newest", &given.keep),
	OPTION_NUMBER("space", "MIB", "keep at most this many MiB per directory (1024)",
	              &given.space),
	OPTION_NUMBER("timeout", "SECONDS", "stop after this time (60)", &given.seconds),
	OPTION_NUMBER("user", "UID", "user that reads the core (65534)", &given.user),
	OPTION_NUMBER("group", "GID", "group that may read reports (0)", &given.group),
	OPTION_FLAG("environment", "include the environment of the process", &given.environment),
	OPTIONS_DIRECTORIES(&given.directories),
};

int verb_crash(int argc, char **argv)
{
	const struct command command = COMMAND("cairn crash --pid PID --reports DIR [OPTION...]",
	                                       about, table, .rights = RIGHT_ALL);
	struct crash crash = { .core_file = -1 };
	int status = EXIT_CLEAN;

	given.then = take_command(&argc, argv);
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const char *why = judge_options(&given);
	if (why)
		return usage_error(&command, "%s", why);
	crash.options = given;
	struct crash_options *options = &crash.options;
	time_t now = time(NULL);
	if (options->time == 0 && now > 0)
		options->time = (uint64_t)now;
	if (options->tid == 0)
		options->tid = options->pid;
	crash.store.reports = crash.store.cores = crash.store.dumps = -1;
	crash.store.group = (gid_t)options->group;
	crash.store.mode = options->dump_mode == DUMP_USER ? ALL_MAY : ROOT_MAY;
	umask(077);
	return crash_handle(&crash);
}
