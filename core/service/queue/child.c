/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2(), F_SETPIPE_SZ */
/* Starts, feeds and ends a process that answers lines with lines. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PIPE_SIZE =
		1
		<< 20, /* bytes, if the system allows it: some answers fit, so that it need not wait for us */
	READ_SIZE = 1 << 16,
	GRACE_TURNS = 50, /* of 10 ms, in which a process that closed its output ends by itself */
};

struct pipes {
	int input[2], output[2], start[2]; /* the last one says why it could not start */
};

static void close_pair(const int pair[2])
{
	for (unsigned i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

static int open_pipes(struct pipes *pipes)
{
	*pipes = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (pipe2(pipes->input, O_CLOEXEC) == 0 && pipe2(pipes->output, O_CLOEXEC) == 0 &&
	    pipe2(pipes->start, O_CLOEXEC) == 0)
		return 0;
	const int error = errno;
	close_pair(pipes->input);
	close_pair(pipes->output);
	return error;
}

static bool confine_child(const struct child_options *options, pid_t parent)
{
	const struct rlimit memory = { (rlim_t)options->memory, (rlim_t)options->memory };
	const struct rlimit no_core = { 0, 0 };

	return setpgid(0, 0) == 0 && setrlimit(RLIMIT_AS, &memory) == 0 &&
	       setrlimit(RLIMIT_CORE, &no_core) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
	       getppid() == parent;
}

/* In the new process, which may only do what a signal handler may: others of its parent's threads could have had a lock. */
static _Noreturn void become_child(const struct child_options *options, const struct pipes *pipes,
                                   pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(pipes->input[0], STDIN_FILENO) >= 0 &&
	    dup2(pipes->output[1], STDOUT_FILENO) >= 0 && confine_child(options, parent))
		execv(options->command[0], (char *const *)options->command);
	const int error = errno;
	while (write(pipes->start[1], &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

/* 0: the program has started, because the pipe was closed with nothing in it. */
static int await_start(const struct pipes *pipes)
{
	int error = 0;
	ssize_t size;

	while ((size = read(pipes->start[0], &error, sizeof(error))) < 0 && errno == EINTR)
		continue;
	return size == (ssize_t)sizeof(error) ? (error ? error : EPERM) : 0;
}

static void prepare_ends(struct child *child)
{
	const int input = fcntl(child->input, F_GETFL), output = fcntl(child->output, F_GETFL);

	fcntl(child->input, F_SETFL, input | O_NONBLOCK);
	fcntl(child->output, F_SETFL, output | O_NONBLOCK);
	(void)fcntl(child->input, F_SETPIPE_SZ, PIPE_SIZE);
	(void)fcntl(child->output, F_SETPIPE_SZ, PIPE_SIZE);
}

int child_start(const struct child_options *options, struct child *child)
{
	const pid_t parent = getpid();
	char why[CHILD_WHY_MAX];
	struct pipes pipes;
	int error = open_pipes(&pipes);

	*child = (struct child){ .input = -1, .output = -1 };
	if (error)
		return error;
	child->pid = fork();
	if (child->pid == 0)
		become_child(options, &pipes, parent);
	error = child->pid < 0 ? errno : 0;
	close(pipes.input[0]);
	close(pipes.output[1]);
	close(pipes.start[1]);
	child->input = pipes.input[1];
	child->output = pipes.output[0];
	if (!error)
		error = await_start(&pipes);
	close(pipes.start[0]);
	if (error)
		child_end(child, true, why);
	else
		prepare_ends(child);
	return error;
}

ssize_t child_write(const struct child *child, const struct iovec *parts, int count)
{
	const ssize_t size = writev(child->input, parts, count);

	if (size >= 0)
		return size;
	return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

/* Room for a piece more, behind what was not given out yet. */
static enum child_state make_text_room(struct child *child)
{
	if (child->at > 0) {
		child->size -= child->at;
		child->looked -= child->at;
		memmove(child->text, child->text + child->at, child->size);
		child->at = 0;
	}
	if (child->size > CHILD_ANSWER_MAX)
		return CHILD_TOO_LONG; /* its lines were taken out */
	if (child->room - child->size >= READ_SIZE)
		return CHILD_QUIET;
	const size_t room = child->room * 2 + READ_SIZE;
	uint8_t *text = realloc(child->text, room);
	if (!text)
		return CHILD_NO_MEMORY;
	child->text = text;
	child->room = room;
	return CHILD_QUIET;
}

enum child_state child_read(struct child *child)
{
	enum child_state state = make_text_room(child);
	ssize_t size;

	while (state == CHILD_QUIET) {
		size = read(child->output, child->text + child->size, child->room - child->size);
		if (size > 0) {
			child->is_drained = (size_t)size < child->room - child->size;
			child->size += (size_t)size;
			return CHILD_SAYS; /* lines are taken out before more is read, so that all of it stays bounded */
		} else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
			state = CHILD_ENDED;
		} else if (errno == EAGAIN) {
			break;
		}
	}
	return state;
}

bool child_line(struct child *child, struct cairn_bytes *line)
{
	const size_t left = child->size - child->looked;
	const uint8_t *end = left > 0 ? memchr(child->text + child->looked, '\n', left) : NULL;

	if (!end) {
		child->looked = child->size;
		return false;
	}
	*line = (struct cairn_bytes){ child->text + child->at,
		                      (size_t)(end - child->text) - child->at };
	child->at = child->looked = (size_t)(end - child->text) + 1;
	return true;
}

static void await_end(pid_t pid)
{
	const struct timespec turn = { 0, 10 * 1000 * 1000 };
	siginfo_t info = { .si_pid = 0 };

	for (unsigned i = 0; i < GRACE_TURNS && info.si_pid == 0; i++) {
		if (i > 0)
			nanosleep(&turn, NULL);
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
			return;
	}
}

void child_end(struct child *child, bool now, char why[CHILD_WHY_MAX])
{
	int status = 0;

	snprintf(why, CHILD_WHY_MAX, "ended");
	if (child->input >= 0)
		close(child->input);
	if (child->output >= 0)
		close(child->output);
	if (child->pid > 0) {
		if (!now)
			await_end(child->pid);
		kill(-child->pid, SIGKILL); /* its number is its own until it is waited for */
		kill(child->pid, SIGKILL);
		waitpid(child->pid, &status, 0);
		if (WIFSIGNALED(status))
			snprintf(why, CHILD_WHY_MAX, "ended by signal %d", WTERMSIG(status));
		else
			snprintf(why, CHILD_WHY_MAX, "ended with status %d", WEXITSTATUS(status));
	}
	free(child->text);
	*child = (struct child){ .input = -1, .output = -1 };
}
