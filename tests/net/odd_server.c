/* SPDX-License-Identifier: MIT */
/*
 * A server that answers what it was told, one word for each request:
 *
 *	odd_server LOG WORD...
 *
 *	close          ends the connection without an answer
 *	silent         never answers, until the client gives up
 *	half           says that 100 bytes follow, sends two, and ends the connection
 *	drip           says that 1 MB follows, and sends a byte each half second
 *	raw:FILE       sends the file as it is, as if it were an answer, and ends the connection
 *	early          answers 400 with the headers, before any body, and ends the connection
 *	STATUS         an answer without a body
 *	STATUS:FILE    with the file as its body
 *	STATUS@SECONDS with Retry-After
 *	STATUS>URL     with Location
 *
 * Behind the last word it answers 404.  With ODD_BODY in the environment the last body is in the file of that name.  It prints "listening on 127.0.0.1:PORT", and puts the lines
 * and headers of requests into LOG with the size of the body behind them.  SIGTERM ends it.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_MAX = 1 << 16 };

static FILE *record;

/* The head of a request, with what came of its body behind it; 0 at the end of the connection. */
static size_t read_head(int fd, char *head, size_t *body)
{
	size_t size = 0;

	for (;;) {
		ssize_t got = recv(fd, head + size, HEAD_MAX - 1 - size, 0);
		if (got <= 0)
			return 0;
		size += (size_t)got;
		head[size] = '\0';
		char *end = strstr(head, "\r\n\r\n");
		if (end) {
			size_t length = (size_t)(end - head) + 4;
			*body = size - length;
			end[2] = '\0';
			return length;
		}
	}
}

static const char *header(const char *head, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n"))
		if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':')
			return line + length + 3;
	return NULL;
}

static void say(int fd, const char *text)
{
	send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* `first` is what came of it behind the head. */
static void read_body(int fd, const char *head, const char *first, size_t have)
{
	const char *length = header(head, "Content-Length");
	size_t left = length ? strtoul(length, NULL, 10) : 0;
	char piece[4096];
	const char *kept = getenv("ODD_BODY");
	FILE *copy = kept ? fopen(kept, "wb") : NULL;
	ssize_t got = 1;

	if (copy)
		fwrite(first, 1, have, copy);
	fprintf(record, "%s(%zu bytes)\n", head, left);
	fflush(record);
	left -= left < have ? left : have;
	if (left > 0 && header(head, "Expect"))
		say(fd, "HTTP/1.1 100 Continue\r\n\r\n");
	while (left > 0 && got > 0) {
		got = recv(fd, piece, left < sizeof(piece) ? left : sizeof(piece), 0);
		left -= got > 0 ? (size_t)got : 0;
		if (copy && got > 0)
			fwrite(piece, 1, (size_t)got, copy);
	}
	if (copy)
		fclose(copy);
}

static void send_content(int fd, const char *path, bool with_length)
{
	FILE *file = fopen(path, "rb");
	char piece[4096], length[64];
	size_t got;

	if (!file) {
		perror(path);
		exit(2);
	}
	fseek(file, 0, SEEK_END);
	snprintf(length, sizeof(length), "Content-Length: %ld\r\n\r\n", ftell(file));
	if (with_length)
		say(fd, length);
	rewind(file);
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		if (send(fd, piece, got, MSG_NOSIGNAL) < 0)
			break;
	fclose(file);
}

static void answer(int fd, const char *word)
{
	char line[1024];
	size_t digits = strspn(word, "0123456789");

	snprintf(line, sizeof(line), "HTTP/1.1 %.*s Odd\r\nConnection: close\r\n", (int)digits,
	         word);
	say(fd, line);
	if (word[digits] == ':') {
		send_content(fd, word + digits + 1, true);
		return;
	}
	if (word[digits]) {
		snprintf(line, sizeof(line), "%s: %s\r\n",
		         word[digits] == '@' ? "Retry-After" : "Location", word + digits + 1);
		say(fd, line);
	}
	say(fd, "Content-Length: 0\r\n\r\n");
}

/* Until the client gives up. */
static void drip(int fd)
{
	const struct timespec pause = { 0, 500 * 1000 * 1000 };

	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
	while (send(fd, " ", 1, MSG_NOSIGNAL) == 1)
		nanosleep(&pause, NULL);
}

static void serve_one(int fd, const char *word)
{
	static char head[HEAD_MAX];
	size_t have = 0;
	const size_t length = read_head(fd, head, &have);

	if (length == 0)
		return;
	if (strcmp(word, "early") == 0) {
		answer(fd, "400");
		return;
	}
	read_body(fd, head, head + length, have);
	if (strcmp(word, "silent") == 0) {
		char rest[64];
		while (recv(fd, rest, sizeof(rest), 0) > 0)
			continue;
		return;
	}
	if (strcmp(word, "drip") == 0)
		drip(fd);
	else if (strcmp(word, "half") == 0)
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab");
	else if (strncmp(word, "raw:", 4) == 0)
		send_content(fd, word + 4, false);
	else if (strcmp(word, "close") != 0)
		answer(fd, word);
}

static int listen_somewhere(void)
{
	struct sockaddr_in name = { .sin_family = AF_INET };
	socklen_t size = sizeof(name);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)(void *)&name, size) != 0 ||
	    listen(fd, 16) != 0 || getsockname(fd, (struct sockaddr *)(void *)&name, &size) != 0)
		return -1;
	printf("listening on 127.0.0.1:%u\n", ntohs(name.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	int listener = listen_somewhere();

	record = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (listener < 0 || !record)
		return 2;
	for (int i = 2;; i++) {
		int fd = accept(listener, NULL, NULL);
		if (fd < 0)
			return 2;
		serve_one(fd, i < argc ? argv[i] : "404");
		shutdown(fd, SHUT_WR);
		char rest[4096];
		while (recv(fd, rest, sizeof(rest), 0) > 0)
			continue;
		close(fd);
	}
}
