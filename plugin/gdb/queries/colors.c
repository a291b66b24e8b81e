/* SPDX-License-Identifier: MIT */
/* Decides whether a command's output is coloured, from the setting, the terminal and open pipes. */
#define _POSIX_C_SOURCE 200809L
#include "colors.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FIRST = 3,
	LAST = 255, /* GDB's pipes get the lowest free numbers */
};

static bool is_end(int fd, int mode, struct stat *status)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == mode && fstat(fd, status) == 0 &&
	       S_ISFIFO(status->st_mode);
}

static bool is_read_here(ino_t pipe)
{
	struct stat status;

	for (int fd = FIRST; fd <= LAST; fd++)
		if (is_end(fd, O_RDONLY, &status) && status.st_ino == pipe)
			return true;
	return false;
}

/*
 * Count the writable pipes with a reader outside of GDB. GDB itself holds both ends of its usual
 * pipes.
 */
static unsigned count_pipes(void)
{
	struct stat status;
	unsigned count = 0;

	for (int fd = FIRST; fd <= LAST; fd++)
		count += is_end(fd, O_WRONLY, &status) && !is_read_here(status.st_ino);
	return count;
}

void colors_start(struct gdb_session *s)
{
	s->inherited_pipes = count_pipes();
}

/* GDB does not reveal that it runs a command by `pipe`, but such a pipe is open while it does. */
bool colors_enabled(const struct gdb_session *s, const struct request *request)
{
	const char *terminal = getenv("TERM");

	if (s->shared.color != COLOR_AUTO)
		return s->shared.color == COLOR_ON;
	return request->style && isatty(STDOUT_FILENO) && terminal &&
	       strcmp(terminal, "dumb") != 0 && count_pipes() <= s->inherited_pipes;
}
