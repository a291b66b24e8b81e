/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
/* Starts the process that fetches files, and sends it questions. */
#include "origin.h"

#include "base/encoding.h"
#include "cli/front/cli.h"
#include "cli/front/rights.h"
#include "os/channel.h"
#include "os/children.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_SECONDS = 30, MORE_SECONDS = 10, NUMBER_SIZE = 24 };

static uint64_t seconds_from_now(uint64_t seconds)
{
	return channel_clock() + seconds * 1000;
}

/* Wait until the process is ready. It reports problems itself. */
static int await_fetcher(struct origin *origin)
{
	struct origin_answer ready;

	if (channel_receive(origin->socket, &ready, sizeof(ready), NULL,
	                    seconds_from_now(START_SECONDS)))
		return EXIT_CLEAN;
	const int status = os_child_end(origin->pid, 0, NULL);
	close(origin->socket);
	origin->pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE ? EXIT_USAGE : EXIT_BROKEN;
}

int origin_start(struct origin *origin)
{
	char path[OWN_FILE_PATH], seconds[NUMBER_SIZE];
	const char *words[] = { path, NULL, NULL, NULL, NULL, NULL };
	const char **next = words + 1;
	int pair[2];

	if (!origin->url)
		return EXIT_CLEAN;
	if (!own_file_path(CAIRN_LIBEXECDIR "/cairn/cairn-net", "core/cli/cairn-net", path) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return fail_with("cairn-net", "cannot start: %s", strerror(errno));
	if (rights_are_kept())
		*next++ = RIGHTS_KEPT;
	snprintf(seconds, sizeof(seconds), "%u", (unsigned)origin->seconds);
	*next++ = "bodies";
	*next++ = origin->url;
	*next++ = seconds;
	/* the child reads questions from the socket; its messages go to standard error */
	const struct os_program program = { .words = words,
		                            .input = pair[1],
		                            .output = STDERR_FILENO,
		                            .error = -1,
		                            .ends_with_parent = true };
	const int error = os_child_start(&program, &origin->pid);
	close(pair[1]);
	origin->socket = pair[0];
	if (!error)
		return await_fetcher(origin);
	close(pair[0]);
	origin->pid = 0;
	return fail_with(path, "cannot start: %s; it is a part of cairn: install that again, whole",
	                 strerror(error));
}

/* Return true for bytes of a path that every URL parser takes literally. */
static bool is_path_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~!$&'()*+,;=:@/", c));
}

/* Read one byte of the path, which may be percent-encoded. Return -1 if it is not allowed. */
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
	/* a server may treat such a character as the end of a name or of the path */
	return byte < ' ' || byte == '/' || byte == '\\' ? -1 : byte;
}

/* Return true if no component is empty, "." or "..", in any encoding. */
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
	(void)os_child_end(origin->pid, 0, NULL);
	origin->pid = 0;
}
