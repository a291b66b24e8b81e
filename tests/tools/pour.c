/* SPDX-License-Identifier: MIT */
/*
 * pour FILE: writes a file to standard output as `cat` does, but does not read its holes, each page of which would be
 * cleared and kept in memory: in their place it writes zeros that it has.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	PIECE = 1 << 16 /* what a pipe holds */
};

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void write_all(const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t wrote = write(STDOUT_FILENO, bytes, size);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			fail("standard output");
		bytes += wrote;
		size -= (size_t)wrote;
	}
}

/* A pipe is lent the zeros, which never change: nothing is copied until its reader does. */
static void pour_zeros(off_t size)
{
	static char zeros[PIECE];

	while (size > 0) {
		struct iovec piece = { zeros, size < PIECE ? (size_t)size : PIECE };
		const ssize_t wrote = vmsplice(STDOUT_FILENO, &piece, 1, 0);
		if (wrote <= 0)
			write_all(zeros, piece.iov_len);
		size -= wrote > 0 ? wrote : (off_t)piece.iov_len;
	}
}

static void pour_bytes(int file, off_t from, off_t end)
{
	static char bytes[PIECE];

	while (from < end) {
		const size_t want = end - from < PIECE ? (size_t)(end - from) : PIECE;
		const ssize_t got = pread(file, bytes, want, from);
		if (got <= 0)
			fail("the file");
		write_all(bytes, (size_t)got);
		from += got;
	}
}

int main(int argc, char **argv)
{
	const int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat about;

	if (file < 0 || fstat(file, &about) != 0)
		fail(argc == 2 ? argv[1] : "usage: pour FILE");
	for (off_t at = 0; at < about.st_size;) {
		off_t data = lseek(file, at, SEEK_DATA); /* none is left: ENXIO */
		if (data < 0)
			data = errno == ENXIO ? about.st_size : at;
		off_t hole = data < about.st_size ? lseek(file, data, SEEK_HOLE) : data;
		if (hole < 0)
			hole = about.st_size;
		pour_zeros(data - at);
		pour_bytes(file, data, hole);
		at = hole;
	}
	return 0;
}
