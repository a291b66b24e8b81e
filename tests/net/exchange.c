/* SPDX-License-Identifier: MIT */
/*
 * A client without manners: it sends standard input unchanged and prints the response.
 *
 *	exchange ADDRESS:PORT [--cut N] [--pause MILLISECONDS] [--at-once N] [--done 1] <request
 *
 * --cut sends N bytes and leaves; --pause sends byte by byte, with a pause behind each, but the
 * first N of --at-once; --done tells the other side that nothing more will come.  Exits with 0 when
 * anything came back, with 1 when the connection ended without, with 2 otherwise.
 */
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST_MAX = 1 << 20 };

static int connect_to(char *address)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	char *colon = strrchr(address, ':');
	struct addrinfo *found;

	if (!colon)
		return -1;
	*colon = '\0';
	if (getaddrinfo(address, colon + 1, &hints, &found) != 0)
		return -1;
	int fd = socket(found->ai_family, found->ai_socktype, 0);
	int failed = fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0;
	freeaddrinfo(found);
	return failed ? -1 : fd;
}

static void nap(unsigned long milliseconds)
{
	struct timespec time = { (time_t)(milliseconds / 1000),
		                 (long)(milliseconds % 1000) * 1000000 };

	nanosleep(&time, NULL);
}

/* Until the other side does not want more. */
static void send_all(int fd, const char *data, size_t size, unsigned long pause, size_t at_once)
{
	for (size_t at = 0; at < size;) {
		size_t left = size - at, step = !pause ? left : at < at_once ? at_once - at : 1;
		ssize_t put = send(fd, data + at, left < step ? left : step, MSG_NOSIGNAL);
		if (put <= 0)
			return;
		at += (size_t)put;
		if (pause)
			nap(pause);
	}
}

static size_t receive_all(int fd)
{
	char piece[4096];
	size_t all = 0;
	ssize_t got;

	while ((got = recv(fd, piece, sizeof(piece), 0)) > 0) {
		fwrite(piece, 1, (size_t)got, stdout);
		all += (size_t)got;
	}
	return all;
}

int main(int argc, char **argv)
{
	static char request[REQUEST_MAX];
	unsigned long cut = REQUEST_MAX, pause = 0, at_once = 0, done = 0;

	for (int i = 2; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--cut") == 0)
			cut = strtoul(argv[i + 1], NULL, 10);
		if (strcmp(argv[i], "--pause") == 0)
			pause = strtoul(argv[i + 1], NULL, 10);
		if (strcmp(argv[i], "--at-once") == 0)
			at_once = strtoul(argv[i + 1], NULL, 10);
		if (strcmp(argv[i], "--done") == 0)
			done = strtoul(argv[i + 1], NULL, 10);
	}
	int fd = argc > 1 ? connect_to(argv[1]) : -1;
	if (fd < 0) {
		fprintf(stderr, "exchange: cannot connect\n");
		return 2;
	}
	size_t size = fread(request, 1, sizeof(request), stdin);
	int leave = cut < size;
	send_all(fd, request, leave ? cut : size, pause, at_once);
	if (leave) {
		close(fd);
		return 0;
	}
	if (done)
		shutdown(fd, SHUT_WR);
	size_t got = receive_all(fd);
	close(fd);
	return got > 0 ? 0 : 1;
}
