/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2() */
/* Starts the reader, the packer and the command of --then, and waits for them. */
#include "children.h"

#include "os/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CHILD_FAILED = 126, /* exit status if confinement failed; 127 is for a failed exec */
	MILLISECOND = 1000 * 1000,
};

int crash_open_pipe(int *out)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	*out = ends[1];
	return ends[0];
}

static void close_kept(const struct crash *crash, const int *kept)
{
	for (unsigned i = 0; i < CRASH_OUTPUTS; i++)
		if (kept[i] >= 0)
			close(kept[i]);
	if (crash->store.reports >= 0)
		close(crash->store.reports);
	if (crash->store.cores >= 0)
		close(crash->store.cores);
	if (crash->store.dumps >= 0)
		close(crash->store.dumps);
}

static void become_confined(const struct crash *crash, int in, const int *kept)
{
	static char *nothing[1];

	os_child_restore_signals();
	close_kept(crash, kept);
	environ = nothing;
	int error = dup2(in, STDIN_FILENO) < 0 || dup2(crash->report, STDOUT_FILENO) < 0 ||
	                            dup2(crash->messages, STDERR_FILENO) < 0
	                    ? errno
	                    : os_confine(crash->handler, &crash->limits);
	if (in != STDIN_FILENO)
		close(in);
	if (error != 0)
		_exit(CHILD_FAILED);
}

struct crash_child crash_start_reader(struct crash *crash, int in, const int *kept,
                                      const char *failure)
{
	struct crash_child child = { .pid = fork() };

	if (child.pid == 0) {
		become_confined(crash, in, kept);
		if (crash->core_file >= 0)
			close(crash->core_file);
		_exit(crash_report(crash, failure));
	}
	return child;
}

struct crash_child crash_start_packer(struct crash *crash, int in, const int *kept)
{
	struct crash_child child = { .pid = fork() };

	if (child.pid == 0) {
		become_confined(crash, in, kept);
		_exit(crash_pack(crash->core_file));
	}
	return child;
}

/*
 * Start the command, which inherits root privileges, the environment and open files from the
 * kernel's helper.
 */
struct crash_child crash_start_command(const struct crash *crash, int in)
{
	struct crash_child child = { .pid = fork() };

	if (child.pid == 0) {
		os_child_restore_signals();
		if (dup2(in, STDIN_FILENO) >= 0)
			execv(crash->options.then[0], crash->options.then);
		_exit(CHILD_FAILED + 1);
	}
	return child;
}

static void describe_end(struct crash_child *child)
{
	const int status = child->status;

	if (child->late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM))
		snprintf(child->why, CHILD_WHY, "it took longer than it may");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(child->why, CHILD_WHY, "it took more processor time than it may");
	else if (WIFSIGNALED(status))
		snprintf(child->why, CHILD_WHY, "it was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == CHILD_FAILED)
		snprintf(child->why, CHILD_WHY, "its privileges could not be dropped");
	else if (WEXITSTATUS(status) != 0)
		snprintf(child->why, CHILD_WHY, "it ended with status %d", WEXITSTATUS(status));
}

bool crash_wait_child(struct crash_child *child, uint64_t until)
{
	if (child->pid <= 0) {
		snprintf(child->why, CHILD_WHY, "it could not be started");
		return false;
	}
	child->status = os_child_end(child->pid, until / MILLISECOND + 1, &child->late);
	if (child->status == -1)
		snprintf(child->why, CHILD_WHY, "it could not be waited for");
	else
		describe_end(child);
	return child->why[0] == '\0';
}
