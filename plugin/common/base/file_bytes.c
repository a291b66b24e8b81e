/* SPDX-License-Identifier: MIT */
/* Reads a regular file into memory. */
#include "file_bytes.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t read_up_to(int fd, uint8_t *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = read(fd, data + done, size - done);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

bool file_bytes_read(const char *path, struct cairn_bytes *bytes)
{
	int fd = cairn_regular_file_open(path);
	struct stat status;
	uint8_t *data = NULL;

	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && status.st_size > 0 && status.st_size <= FILE_BYTES_MAX)
		data = malloc((size_t)status.st_size);
	if (data)
		*bytes = (struct cairn_bytes){ data, read_up_to(fd, data, (size_t)status.st_size) };
	close(fd);
	return data != NULL;
}
