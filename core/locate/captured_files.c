/* SPDX-License-Identifier: MIT */
/* Finds the files that a log with backtraces or a perf recording refers to. */
#define _XOPEN_SOURCE 700 /* for realpath() */
#include "captured_files.h"

#include "locate.h"

#include "base/bytes.h"
#include "base/path.h"
#include "formats/captured_text.h"
#include "formats/elf/elf.h"
#include "formats/minidump.h"
#include "os/file.h"
#include "os/jit_file.h"
#include "os/symbol_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

bool captured_files_is_text(struct cairn_bytes bytes)
{
	return !minidump_has_magic(bytes) && !elf_has_magic(bytes);
}

struct captured_files *captured_files_new(const char *directories, const char *sysroot)
{
	struct captured_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->directories = directories;
	files->sysroot = sysroot;
	return files;
}

void captured_files_free(struct captured_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->count; i++) {
		os_file_close(&files->opened[i]);
		free((char *)(uintptr_t)files->file[i].path);
	}
	free(files);
}

struct cairn_captured_file *captured_files_keep(struct captured_files *files, const char *path,
                                                const struct os_file *opened)
{
	char *whole = files->count < CAPTURED_FILES_MAX ? realpath(path, NULL) : NULL;

	if (!whole)
		return NULL;
	files->opened[files->count] = *opened;
	struct cairn_captured_file *file = &files->file[files->count++];
	*file = (struct cairn_captured_file){ .path = whole, .bytes = opened->bytes };
	return file;
}

bool captured_files_find(void *context, struct cairn_bytes name, struct cairn_bytes build_id,
                         struct cairn_captured_file *found)
{
	static const enum locate_place order[] = { LOCATE_PATH, LOCATE_LIBRARY, LOCATE_TREES,
		                                   LOCATE_END };
	struct captured_files *files = context;
	const struct locate_search search = { .order = order,
		                              .path = name,
		                              .build_id = build_id,
		                              .sysroot = files->sysroot,
		                              .directories = files->directories };
	struct located located;

	if (!locate_file(&search, &located))
		return false;
	const struct cairn_captured_file *kept =
		captured_files_keep(files, located.path, &located.file);
	if (!kept) {
		located_close(&located);
		return false;
	}
	files->unchecked += build_id.size == 0;
	if (build_id.size == 0 && files->tell_unchecked)
		files->tell_unchecked(located.path);
	free(located.path);
	*found = *kept;
	return true;
}

void captured_files_infer(struct captured_files *files, struct cairn_bytes text,
                          void (*tell)(const char *path, const struct load_base *base))
{
	struct captured_returns *returns = calloc(1, sizeof(*returns));
	struct load_base base;
	struct elf elf;

	for (size_t i = 0; returns && i < files->count; i++) {
		struct cairn_captured_file *file = &files->file[i];
		const struct cairn_bytes path = { (const uint8_t *)file->path, strlen(file->path) };
		struct cairn_bytes lines = text;
		*returns = (struct captured_returns){ .count = 0 };
		if (file->has_base || !elf_opens(file->bytes, &elf) ||
		    !captured_returns_read(returns, &lines, base_name(path)) ||
		    !elf_find_load_base(&elf, returns->address, &returns->count, &base))
			continue;
		file->has_base = true;
		file->base = base.first;
		if (tell)
			tell(file->path, &base);
	}
	free(returns);
}

/*
 * Finds and reads the kernel symbols and JIT files that a perf recording refers to. Uses the kernel
 * symbols of this machine only if the recording is from the running kernel.
 */

enum { KALLSYMS_MAX = 256 << 20 };

/*
 * Copy an open file and close it. Returns false if the file is empty or too large, or allocation
 * fails.
 */
static bool take_copy(struct os_file *file, struct cairn_bytes *bytes)
{
	const size_t size = file->bytes.size;
	uint8_t *copy = size > 0 && size <= KALLSYMS_MAX ? malloc(size) : NULL;

	if (copy)
		memcpy(copy, file->bytes.data, size);
	os_file_close(file);
	*bytes = (struct cairn_bytes){ copy, copy ? size : 0 };
	return copy != NULL;
}

