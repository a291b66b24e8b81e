/* SPDX-License-Identifier: MIT */
/* Finds a process's records of JIT code, for hosts that use only cairn.h. */
#include "jit_file.h"
#include "process.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static struct cairn_bytes read_path(const char *line, size_t size)
{
	const char *slash = memchr(line, '/', size);

	if (!slash)
		return (struct cairn_bytes){ (const uint8_t *)line, 0 };
	return (struct cairn_bytes){ (const uint8_t *)slash, size - (size_t)(slash - line) };
}

static int open_mapped_dump(const struct os_jit_process *process, const char *maps, char *path)
{
	const uint64_t inner = os_jit_inner_pid(process);

	while (*maps) {
		const size_t size = strcspn(maps, "\n");
		const struct cairn_bytes mapped = read_path(maps, size);
		int fd = os_jit_dump_pid(mapped) == inner ? os_jit_open_dump(process, mapped, path)
		                                          : -1;
		if (fd >= 0)
			return fd;
		maps += size + (maps[size] == '\n');
	}
	return -1;
}

int os_jit_open_running(uint64_t pid, char path[OS_JIT_PATH], bool *dump)
{
	struct os_jit_process process = { .pid = pid, .running = true };
	struct os_process open;
	size_t size;

	if (os_process_open(pid, &open) != 0)
		return -1;
	char *maps = os_process_text(&open, "maps", &size);
	os_process_close(&open);
	int fd = maps ? open_mapped_dump(&process, maps, path) : -1;
	free(maps);
	*dump = fd >= 0;
	return fd >= 0 ? fd : os_jit_open_map(&process, path);
}

static int open_of_core(const struct os_jit_process *process, char *path, bool *dump)
{
	int fd = os_jit_open_kept_dump(process, path);

	*dump = fd >= 0;
	return fd >= 0 ? fd : os_jit_open_map(process, path);
}

enum cairn_status cairn_made_code_read(const struct cairn_made_code_process *of,
                                       struct cairn_made_code *file, struct cairn_error *error)
{
	struct os_jit_process process = { .pid = of->pid,
		                          .running = of->running,
		                          .directories = of->directories,
		                          .core = of->core };
	bool dump;
	file->bytes = (struct cairn_bytes){ NULL, 0 };
	file->path[0] = '\0';
	int fd = of->running ? os_jit_open_running(of->pid, file->path, &dump)
	                     : open_of_core(&process, file->path, &dump);

	if (fd < 0)
		return error_set(error, CAIRN_NOT_FOUND, NULL,
		                 "no perf map and no jitdump of the process");
	file->pid = os_jit_inner_pid(&process);
	if (os_jit_read(fd, dump ? OS_JIT_DUMP_MAX : OS_JIT_MAP_MAX, &file->bytes))
		return CAIRN_OK;
	return error_set(error, CAIRN_UNREADABLE, file->path, "cannot be read");
}

void cairn_made_code_free(struct cairn_made_code *file)
{
	free((void *)(uintptr_t)file->bytes.data);
	file->bytes = (struct cairn_bytes){ NULL, 0 };
}
