/* SPDX-License-Identifier: MIT */
/*
 * Many clients of one address that keep their connections until they are ended:
 *
 *	crowd ADDRESS PORT FROM COUNT silent|closed|headers|body|unread
 *
 * They send nothing; nothing, and say that they will not; the beginning of a request; a request without the end of its
 * body; or the whole request of standard input, whose answer they do not read. Prints "ready" when all are connected.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char request[1 << 20];
static size_t request_size;

static struct sockaddr_in make_name(const char *address, const char *port)
{
	struct sockaddr_in name = { .sin_family = AF_INET,
		                    .sin_port = htons((uint16_t)strtoul(port, NULL, 10)) };

	inet_pton(AF_INET, address, &name.sin_addr);
	return name;
}

static int begin_connection(const struct sockaddr_in *to, const struct sockaddr_in *from,
                            const char *kind)
{
	static const char headers[] = "POST /api/symbols-ranges HTTP/1.1\r\nHost: x\r\n";
	static const char body[] = "FileID: NHb9aTyjzuGRQxEH02ygWw\r\n"
				   "Content-Length: 5000\r\n\r\nabc";
	const int fd = socket(AF_INET, SOCK_STREAM, 0), least = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	if (fd < 0 || bind(fd, (const struct sockaddr *)(const void *)from, sizeof(*from)) != 0 ||
	    connect(fd, (const struct sockaddr *)(const void *)to, sizeof(*to)) != 0)
		return -1;
	if (strcmp(kind, "closed") == 0)
		shutdown(fd, SHUT_WR);
	if (strcmp(kind, "headers") == 0 || strcmp(kind, "body") == 0)
		send(fd, headers, sizeof(headers) - 1, MSG_NOSIGNAL);
	if (strcmp(kind, "body") == 0)
		send(fd, body, sizeof(body) - 1, MSG_NOSIGNAL);
	for (size_t at = 0; at < request_size;) {
		const ssize_t sent = send(fd, request + at, request_size - at, MSG_NOSIGNAL);
		if (sent <= 0)
			break; /* it was refused, which is an answer */
		at += (size_t)sent;
	}
	return fd;
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	if (strcmp(argv[5], "unread") == 0)
		request_size = fread(request, 1, sizeof(request), stdin);
	const struct sockaddr_in to = make_name(argv[1], argv[2]), from = make_name(argv[3], "0");
	for (unsigned long i = strtoul(argv[4], NULL, 10); i > 0; i--)
		if (begin_connection(&to, &from, argv[5]) < 0) {
			perror("crowd");
			return 2;
		}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