static bool read_list(const char *path, struct cairn_bytes *bytes)
{
	struct os_file file;

	return os_file_open(path, &file) == 0 && take_copy(&file, bytes);
}

static bool read_kept_list(const char *directories, struct cairn_bytes build_id,
                           struct cairn_bytes *bytes)
{
	struct symbol_path trees = build_id_trees(directories, build_id, "");
	char path[LOCATE_PATH_MAX];
	struct os_file file;

	trees.no_system = true;
	while (symbol_path_next(&trees)) {
		const int written = snprintf(path, sizeof(path), "%s/kallsyms", trees.path);
		if (written > 0 && written < LOCATE_PATH_MAX &&
		    os_file_open_regular(path, &file) == 0 && take_copy(&file, bytes))
			return true;
	}
	return false;
}

static bool is_running_kernel(struct cairn_bytes build_id)
{
	struct os_file notes;

	if (build_id.size == 0 || os_file_open("/sys/kernel/notes", &notes) != 0)
		return false;
	const bool is_equal = bytes_equal(elf_build_id_in_notes(notes.bytes, false), build_id);
	os_file_close(&notes);
	return is_equal;
}

/*
 * Return true if the recording was written since this machine booted. A recording read from a pipe
 * has no file and counts as new.
 */
static bool is_since_start(const char *recording)
{
	struct timespec up;
	struct stat about;

	if (!recording)
		return true;
	return stat(recording, &about) == 0 && clock_gettime(CLOCK_BOOTTIME, &up) == 0 &&
	       about.st_mtim.tv_sec >= time(NULL) - up.tv_sec;
}

/*
 * Return true if the recording does not contain the kernel's build ID, but its kernel release, host
 * name and time match this machine.
 */
static bool is_this_machine(const struct cairn_recorded_search *search,
                            const struct cairn_recorded_request *request)
{
	struct utsname machine;

	return request->build_id.size == 0 && request->release.size > 0 && uname(&machine) == 0 &&
	       bytes_are(request->release, machine.release) &&
	       bytes_are(request->host, machine.nodename) && is_since_start(search->recording);
}

static bool read_kernel_list(const struct cairn_recorded_search *search,
                             const struct cairn_recorded_request *request,
                             struct cairn_bytes *bytes)
{
	if (search->kallsyms)
		return read_list(search->kallsyms, bytes);
	if (read_kept_list(search->directories, request->build_id, bytes))
		return true;
	return (is_running_kernel(request->build_id) || is_this_machine(search, request)) &&
	       read_list("/proc/kallsyms", bytes);
}

static bool read_jit_code(const struct cairn_recorded_search *search,
                          const struct cairn_recorded_request *request, struct cairn_bytes *bytes)
{
	const bool is_dump = request->kind == CAIRN_RECORDED_JITDUMP;
	const struct os_jit_process process = { .pid = is_dump ? os_jit_dump_pid(request->path)
		                                               : request->pid,
		                                .directories = search->directories,
		                                .core = search->recording };
	char place[LOCATE_PATH_MAX], path[OS_JIT_PATH];

	if (!is_dump)
		snprintf(place, sizeof(place), "/tmp/perf-%" PRIu64 ".map", request->pid);
	else if (process.pid == 0 || !locate_path(NULL, request->path, place))
		return false;
	const int fd = os_jit_open_recorded(&process, is_dump, place, path);
	return fd >= 0 && os_jit_read(fd, is_dump ? OS_JIT_DUMP_MAX : OS_JIT_MAP_MAX, bytes);
}

bool cairn_recorded_read(const struct cairn_recorded_search *search,
                         const struct cairn_recorded_request *request, struct cairn_bytes *bytes)
{
	*bytes = (struct cairn_bytes)CAIRN_NO_BYTES;
	if (request->kind == CAIRN_RECORDED_KALLSYMS)
		return read_kernel_list(search, request, bytes);
	return read_jit_code(search, request, bytes);
}
