/* SPDX-License-Identifier: MIT */
/* Writes all bytes despite short writes. */
#include "write_all.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

int os_write_all(int fd, struct cairn_bytes bytes)
{
	for (size_t done = 0; done < bytes.size;) {
		ssize_t written = write(fd, bytes.data + done, bytes.size - done);
		if (written < 0 && errno != EINTR)
			return errno;
		done += written > 0 ? (size_t)written : 0;
	}
	return 0;
}

int os_write_all_at(int fd, struct cairn_bytes bytes, uint64_t at)
{
	for (size_t done = 0; done < bytes.size;) {
		ssize_t written =
			pwrite(fd, bytes.data + done, bytes.size - done, (off_t)(at + done));
		if (written < 0 && errno != EINTR)
			return errno;
		done += written > 0 ? (size_t)written : 0;
	}
	return 0;
}

bool os_may_write_at(int fd)
{
	struct stat about;

	return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

int os_write_piece(void *context, const void *bytes, size_t size)
{
	return os_write_all(*(const int *)context, (struct cairn_bytes){ bytes, size });
}

int os_close_written(int fd, int error)
{
	if (close(fd) != 0 && error == 0)
		error = errno;
	return error;
}
