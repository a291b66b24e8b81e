/* SPDX-License-Identifier: MIT */
/*
 * Puts what is no regular file at a path where a file is looked for:
 *
 *	make_place KIND PATH
 *
 *	fifo       a pipe that nobody writes to
 *	fifo-link  a link to one
 *	zero       a link to a device that never ends
 *	full       a link to one that refuses what is written
 *	device     the same as zero, not as a link; that needs rights, and is a folder without them
 *	folder     with a file in it
 *	socket     that nobody listens at
 *	dangling   a link to nothing
 *	circular   a link to itself
 *	terminal   a link to the terminal of who asks
 *	closed     a regular file that may not be read
 *	empty      a regular file with nothing in it
 *
 * Without arguments the kinds are listed.
 */
#define _GNU_SOURCE /* mknod, makedev */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const kinds[] = { "fifo",     "fifo-link", "zero",   "full",
	                             "device",   "folder",    "socket", "dangling",
	                             "circular", "terminal",  "closed", "empty" };

static int make_file(const char *path, mode_t mode)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, mode);

	return fd < 0 ? -1 : close(fd);
}

static int make_directory(const char *path)
{
	char inside[4096];
	int size = snprintf(inside, sizeof(inside), "%s/file", path);

	return size < 0 || (size_t)size >= sizeof(inside) || mkdir(path, 0777) != 0
	               ? -1
	               : make_file(inside, 0666);
}

static int make_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path));
	return bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? close(fd) : -1;
}

static int make_fifo_link(const char *path)
{
	char fifo[4096];
	int size = snprintf(fifo, sizeof(fifo), "%s.pipe", path);

	return size < 0 || (size_t)size >= sizeof(fifo) || mkfifo(fifo, 0666) != 0
	               ? -1
	               : symlink(fifo, path);
}

static int make_place(const char *kind, const char *path)
{
	static const struct {
		const char *kind, *target;
	} links[] = { { "zero", "/dev/zero" },
		      { "full", "/dev/full" },
		      { "dangling", "/nonexistent/file" },
		      { "terminal", "/dev/tty" } };

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (strcmp(kind, links[i].kind) == 0)
			return symlink(links[i].target, path);
	if (strcmp(kind, "circular") == 0)
		return symlink(path, path);
	if (strcmp(kind, "fifo") == 0)
		return mkfifo(path, 0666);
	if (strcmp(kind, "fifo-link") == 0)
		return make_fifo_link(path);
	if (strcmp(kind, "device") == 0 && mknod(path, S_IFCHR | 0666, makedev(1, 5)) == 0)
		return 0;
	if (strcmp(kind, "device") == 0 || strcmp(kind, "folder") == 0)
		return make_directory(path);
	if (strcmp(kind, "socket") == 0)
		return make_socket(path);
	return make_file(path, strcmp(kind, "closed") == 0 ? 0 : 0666);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			puts(kinds[i]);
		return 0;
	}
	if (make_place(argv[1], argv[2]) == 0)
		return 0;
	perror(argv[2]);
	return 2;
}
