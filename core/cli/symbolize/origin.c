/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SOCK_CLOEXEC, execv() */
/* Starts the process that fetches files, and asks it. */
#include "origin.h"

#include "base/hex.h"
#include "cli/front/cli.h"
#include "cli/front/rights.h"
#include "os/channel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_SECONDS = 30, MORE_SECONDS = 10, NUMBER_SIZE = 24 };

static uint64_t seconds_from_now(uint64_t seconds)
{
	return channel_clock() + seconds * 1000;
}

/* Standard input is the socket; what it prints goes to standard error. */
static _Noreturn void run_fetcher(const struct origin *origin, const char *path, int socket,
                                  pid_t parent)
{
	char name[] = "cairn-net", kept[] = RIGHTS_KEPT, verb[] = "bodies", seconds[NUMBER_SIZE];
	char *words[] = { name, kept, verb, (char *)(uintptr_t)origin->url, seconds, NULL };
	char **first = rights_are_kept() ? words : words + 1;

	first[0] = name;
	snprintf(seconds, sizeof(seconds), "%u", (unsigned)origin->seconds);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && dup2(socket, STDIN_FILENO) >= 0 &&
	    dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		execv(path, first);
	print_diagnostic(path, "cannot start: %s; it is a part of cairn: install that again, whole",
	                 strerror(errno));
	_exit(EXIT_BROKEN);
}

/* It tells itself why it is not ready. */
static int await_fetcher(struct origin *origin)
{
	struct origin_answer ready;
	int status = 0;

	if (channel_receive(origin->socket, &ready, sizeof(ready), NULL,
	                    seconds_from_now(START_SECONDS)))
		return EXIT_CLEAN;
	kill(origin->pid, SIGKILL);
	waitpid(origin->pid, &status, 0);
	close(origin->socket);
	origin->pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE ? EXIT_USAGE : EXIT_BROKEN;
}

int origin_start(struct origin *origin)
{
	const pid_t parent = getpid();
	char path[OWN_FILE_PATH];
	int pair[2];

	if (!origin->url)
		return EXIT_CLEAN;
	if (!own_file_path(CAIRN_LIBEXECDIR "/cairn/cairn-net", "core/cli/cairn-net", path) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return fail_with("cairn-net", "cannot start: %s", strerror(errno));
	origin->pid = fork();
	if (origin->pid == 0)
		run_fetcher(origin, path, pair[1], parent);
	close(pair[1]);
	origin->socket = pair[0];
	if (origin->pid > 0)
		return await_fetcher(origin);
	print_diagnostic("cairn-net", "cannot start: %s", strerror(errno));
	close(pair[0]);
	return EXIT_BROKEN;
}

/* A byte of a path that means itself to everybody who reads it. */
static bool is_path_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~!$&'()*+,;=:@/", c));
}

/* One byte of the path, which may be written as %2E; -1: it is none. */
static int read_path_byte(const char **at)
{
	const char *p = *at;
	uint8_t byte;

	*at = p + 1;
	if (*p != '%')
		return is_path_byte(*p) ? (unsigned char)*p : -1;
	*at = p + 3;
	if (!p[1] || !p[2] ||
	    !hex_read((struct cairn_bytes){ (const uint8_t *)p + 1, 2 }, &byte, 1))
		return -1;
	/* what a server may take for the end of a name, or of all */
	return byte < ' ' || byte == '/' || byte == '\\' ? -1 : byte;
}

/* No part of it is "." or "..", in whatever spelling, and none is empty. */
static bool stays_below(const char *path)
{
	size_t size = 0, dots = 0;

	for (const char *at = path + 1;;) {
		const bool ends = *at == '\0' || *at == '/';
		if (ends && (size == 0 || (size == dots && dots <= 2)))
			return false;
		if (*at == '\0')
			return true;
		const int byte = read_path_byte(&at);
		if (byte < 0)
			return false;
		size = ends ? 0 : size + 1;
		dots = ends ? 0 : dots + (byte == '.');
	}
}

const char *origin_path(const char *origin, const char *url)
{
	size_t size = strlen(origin);

	while (size > 0 && origin[size - 1] == '/')
		size--;
	if (strncmp(url, origin, size) != 0 || url[size] != '/' || !stays_below(url + size))
		return NULL;
	return url + size;
}

static enum origin_outcome lose_origin(struct origin *origin)
{
	origin->is_lost = true;
	return ORIGIN_LOST;
}

enum origin_outcome origin_fetch(struct origin *origin, const char *path, uint64_t size, int *fd)
{
	const struct origin_question question = { size, (uint32_t)strlen(path) };
	const uint64_t until = seconds_from_now(origin->seconds + MORE_SECONDS);
	struct origin_answer answer;

	*fd = -1;
	if (origin->is_lost ||
	    !channel_send(origin->socket, &question, sizeof(question), -1, until) ||
	    !channel_send(origin->socket, path, question.path_size, -1, until) ||
	    !channel_receive(origin->socket, &answer, sizeof(answer), fd, until))
		return lose_origin(origin);
	if (answer.outcome > ORIGIN_LOST || (answer.outcome == ORIGIN_FOUND) != (*fd >= 0))
		return lose_origin(origin);
	return (enum origin_outcome)answer.outcome;
}

void origin_stop(struct origin *origin)
{
	if (origin->pid <= 0)
		return;
	close(origin->socket);
	kill(origin->pid, SIGKILL);
	waitpid(origin->pid, NULL, 0);
	origin->pid = 0;
}
