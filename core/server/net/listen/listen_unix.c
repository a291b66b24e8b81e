/* SPDX-License-Identifier: MIT */
/* Binds a Unix socket, replacing a stale one. */
#include "listen_unix.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128, OTHERS = 0177 };

/* Return true if the path is a socket without a listening process. */
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

int listen_unix_open(const char *path, char *message, size_t message_room)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(at.sun_path)) {
		snprintf(message, message_room, "the path of a socket has at most %zu bytes",
		         sizeof(at.sun_path) - 1);
		return -1;
	}
	strcpy(at.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && is_left_behind(&at))
		unlink(path);
	if (fd >= 0 && bind_for_owner(fd, &at) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	snprintf(message, message_room, "cannot listen: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}
