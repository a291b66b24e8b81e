/* SPDX-License-Identifier: MIT */
/* Reads a regular file into memory. */
#include "file_bytes.h"

#include "memfile.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
		*bytes = (struct cairn_bytes){ data, memfile_get(fd, (char *)data,
			                                         (size_t)status.st_size) };
	close(fd);
	return data != NULL;
}
