/* SPDX-License-Identifier: MIT */
/* Listens on a TCP or Unix socket, and handles the signals that end a server. */
#include "listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { HOST_MAX = 256, PORT_MAX = 16, PORT_LAST = 65535, BACKLOG = 128 };

/* Split "host:port". An IPv6 address must be in brackets. */
static bool split_address(const char *where, char host[HOST_MAX], char port[PORT_MAX])
{
	const char *colon = strrchr(where, ':');
	bool bracket = where[0] == '[';
	const char *begin = where + bracket, *end = colon;

	if (!colon || colon == where || !colon[1] || strlen(colon + 1) >= PORT_MAX)
		return false;
	if (strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    strtoul(colon + 1, NULL, 10) > PORT_LAST)
		return false;
	if (bracket && *--end != ']')
		return false;
	if (end <= begin || end - begin >= HOST_MAX ||
	    (!bracket && memchr(begin, ':', (size_t)(end - begin))))
		return false;
	memcpy(host, begin, (size_t)(end - begin));
	host[end - begin] = '\0';
	memcpy(port, colon + 1, strlen(colon + 1) + 1);
	return true;
}

bool listen_is_address(const char *where)
{
	char host[HOST_MAX], port[PORT_MAX];

	return split_address(where, host, port);
}

static int bind_one(const struct addrinfo *to)
{
	int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC, to->ai_protocol);
	int yes = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, to->ai_addr, to->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

static bool is_loopback(const struct sockaddr_storage *name)
{
	if (name->ss_family == AF_INET) {
		const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)name;
		return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	}
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)name;
	return name->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static void describe_socket(struct listen_socket *listener)
{
	struct sockaddr_storage name;
	socklen_t size = sizeof(name);
	char host[HOST_MAX] = "?", port[PORT_MAX] = "?";

	if (getsockname(listener->fd, (struct sockaddr *)(void *)&name, &size) == 0) {
		getnameinfo((struct sockaddr *)(void *)&name, size, host, sizeof(host), port,
		            sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
		listener->is_public = !is_loopback(&name);
	}
	snprintf(listener->address, sizeof(listener->address),
	         strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

bool listen_open(const char *where, struct listen_socket *listener, char *message,
                 size_t message_capacity)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		                        .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	char host[HOST_MAX], port[PORT_MAX];

	if (!split_address(where, host, port)) {
		snprintf(message, message_capacity, LISTEN_ADDRESS_EXPECTED);
		return false;
	}
	int error = getaddrinfo(host, port, &hints, &found);
	if (error) {
		snprintf(message, message_capacity, "no such address: %s", gai_strerror(error));
		return false;
	}
	listener->fd = -1;
	for (const struct addrinfo *to = found; to && listener->fd < 0; to = to->ai_next)
		listener->fd = bind_one(to);
	if (listener->fd < 0)
		snprintf(message, message_capacity, "cannot listen: %s", strerror(errno));
	else
		describe_socket(listener);
	freeaddrinfo(found);
	return listener->fd >= 0;
}

enum { OTHERS = 0177 };

/* Return true if the path is a socket on which no process listens. */
static bool is_left_behind(const struct sockaddr_un *at)
{
	struct stat about;
	int fd;

	if (lstat(at->sun_path, &about) != 0 || !S_ISSOCK(about.st_mode) ||
	    (fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)
		return false;
	const bool refused =
		connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 && errno == ECONNREFUSED;
	close(fd);
	return refused;
}

static int bind_for_owner(int fd, const struct sockaddr_un *at)
{
	const mode_t mask = umask(OTHERS);
	const int failed = bind(fd, (const struct sockaddr *)at, sizeof(*at));
	const int error = errno;

	umask(mask);
	errno = error;
	return failed;
}

int listen_unix_open(const char *path, char *message, size_t message_capacity)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(at.sun_path)) {
		snprintf(message, message_capacity,
		         "the path of a socket can have at most %zu bytes",
		         sizeof(at.sun_path) - 1);
		return -1;
	}
	strcpy(at.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && is_left_behind(&at))
		unlink(path);
	if (fd >= 0 && bind_for_owner(fd, &at) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	snprintf(message, message_capacity, "cannot listen: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

void end_signals_block(sigset_t *ends)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigemptyset(ends);
	sigaddset(ends, SIGTERM);
	sigaddset(ends, SIGINT);
	sigaddset(ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ends, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	/* make writes beyond the file size limit fail with EFBIG, like writes to a full disk */
	sigaction(SIGXFSZ, &ignore, NULL);
}

bool end_signals_wait(const sigset_t *ends, bool (*watch)(void *server), void *server)
{
	const struct timespec second = { 1, 0 };

	while (sigtimedwait(ends, NULL, &second) < 0)
		if (!watch(server))
			return false;
	return true;
}
