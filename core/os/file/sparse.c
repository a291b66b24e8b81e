/* SPDX-License-Identifier: MIT */
/* Maps anonymous memory of a file's size and reads only the parts that identify the program. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "sparse.h"

#include "file.h"

#include <sys/mman.h>
#include <unistd.h>

static int read_parts(int fd, struct cairn_bytes bytes, uint8_t *memory)
{
	struct cairn_program_parts parts = { .step = 0 };
	struct cairn_range part;
	int error = 0;

	while (error == 0 && cairn_program_next_part(bytes, &parts, &part))
		error = os_file_read(fd, part.low, memory + part.low,
		                     (size_t)(part.high - part.low));
	return error;
}

int os_sparse_fill(int fd, const struct stat *about, struct os_sparse *file)
{
	size_t size = (size_t)about->st_size;

	if ((uintmax_t)about->st_size > PTRDIFF_MAX)
		return EFBIG;
	if (size == 0)
		return OS_FILE_TRUNCATED;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	*file = (struct os_sparse){ { memory, size } };
	int error = read_parts(fd, file->bytes, memory);
	if (error)
		os_sparse_close(file);
	return error;
}

int os_sparse_open(const char *path, struct os_sparse *file)
{
	struct stat about;
	int fd = -1;
	int error = os_file_regular(path, &about, &fd);

	if (error)
		return error;
	error = os_sparse_fill(fd, &about, file);
	close(fd);
	return error;
}

int os_sparse_read(const struct os_sparse *file, int fd, struct cairn_range part)
{
	if (part.low > part.high || part.high > file->bytes.size)
		return EINVAL;
	return os_file_read(fd, part.low, (uint8_t *)(uintptr_t)file->bytes.data + part.low,
	                    (size_t)(part.high - part.low));
}

void os_sparse_close(struct os_sparse *file)
{
	munmap((void *)(uintptr_t)file->bytes.data, file->bytes.size);
}
