/* SPDX-License-Identifier: MIT */
/* Reads the parts of a program that identify it into anonymous memory of the file's size. */
#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS and MAP_NORESERVE */
#include "sparse.h"

#include "base/error.h"
#include "base/fileid.h"
#include "formats/elf/elf.h"
#include "os/file/file.h"
#include "os/symbol_path.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
	struct cairn_program_parts parts = { .step = 0 };
	struct cairn_range part;
	int error = 0;
	while (error == 0 && cairn_program_next_part(file->bytes, &parts, &part))
		error = os_sparse_read(file, fd, part);
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

enum cairn_status cairn_program_read(const char *path, struct cairn_program *program,
                                     struct cairn_error *error)
{
	struct os_sparse file;
	struct cairn_fault fault;
	const int system = os_sparse_open(path, &file);

	if (system)
		return error_set_unreadable(error, system, path);
	enum cairn_status status = cairn_program_parse(file.bytes, program, &fault);
	os_sparse_close(&file);
	return status == CAIRN_OK ? status : error_set_fault(error, path, NULL, &fault, NULL);
}

enum cairn_status cairn_file_id_read(const char *path, struct cairn_bytes build_id,
                                     struct cairn_file_id *id, struct cairn_error *error)
{
	struct os_sparse file;
	const int system = os_sparse_open(path, &file);

	if (system)
		return error_set_unreadable(error, system, path);
	const bool good = build_id.size == 0 || elf_is_of_build(file.bytes, build_id);
	const struct fileid made = fileid_of(file.bytes);
	memcpy(id->bytes, made.bytes, sizeof(id->bytes));
	fileid_to_hex(&made, id->text);
	os_sparse_close(&file);
	return good ? CAIRN_OK
	            : error_set(error, CAIRN_MISMATCH, path, "the file belongs to another build");
}

bool cairn_file_id_path(const struct cairn_file_id *id, char *path, size_t size)
{
	struct symbol_path paths = symbol_path_cached(
		(struct cairn_bytes){ id->bytes, sizeof(id->bytes) }, "symbfile");

	if (!symbol_path_next(&paths) || strlen(paths.path) >= size)
		return false;
	memcpy(path, paths.path, strlen(paths.path) + 1);
	return true;
}
