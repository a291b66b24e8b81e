/* SPDX-License-Identifier: MIT */
/*
 * Child processes: start a program, wait for the end of a child until a moment of the monotonic clock, and kill it then. A child
 * that is a function of this program is started by fork(), and ends through the same functions.
 *
 *	pid_t pid;
 *	int error = os_child_start(&program, &pid);
 *	...
 *	int status = os_child_end(pid, channel_clock() + 5000, NULL);
 */
#ifndef CAIRN_OS_CHILDREN_H
#define CAIRN_OS_CHILDREN_H

#include <cairn.h>

#include <sys/types.h>

enum { OS_RUN_SECONDS = 20 }; /* seconds after which os_run() kills the program */

struct os_program {
	const char *const *
		words; /* command with NULL after it; the first is searched in PATH unless it is a path */
	int input, output,
		error; /* descriptors that become the standard streams; -1: the stream of this process */
	uint64_t memory;       /* bytes of address space, without a core file; 0: no limit */
	bool ends_with_parent; /* the program is killed when this process ends */
	bool owns_group;       /* the program leads a process group of its own */
};

/*
 * Start a program and return once it runs. Returns 0 or an errno value: the program, a limit or a descriptor that could not be
 * had. May be called in a process with several threads. The program gets no signal mask, and SIGPIPE ends it.
 */
CAIRN_MUST_USE int os_child_start(const struct os_program *program, pid_t *pid);

/* In a new child: unblock all signals, and let SIGPIPE end the process. os_child_start() does it for programs. */
void os_child_restore_signals(void);

/* Wait for the end of a child without taking its status, so that its number stays valid. Returns false if the moment comes first. */
bool os_child_await(pid_t pid, uint64_t until);

/*
 * Wait for the end of a child until a moment of channel_clock(), then kill it; 0 kills it at once. Returns the status as waitpid()
 * has it, or -1, which is neither an exit nor a signal, if there is no such child. Sets *is_late, unless it is NULL, if it was killed.
 */
int os_child_end(pid_t pid, uint64_t until, bool *is_late);

/*
 * Run a program, which is searched in PATH, with nothing to read, and put the first `room` - 1 bytes
 * of its standard output and error into `said`, as a string. Returns 0 when it ran to its end, whatever its
 * exit status; else an errno value: ENOENT when there is no such program, ETIMEDOUT when it was killed.
 */
CAIRN_MUST_USE int os_run(const char *const argv[], char *said, size_t room);

#endif
