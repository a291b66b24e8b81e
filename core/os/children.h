/* SPDX-License-Identifier: MIT */
/*
 * Manages child processes: starts a program, waits for a child until a deadline of the monotonic
 * clock, and then kills it. A child that runs a function of this program is started by fork() and
 * ended by the same functions.
 *
 *	pid_t pid;
 *	int error = os_child_start(&program, &pid);
 *	...
 *	int status = os_child_end(pid, channel_clock() + 5000, NULL);
 */
#ifndef CAIRN_OS_CHILDREN_H
#define CAIRN_OS_CHILDREN_H

#include <cairn.h>

#include <stdbool.h>
#include <sys/types.h>

enum { OS_RUN_SECONDS = 20 }; /* seconds after which os_run() kills the program */

struct os_program {
	const char *const *words; /* NULL-terminated command; the first is searched in PATH */
	int input, output, error; /* become the standard streams; -1 inherits the stream */
	uint64_t memory;          /* limit of the address space, disables cores; 0: none */
	bool ends_with_parent;
	bool owns_group;
};

/*
 * Start a program and return once it runs. Returns 0, or an errno value if the program cannot be
 * started or a limit or descriptor cannot be set. May be called in a process with several threads.
 * The program starts with an empty signal mask and the default action of SIGPIPE.
 */
CAIRN_MUST_USE int os_child_start(const struct os_program *program, pid_t *pid);

/*
 * Unblock all signals and restore the default action of SIGPIPE, in a new child. os_child_start()
 * does this for programs.
 */
void os_child_restore_signals(void);

/*
 * Wait for the end of a child without reaping it, so that its pid stays valid. Returns false if the
 * deadline passes first.
 */
bool os_child_await(pid_t pid, uint64_t until);

/*
 * Wait for the end of a child until a deadline of channel_clock(), then kill it; 0 kills it at
 * once. Returns the status that waitpid() reported, or -1, which is neither an exit nor a signal,
 * if there is no such child. Sets *is_late to true if the child was killed, otherwise to false;
 * `is_late` may be NULL.
 */
int os_child_end(pid_t pid, uint64_t until, bool *is_late);

/*
 * Run a program, searched in PATH, with /dev/null as its input. Stores the first `room` - 1 bytes
 * of its standard output and error in `said` as a string. Returns 0 if it ran to its end, whatever
 * its exit status; otherwise an errno value, such as ENOENT if the program does not exist and
 * ETIMEDOUT if it was killed.
 */
CAIRN_MUST_USE int os_run(const char *const argv[], char *said, size_t room);

/*
 * Low-priority work without a terminal that continues after the command has answered and exited,
 * such as filling a cache. At most one such process runs per directory.
 *
 *	if (os_background_begin("/home/me/.cache/cairn"))
 *		os_background_end();      only the process in the background is here
 */

/*
 * Fork a background process for `directory`. Returns true in the new process, whose standard streams
 * are /dev/null. Returns false in the calling process, whether or not the fork happened: no process
 * is started while another one works for the directory. Call it with a single thread and with
 * standard output flushed.
 */
bool os_background_begin(const char *directory);

/* End the process without running exit() handlers. */
_Noreturn void os_background_end(void);

#endif
