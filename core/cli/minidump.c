/* SPDX-License-Identifier: MIT */
/* `cairn minidump`: opens a core or a process like `cairn bt`, and writes a minidump. */
#include "cli/bt/bt.h"
#include "os/atomic_file.h"
#include "output/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char about[] =
	"Create a minidump of a core file or a running process: threads with registers and\n"
	"stacks, modules with build IDs, and the signal, in some hundred kilobytes. '-' reads\n"
	"a core from standard input, once and without storing it. PROGRAM is the executable,\n"
	"if it is not at the path in the core. Without -o, OUT is CORE.dmp, or standard\n"
	"output for a pipe or process. Exit status 1: the minidump is written, but a part of\n"
	"the core is missing or PROGRAM is from another build; 3: nothing is written.";

enum { OUTPUT_PATH = 4096 };

struct minidump {
	struct bt bt;
	const char *out;
	char path[OUTPUT_PATH];
	struct cairn_minidump_summary summary;
	struct cairn_error error;
	enum cairn_status status;
};

static bool name_output(struct minidump *m)
{
	const bool piped = m->bt.options.pid || strcmp(m->bt.path, "-") == 0;
	const int size = m->out  ? snprintf(m->path, sizeof(m->path), "%s", m->out)
	                 : piped ? snprintf(m->path, sizeof(m->path), "-")
	                         : snprintf(m->path, sizeof(m->path), "%s.dmp", m->bt.path);

	if (size < 0 || (size_t)size >= sizeof(m->path))
		return refuse_with(m->bt.path, "the output path is too long");
	if (strcmp(m->path, "-") != 0 || !isatty(STDOUT_FILENO))
		return true;
	return refuse_with(NULL, "refusing to write a minidump to a terminal; use -o OUT");
}

/* Return the modification time of the core, or the current time for a pipe or a process. */
static uint32_t find_time(const struct minidump *m)
{
	struct stat core;

	if (!m->bt.options.pid && strcmp(m->bt.path, "-") != 0 && stat(m->bt.path, &core) == 0)
		return (uint32_t)core.st_mtime;
	return (uint32_t)time(NULL);
}

/* Write the minidump. This is a callback of os_atomic_file_fill(), so it returns an errno value. */
static int fill_file(void *context, int fd)
{
	struct minidump *m = context;
	struct cairn_minidump_options options = CAIRN_MINIDUMP_OPTIONS;

	options.time = find_time(m);
	options.write = os_write_piece;
	options.context = &fd;
	m->summary.size = sizeof(m->summary);
	m->status = cairn_minidump_write(m->bt.opened, &options, &m->summary, &m->error);
	if (m->status == CAIRN_OK)
		return 0;
	return m->error.system ? m->error.system : ECANCELED;
}

static int write_minidump(struct minidump *m)
{
	const bool standard = strcmp(m->path, "-") == 0;
	const int error =
		standard ? fill_file(m, STDOUT_FILENO) : os_atomic_file_fill(m->path, fill_file, m);

	if (m->status != CAIRN_OK && m->error.system == 0)
		return fail_with(m->bt.path, "%s", m->error.text);
	if (error)
		return fail_with(standard ? NULL : m->path, "cannot write: %s", strerror(error));
	if (standard || m->bt.options.quiet)
		return EXIT_CLEAN;
	print_string(stdout, m->path);
	printf(": %" PRIu64 " threads, %" PRIu64 " of them up to their outermost frames, %" PRIu64
	       " modules, %" PRIu64 " bytes\n",
	       m->summary.threads, m->summary.whole, m->summary.modules, m->summary.bytes);
	return EXIT_CLEAN;
}

int verb_minidump(int argc, char **argv)
{
	struct minidump m = { .bt = { .keep_registers = true }, .status = CAIRN_OK };
	const struct option options[] = {
		OPTION_OUTPUT('o', "output", "OUT", "write to OUT; '-' is standard output", &m.out),
		OPTION_WITH(RIGHT_TRACE, number, 'p', "pid", "PID",
		            "read a running process, which continues at once", &m.bt.options.pid),
		BT_OPTIONS_FILES(&m.bt),
		OPTION_NO_PROGRESS(&m.bt.options.quiet),
	};
	const struct command command =
		COMMAND("cairn minidump [OPTION...] CORE|-|--pid PID [PROGRAM]", about, options,
	                OPERANDS(0, 2, "PROGRAM"), .rights = RIGHT_FINDS | RIGHT_BESIDE);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status) ||
	    !bt_take_operands(&m.bt, &command, argc, argv, &status))
		return status;
	status = name_output(&m) ? bt_input_open(&m.bt) : EXIT_BROKEN;
	if (status != EXIT_CLEAN)
		return status;
	bt_print_problems(&m.bt);
	status = write_minidump(&m);
	bt_print_new_problems(&m.bt);
	if (cairn_stacks_problems(m.bt.opened, NULL) > 0)
		status = choose_worse(status, EXIT_MISSING);
	status = choose_worse(status, bt_check_program(&m.bt));
	bt_close(&m.bt);
	return status;
}
