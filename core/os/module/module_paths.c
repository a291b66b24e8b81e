/* SPDX-License-Identifier: MIT */
/* Where the files of a module may be: see module_files.h. */
#include "module_files.h"

#include "build_id_path.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIDS_MAX = 64 };

static const char own_files[] = "/proc/self/fd";

/* What a descriptor of this process leads to; false: nothing that has a name. */
static bool read_link(const char *number, char path[MODULE_PATH_MAX])
{
	char link[sizeof(own_files) + 32];
	int length = snprintf(link, sizeof(link), "%s/%s", own_files, number);

	if (length < 0 || (size_t)length >= sizeof(link))
		return false;
	ssize_t got = readlink(link, path, MODULE_PATH_MAX - 1);
	path[got > 0 ? got : 0] = '\0';
	return got > 0;
}

static void each_link(void (*visit)(void *context, const char *number, const char *path),
                      void *context)
{
	DIR *folder = opendir(own_files);
	struct dirent *entry;
	char path[MODULE_PATH_MAX];

	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]) && read_link(entry->d_name, path))
			visit(context, entry->d_name, path);
	if (folder)
		closedir(folder);
}

/* Whom to call, and what he wants. */
struct asked {
	module_path_visit *visit;
	void *context;
	uint64_t low;
	long pids[PIDS_MAX]; /* done */
	unsigned count;
};

/*
 * The descriptor's own path leads to the file that is open even when it has another name by now; but
 * a file that others are to be found beside is known by the name.
 */
static void visit_open(void *context, const char *number, const char *path)
{
	const struct asked *asked = context;
	char link[sizeof(own_files) + 32];
	struct stat about, named;

	snprintf(link, sizeof(link), "%s/%.16s", own_files, number);
	if (stat(link, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
		return;
	bool same = stat(path, &named) == 0 && named.st_ino == about.st_ino &&
	            named.st_dev == about.st_dev;
	asked->visit(asked->context, same ? path : link);
}

void module_paths_open(module_path_visit *visit, void *context)
{
	struct asked asked = { .visit = visit, .context = context };

	each_link(visit_open, &asked);
}

/* A list of mappings, to be freed; NULL when it cannot be read. */
static char *read_maps(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : malloc(MODULE_MAPS_MAX);
	size_t size = 0;
	ssize_t got = 1;

	while (text && got > 0 && size < MODULE_MAPS_MAX - 1) {
		got = read(fd, text + size, MODULE_MAPS_MAX - 1 - size);
		size += got > 0 ? (size_t)got : 0;
		got = got < 0 && errno == EINTR ? 1 : got;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[size] = '\0';
	return text;
}

/* "LOW-HIGH MODE OFFSET DEVICE INODE   PATH": the path, cut out of the line; NULL: no file. */
static const char *read_mapping(const char *line, uint64_t *low)
{
	*low = strtoull(line, NULL, 16);
	return strchr(line, '/');
}

/* All mappings of files, or those that begin at *low. */
static void each_mapping(char *text, const char *root, const uint64_t *low,
                         module_path_visit *visit, void *context)
{
	char *rest, before[MODULE_PATH_MAX] = "", path[MODULE_PATH_MAX];

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		uint64_t at;
		const char *name = read_mapping(line, &at);
		if (!name || (low && at != *low))
			continue;
		int length = snprintf(path, sizeof(path), "%s%s", root, name);
		if (length < 0 || (size_t)length >= sizeof(path) || strcmp(path, before) == 0)
			continue;
		memcpy(before, path, (size_t)length + 1);
		visit(context, path);
	}
}

void module_paths_mapped(module_path_visit *visit, void *context)
{
	char *text = read_maps("/proc/self/maps");

	if (text)
		each_mapping(text, "", NULL, visit, context);
	free(text);
}

/* A process sees its files as its own root folder has them. */
static void visit_process(const struct asked *asked, long pid)
{
	char maps[64], root[64];

	snprintf(maps, sizeof(maps), "/proc/%ld/maps", pid);
	snprintf(root, sizeof(root), "/proc/%ld/root", pid);
	char *text = read_maps(maps);
	if (text)
		each_mapping(text, root, &asked->low, asked->visit, asked->context);
	free(text);
}

/* The memory of a process that is debugged: /proc/PID/mem or /proc/PID/task/TID/mem */
static void visit_memory(void *context, const char *number, const char *path)
{
	struct asked *asked = context;
	size_t length = strlen(path);
	char *end;

	(void)number;
	if (strncmp(path, "/proc/", 6) != 0 || length < 4 || strcmp(path + length - 4, "/mem") != 0)
		return;
	long pid = strtol(path + 6, &end, 10);
	if (pid <= 0 || *end != '/' || asked->count == PIDS_MAX)
		return;
	for (unsigned i = 0; i < asked->count; i++)
		if (asked->pids[i] == pid)
			return;
	asked->pids[asked->count++] = pid;
	visit_process(asked, pid);
}

void module_paths_traced(uint64_t low, module_path_visit *visit, void *context)
{
	struct asked asked = { .visit = visit, .context = context, .low = low };

	each_link(visit_memory, &asked);
}

static void visit_id(struct cairn_bytes id, module_path_visit *visit, void *context)
{
	char path[MODULE_PATH_MAX];

	if (build_id_path(path, sizeof(path), SYSTEM_DEBUG_FOLDER, strlen(SYSTEM_DEBUG_FOLDER), id,
	                  "debug"))
		visit(context, path);
}

void module_paths_apart(struct cairn_bytes build_id, const char *program, const char *link,
                        module_path_visit *visit, void *context)
{
	static const struct {
		const char *before, *between;
	} places[] = { { "", "/" }, { "", "/.debug/" }, { SYSTEM_DEBUG_FOLDER, "/" } };
	char path[MODULE_PATH_MAX];

	visit_id(build_id, visit, context);
	const char *slash = strrchr(program, '/');
	if (!slash || link[0] == '\0' || strchr(link, '/'))
		return;
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int length = snprintf(path, sizeof(path), "%s%.*s%s%s", places[i].before,
		                      (int)(slash - program), program, places[i].between, link);
		if (length > 0 && (size_t)length < sizeof(path))
			visit(context, path);
	}
}
