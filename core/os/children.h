/* SPDX-License-Identifier: MIT */
/*
 * Manages child processes: starts a program, waits for it until a deadline on the monotonic clock,
 * and then kills it. os_child_await() and os_child_end() also work for children created by fork().
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

enum { OS_RUN_SECONDS = 20 }; /* time limit in seconds, after which os_run() kills the program */

struct os_program {
	/* NULL-terminated command line; the program is looked up in PATH */
	const char *const *words;
	/*
	 * descriptors that become the program's standard streams; -1 inherits the parent's stream
	 */
	int input, output, error;
	/* limit for the address space in bytes, which also disables core dumps; 0 means no limit */
	uint64_t memory;
	bool ends_with_parent;
	bool owns_group;
};

/*
 * Start a program and return once it has been executed. Returns 0, or an errno value if the program
 * cannot be started or a limit or stream cannot be set. Safe in multithreaded processes. The
 * program starts with an empty signal mask and the default action for SIGPIPE.
 */
CAIRN_MUST_USE int os_child_start(const struct os_program *program, pid_t *pid);

/*
 * Unblock all signals and restore the default action for SIGPIPE in a child created by fork().
 * os_child_start() does this itself.
 */
void os_child_restore_signals(void);

/*
 * Wait for a child to exit without reaping it, so that its pid stays valid. Returns false if the
 * deadline `until` passes first.
 */
bool os_child_await(pid_t pid, uint64_t until);

/*
 * Wait for a child to exit, and kill it if the deadline `until` passes first; 0 kills it
 * immediately. Returns the wait status, or -1 if there is no such child. Sets *is_late to whether
 * the child has been killed; `is_late` may be NULL.
 */
int os_child_end(pid_t pid, uint64_t until, bool *is_late);

/*
 * Run a program from PATH with /dev/null as its input. Stores the first `capacity` - 1 bytes from its
 * standard output and error in `said`, NUL-terminated. Returns 0 if the program exits, with any
 * exit status; otherwise an errno value, such as ENOENT if the program does not exist or ETIMEDOUT
 * if it has been killed.
 */
CAIRN_MUST_USE int os_run(const char *const argv[], char *said, size_t capacity);

/*
 * Runs low-priority work, such as filling a cache, in a process that continues after the command
 * has printed its result and exited. At most one such process runs per directory.
 *
 *	if (os_background_begin("/home/me/.cache/cairn"))
 *		os_background_end();      only the process in the background is here
 */

/*
 * Fork a background process for `directory`. Returns true in the new process, whose standard
 * streams are /dev/null, and false in the calling process. Does not fork if another background
 * process is working on the directory. Call this while the process has one thread and its standard
 * output has been flushed.
 */
bool os_background_begin(const char *directory);

_Noreturn void os_background_end(void);

#endif
