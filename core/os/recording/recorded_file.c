/* SPDX-License-Identifier: MIT */
/* Finds and reads files that a recording of perf refers to, and decides which of them count. */
#include "base/bytes_compare.h"
#include "formats/elf/elf.h"
#include "os/file/regular.h"
#include "os/module/build_id_path.h"
#include "os/process/jit_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KALLSYMS_FIRST = 16 << 20, /* bytes that a list of symbols is read into at first */
	KALLSYMS_MAX = 256 << 20,
	NOTES_MAX = 1 << 16,
	PATH_SIZE = 4096,
};

/* Reads to the end, of files that do not tell their size, too; false: memory is short, or it is too large, or empty. */
static bool read_to_end(int fd, size_t first, size_t most, struct cairn_bytes *bytes)
{
	uint8_t *data = malloc(first);
	size_t size = 0, room = first;
	ssize_t got = 1;

	while (data && got > 0) {
		if (size == room) {
			uint8_t *more = room < most ? realloc(data, 2 * room) : NULL;
			if (!more)
				break;
			data = more;
			room *= 2;
		}
		got = read(fd, data + size, room - size);
		size += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	*bytes = (struct cairn_bytes){ data, size };
	if (data && got == 0 && size > 0)
		return true;
	free(data);
	return false;
}

static bool read_list(const char *path, struct cairn_bytes *bytes)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read_to_end(fd, KALLSYMS_FIRST, KALLSYMS_MAX, bytes);
}

/* What perf has kept: DIR/.build-id/ab/cdef.../kallsyms. */
static bool read_kept_list(const char *folders, struct cairn_bytes build_id,
                           struct cairn_bytes *bytes)
{
	struct build_id_trees trees = build_id_trees(folders, build_id, "");
	char path[PATH_SIZE];
	struct stat about;
	int fd;

	while (build_id_trees_next(&trees) && !trees.is_last) {
		const int written = snprintf(path, sizeof(path), "%s/kallsyms", trees.path);
		if (written > 0 && written < PATH_SIZE &&
		    os_regular_open(AT_FDCWD, path, 0, &about, &fd) == 0 &&
		    read_to_end(fd, KALLSYMS_FIRST, KALLSYMS_MAX, bytes))
			return true;
	}
	return false;
}

static bool is_running_kernel(struct cairn_bytes build_id)
{
	const int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	struct cairn_bytes notes;

	if (build_id.size == 0 || fd < 0 || !read_to_end(fd, NOTES_MAX, NOTES_MAX, &notes))
		return false;
	const struct cairn_bytes id = elf_build_id_in_notes(notes, false);
	const bool is_equal = bytes_equal(id, build_id);
	free((void *)(uintptr_t)notes.data);
	return is_equal;
}

static bool read_kernel_list(const struct cairn_recorded_search *search,
                             struct cairn_bytes build_id, struct cairn_bytes *bytes)
{
	if (search->kallsyms)
		return read_list(search->kallsyms, bytes);
	if (read_kept_list(search->directories, build_id, bytes))
		return true;
	return is_running_kernel(build_id) && read_list("/proc/kallsyms", bytes);
}

/* The path as text; false: it is none. */
static bool copy_path(struct cairn_bytes path, char text[PATH_SIZE])
{
	if (path.size == 0 || path.size >= PATH_SIZE || path.data[0] != '/' ||
	    memchr(path.data, '\0', path.size))
		return false;
	memcpy(text, path.data, path.size);
	text[path.size] = '\0';
	return true;
}

static bool read_made_code(const struct cairn_recorded_search *search,
                           const struct cairn_recorded_request *request, struct cairn_bytes *bytes)
{
	const bool is_dump = request->kind == CAIRN_RECORDED_JITDUMP;
	const struct os_jit_process process = { .pid = is_dump ? os_jit_dump_pid(request->path)
		                                               : request->pid,
		                                .directories = search->directories,
		                                .core = search->recording };
	char place[PATH_SIZE], path[OS_JIT_PATH];

	if (!is_dump)
		snprintf(place, sizeof(place), "/tmp/perf-%" PRIu64 ".map", request->pid);
	else if (process.pid == 0 || !copy_path(request->path, place))
		return false;
	const int fd = os_jit_open_recorded(&process, is_dump, place, path);
	return fd >= 0 && os_jit_read(fd, is_dump ? OS_JIT_DUMP_MAX : OS_JIT_MAP_MAX, bytes);
}

bool cairn_recorded_read(const struct cairn_recorded_search *search,
                         const struct cairn_recorded_request *request, struct cairn_bytes *bytes)
{
	*bytes = (struct cairn_bytes)CAIRN_NO_BYTES;
	if (request->kind == CAIRN_RECORDED_KALLSYMS)
		return read_kernel_list(search, request->build_id, bytes);
	return read_made_code(search, request, bytes);
}
