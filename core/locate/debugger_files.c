/* SPDX-License-Identifier: MIT */
/*
 * Finds the files of a module from inside a debugger (see cairn.h), for data that is not in memory.
 * Candidates are files that the debugger has open or mapped, files mapped by a debugged process,
 * and separate debug files. Also finds an SFrame table created for a module.
 */
#include "base/error.h"
#include "formats/elf/elf.h"
#include "locate.h"
#include "os/file.h"
#include "os/symbol_path.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PIDS_MAX = 64,
	/* maximum number of files for one module; any further files would be copies of these */
	TAKEN_MAX = 16,
	/* maximum size of /proc/PID/maps in bytes; Linux limits a process to 65,530 mappings */
	MAPS_MAX = 1 << 22,
	LINK_SIZE = 64,
};

struct visitor {
	void (*visit)(void *context, const char *path);
	void *context;
	uint64_t low;
	long pids[PIDS_MAX];
	unsigned count;
};

static const char own_files[] = "/proc/self/fd";

/* Call `each` with the link in /proc and the path of each file that the debugger has open. */
static void each_descriptor(struct visitor *v,
                            void (*each)(struct visitor *v, const char *link, const char *path))
{
	DIR *directory = opendir(own_files);
	char link[LINK_SIZE], path[SYMBOL_PATH_MAX];
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		const int length = snprintf(link, sizeof(link), "%s/%s", own_files, entry->d_name);
		if (!isdigit((unsigned char)entry->d_name[0]) || length >= LINK_SIZE)
			continue;
		const ssize_t got = readlink(link, path, sizeof(path) - 1);
		path[got > 0 ? got : 0] = '\0';
		if (got > 0)
			each(v, link, path);
	}
	if (directory)
		closedir(directory);
}

/*
 * Visit a non-empty regular file that the debugger has open. The link in /proc/self/fd works even
 * if the file has been renamed. However, prefer the file's path, because other files are searched
 * for beside it.
 */
