/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* mkstemp() */
/*
 * cairn-net bodies ORIGIN SECONDS: downloads files below the URL ORIGIN to unnamed temporary files,
 * and passes their descriptors to the process at the other end of standard input. Never parses the
 * files.
 */
#include "cli/symbolize.h"

#include "base/http_status.h"
#include "cli/front/cli.h"
#include "cli/front/rights.h"
#include "os/channel.h"
#include "os/write.h"
#include "server/net/http.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RETRIES = 1, BACKOFF = 200, STATUS_OK = 200 };

struct fetching_body {
	struct http *http;
	const char *directory;
	int fd;
	uint64_t size, received;
	int error;
	bool is_too_long;
};

static bool begin_body(void *context)
{
	struct fetching_body *body = context;

	body->received = 0;
	if (ftruncate(body->fd, 0) != 0 || lseek(body->fd, 0, SEEK_SET) != 0)
		body->error = errno;
	return body->error == 0;
}

/*
 * Write `piece`, the next part of a response's body, to the file. The bodies of error responses are
 * skipped.
 */
static bool take_body(void *context, unsigned status, struct cairn_bytes piece)
{
	struct fetching_body *body = context;

	if (status != STATUS_OK)
		return true;
	body->is_too_long = piece.size > body->size - body->received;
	if (body->is_too_long)
		return false;
	body->received += piece.size;
	body->error = os_write_all(body->fd, piece);
	return body->error == 0;
}

static enum origin_outcome fetch_body(struct fetching_body *body, const char *path)
{
	struct http_request request = {
		.path = path, .stays = true, .begin = begin_body, .take = take_body, .context = body
	};
	const bool answered = http_send(body->http, &request);

	if (body->error)
		return ORIGIN_DISK_FULL;
	if (body->is_too_long)
		return ORIGIN_OTHER_SIZE;
	if (!answered)
		return ORIGIN_UNREACHABLE;
	if (request.status != STATUS_OK) {
		switch (http_read_status(request.status)) {
		case HTTP_ABSENT:
			return ORIGIN_ABSENT;
		case HTTP_ELSEWHERE:
			return ORIGIN_REDIRECTED;
		case HTTP_REFUSED:
			return ORIGIN_REFUSED;
		case HTTP_LATER:
			break;
		}
		return ORIGIN_UNREACHABLE;
	}
	if (body->received != body->size)
		return ORIGIN_OTHER_SIZE;
	/* rewind, because the receiver reads from the current position */
	return lseek(body->fd, 0, SEEK_SET) == 0 ? ORIGIN_FOUND : ORIGIN_DISK_FULL;
}

/* Create an unnamed temporary file, which is deleted when its last descriptor is closed. */
static int make_body_file(const char *directory)
{
	char path[OWN_FILE_PATH];

	if (snprintf(path, sizeof(path), "%s/cairn-body.XXXXXX", directory) >= (int)sizeof(path))
		return -1;
	const int fd = mkstemp(path);
	if (fd >= 0) {
		unlink(path);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	return fd;
}

/* Handle one request. Return false if the peer has closed the socket or violated the protocol. */
static bool serve_body(struct fetching_body *body)
{
	static char path[ORIGIN_PATH_MAX + 1];
	struct origin_question question;
	struct origin_answer answer = { ORIGIN_DISK_FULL };

	if (!channel_receive(STDIN_FILENO, &question, sizeof(question), NULL, CHANNEL_NEVER) ||
	    question.path_size > ORIGIN_PATH_MAX ||
	    !channel_receive(STDIN_FILENO, path, question.path_size, NULL, CHANNEL_NEVER))
		return false;
	path[question.path_size] = '\0';
	*body = (struct fetching_body){ .http = body->http,
		                        .directory = body->directory,
		                        .fd = make_body_file(body->directory),
		                        .size = question.size };
	if (body->fd >= 0)
		answer.outcome = fetch_body(body, path);
	const int sent = answer.outcome == ORIGIN_FOUND ? body->fd : -1;
	const bool good = channel_send(STDIN_FILENO, &answer, sizeof(answer), sent, CHANNEL_NEVER);
	if (body->fd >= 0)
		close(body->fd);
	return good;
}

static bool read_bodies_words(int argc, char **argv, struct http_options *options)
{
	uint64_t seconds;

	if (argc != 3 || !parse_number(argv[2], &seconds) || seconds == 0 ||
	    seconds > ORIGIN_SECONDS_MAX)
		return false;
	*options = (struct http_options){
		.url = argv[1], .retries = RETRIES, .backoff = BACKOFF, .seconds = (unsigned)seconds
	};
	return true;
}

int verb_bodies(int argc, char **argv)
{
	const char *directory = getenv("TMPDIR");
	struct fetching_body body = { .directory =
		                              directory && *directory == '/' ? directory : "/tmp" };
	const struct origin_answer ready = { ORIGIN_FOUND };
	char message[HTTP_MESSAGE_MAX];
	struct http_options options;

	if (!read_bodies_words(argc, argv, &options))
		return EXIT_USAGE; /* no message is needed, because only cairn runs this verb */
	if (!http_open(&options, &body.http, message)) {
		print_diagnostic(options.url, "%s", message);
		return EXIT_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	rights_enter_server(NULL, body.directory);
	if (channel_send(STDIN_FILENO, &ready, sizeof(ready), -1, CHANNEL_NEVER))
		while (serve_body(&body))
			continue;
	http_close(body.http);
	return EXIT_CLEAN;
}