static void visit_open(struct visitor *v, const char *link, const char *path)
{
	struct stat about, named;

	if (stat(link, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
		return;
	const bool same = stat(path, &named) == 0 && named.st_ino == about.st_ino &&
	                  named.st_dev == about.st_dev;
	v->visit(v->context, same ? path : link);
}

/*
 * Visit the files in /proc/PID/maps, whose lines are "LOW-HIGH MODE OFFSET DEVICE INODE PATH". If
 * `low` is not NULL, visit only the file mapped at *low.
 */
static void visit_mappings(struct visitor *v, const char *maps, const char *root,
                           const uint64_t *low)
{
	const int fd = open(maps, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : malloc(MAPS_MAX), *rest;
	char before[SYMBOL_PATH_MAX] = "", path[SYMBOL_PATH_MAX];
	size_t size = 0;
	ssize_t got = 1;

	while (text && got > 0 && size < MAPS_MAX - 1) {
		got = read(fd, text + size, MAPS_MAX - 1 - size);
		size += got > 0 ? (size_t)got : 0;
		got = got < 0 && errno == EINTR ? 1 : got;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[size] = '\0';
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *name = strchr(line, '/');
		if (!name || (low && strtoull(line, NULL, 16) != *low))
			continue;
		const int length = snprintf(path, sizeof(path), "%s%s", root, name);
		if (length < 0 || (size_t)length >= sizeof(path) || strcmp(path, before) == 0)
			continue;
		memcpy(before, path, (size_t)length + 1);
		v->visit(v->context, path);
	}
	free(text);
}

/*
 * Visit the files mapped at v->low in a process whose memory (/proc/PID/mem or
 * /proc/PID/task/TID/mem) the debugger has open. Open their paths below the root directory of that
 * process, which may be in a container.
 */
static void visit_traced(struct visitor *v, const char *link, const char *path)
{
	const size_t length = strlen(path);
	char maps[LINK_SIZE], root[LINK_SIZE], *end;

	(void)link;
	if (strncmp(path, "/proc/", 6) != 0 || length < 4 || strcmp(path + length - 4, "/mem") != 0)
		return;
	const long pid = strtol(path + 6, &end, 10);
	if (pid <= 0 || *end != '/' || v->count == PIDS_MAX)
		return;
	for (unsigned i = 0; i < v->count; i++)
		if (v->pids[i] == pid)
			return;
	v->pids[v->count++] = pid;
	snprintf(maps, sizeof(maps), "/proc/%ld/maps", pid);
	snprintf(root, sizeof(root), "/proc/%ld/root", pid);
	visit_mappings(v, maps, root, &v->low);
}

struct search {
	const struct cairn_module *module;
	struct cairn_files *files;
	struct {
		dev_t device;
		ino_t inode;
	} taken[TAKEN_MAX];
	unsigned count;
	/*
	 * the files being visited were found through the module's build ID or the program's
	 * .gnu_debuglink
	 */
	bool named;
	char program[SYMBOL_PATH_MAX];
};

/*
 * Read as much of a file as is needed to decide whether it belongs to the module. If it does, read
 * the required sections.
 */
static void add_module_file(struct search *s, const char *path, int fd, const struct stat *about)
{
	const bool had_program = cairn_files_have_program(s->files);
	struct os_sparse file;
	struct cairn_range part;
	unsigned step = 0;
	bool unread = false;

	if (os_sparse_fill(fd, about, &file) != 0)
		return;
	if (cairn_files_are_of(s->module, file.bytes, s->named)) {
		s->taken[s->count].device = about->st_dev;
		s->taken[s->count++].inode = about->st_ino;
		while (cairn_files_part(s->files, file.bytes, &step, unread, &part))
			unread = os_sparse_read(&file, fd, part) != 0;
		if (!had_program && cairn_files_have_program(s->files))
			memcpy(s->program, path, strlen(path) + 1);
	} else if (!s->named && s->module->build_id.size > 0 &&
	           cairn_files_other_part(s->files, file.bytes, false, &part) &&
	           os_sparse_read(&file, fd, part) == 0) {
		(void)cairn_files_other_part(s->files, file.bytes, true, &part);
	}
	os_sparse_close(&file);
}

static void try_module_file(void *context, const char *path)
{
	struct search *s = context;
	struct stat about;
	int fd;

	if (strlen(path) >= SYMBOL_PATH_MAX || os_file_regular(path, &about, &fd) != 0)
		return;
	bool taken = s->count == TAKEN_MAX;
	for (unsigned i = 0; i < s->count; i++)
		taken |= s->taken[i].device == about.st_dev && s->taken[i].inode == about.st_ino;
	if (!taken)
		add_module_file(s, path, fd, &about);
	close(fd);
}

/*
 * Try the debug file in the system's build-ID tree, and the files that the program's .gnu_debuglink
 * refers to.
 */
static void try_debug_files(struct search *s)
{
	static const char *const places[][2] = { { "", "/" },
		                                 { "", "/.debug/" },
		                                 { SYSTEM_DEBUG_DIRECTORY, "/" } };
	const char *link = cairn_files_link(s->files);
	char path[SYMBOL_PATH_MAX];

	s->named = true;
	if (build_id_path(path, sizeof(path), SYSTEM_DEBUG_DIRECTORY,
	                  strlen(SYSTEM_DEBUG_DIRECTORY), s->module->build_id, "debug"))
		try_module_file(s, path);
	const char *slash = strrchr(s->program, '/');
	for (unsigned i = 0; slash && link[0] && !strchr(link, '/') && i < 3; i++) {
		const int length =
			snprintf(path, sizeof(path), "%s%.*s%s%s", places[i][0],
		                 (int)(slash - s->program), s->program, places[i][1], link);
		if (length > 0 && (size_t)length < sizeof(path))
			try_module_file(s, path);
	}
}

void cairn_files_find(struct cairn_files *files, const struct cairn_module *module)
{
	struct search *s = calloc(1, sizeof(*s));

	if (!s)
		return;
	*s = (struct search){ .module = module, .files = files };
	struct visitor v = { .visit = try_module_file, .context = s, .low = module->low };
	if (module->name && module->name[0] == '/')
		try_module_file(s, module->name);
	each_descriptor(&v, visit_open);
	each_descriptor(&v, visit_traced);
	visit_mappings(&v, "/proc/self/maps", "", NULL);
	try_debug_files(s);
	free(s);
}

enum { SFRAME_FILE_ID_MAX = 64 };

struct sframe_search {
	struct cairn_space *space;
	uint64_t pc;
	char *path;
	size_t size;
	bool found;
};

/* Add the file to the space, which copies it, so that later changes to the file do not matter. */
static void try_sframe_file(struct sframe_search *s, const char *path)
{
	struct cairn_fault fault;
	struct os_file file;

	if (s->found || os_file_open_regular(path, &file) != 0)
		return;
	s->found = cairn_space_give_sframe(s->space, s->pc, file.bytes, &fault) == CAIRN_OK;
	if (s->found)
		snprintf(s->path, s->size, "%s", path);
	os_file_close(&file);
}

static void try_sframe_beside(void *context, const char *binary)
{
	char path[SYMBOL_PATH_MAX + sizeof(".sframe")];

	if (binary[0] != '/' || strlen(binary) >= SYMBOL_PATH_MAX)
		return;
	snprintf(path, sizeof(path), "%s.sframe", binary);
	try_sframe_file(context, path);
}

enum cairn_status cairn_sframe_file_find(struct cairn_space *space, uint64_t pc,
                                         const struct cairn_sframe_search *search, char *path,
                                         size_t size)
{
	struct sframe_search s = { .space = space, .pc = pc, .path = path, .size = size };
	struct visitor v = { .visit = try_sframe_beside, .context = &s };
	const char *binary = search ? search->binary : NULL;
	const bool is_whole = search && search->size >= sizeof(*search);
	char name[SYMBOL_PATH_MAX] = "/";
	uint8_t id[SFRAME_FILE_ID_MAX];
	struct cairn_module module;

	if (cairn_space_module(space, pc, &module) != CAIRN_OK || module.build_id.size > sizeof(id))
		return CAIRN_NOT_FOUND;
	/* copy the build ID, because the module's pointers are valid only until the next call */
	v.low = module.low;
	if (module.build_id.size > 0)
		memcpy(id, module.build_id.data, module.build_id.size);
	if (binary || (module.name && module.name[0] == '/'))
		snprintf(name, sizeof(name), "%s", binary ? binary : module.name);
	struct symbol_path places =
		symbol_path(name, (struct cairn_bytes){ id, module.build_id.size },
	                    search ? search->directories : NULL, "sframe");
	places.no_system = is_whole && search->skip & CAIRN_SKIP_SYSTEM;
	places.no_cache = is_whole && search->skip & CAIRN_SKIP_CACHE;
	while (!s.found && symbol_path_next(&places))
		try_sframe_file(&s, places.path);
	if (!binary && !s.found) {
		each_descriptor(&v, visit_traced);
		each_descriptor(&v, visit_open);
	}
	return s.found ? CAIRN_OK : CAIRN_NOT_FOUND;
}

static enum cairn_status check_sframe_file(struct cairn_bytes bytes, struct cairn_fault *fault)
{
	struct elf_section section;
	struct elf elf;
	enum cairn_status status = elf_open(bytes, &elf, fault);

	if (status != CAIRN_OK || elf_find_section(&elf, ".sframe", &section))
		return status;
	return fault_set(fault, CAIRN_NOT_FOUND, "no .sframe in the file");
}

bool cairn_sframe_file_belongs(const char *path, struct cairn_bytes build_id)
{
	struct cairn_fault fault;
	struct os_file file;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	const bool belongs = check_sframe_file(file.bytes, &fault) == CAIRN_OK &&
	                     elf_is_of_build(file.bytes, build_id);
	os_file_close(&file);
	return belongs;
}

enum cairn_status cairn_sframe_file_locate(const char *binary, struct cairn_bytes build_id,
                                           const char *directories, char *path, size_t size)
{
	struct symbol_path places = symbol_path(binary, build_id, directories, "sframe");

	while (symbol_path_next(&places))
		if (cairn_sframe_file_belongs(places.path, build_id)) {
			snprintf(path, size, "%s", places.path);
			return CAIRN_OK;
		}
	return CAIRN_NOT_FOUND;
}

enum cairn_status cairn_sframe_file_add(struct cairn_space *space, const char *path,
                                        size_t *modules, struct cairn_fault *fault)
{
	struct cairn_module module;
	struct cairn_fault ignored;
	struct os_file file;
	size_t at = 0;

	*modules = 0;
	if (os_file_open_regular(path, &file) != 0)
		return fault_set(fault, CAIRN_UNREADABLE, "cannot be read");
	const enum cairn_status status = check_sframe_file(file.bytes, fault);
	while (status == CAIRN_OK && cairn_space_next_module(space, &at, &module)) {
		if (module.build_id.size == 0 || !elf_is_of_build(file.bytes, module.build_id))
			continue;
		const enum cairn_status given =
			cairn_space_give_sframe(space, module.low, file.bytes, &ignored);
		*modules += given == CAIRN_OK || given == CAIRN_NOT_FOUND;
	}
	os_file_close(&file);
	return status;
}
