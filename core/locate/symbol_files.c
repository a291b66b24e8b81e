/* SPDX-License-Identifier: MIT */
/*
 * Lists candidates for symbol files. Searches directories for GSYM files, and caches the build IDs
 * of these files.
 */
#define _DEFAULT_SOURCE /* for d_type */
#include "symbol_files.h"

#include "base/memory.h"
#include "base/path.h"
#include "formats/gsym/gsym.h"
#include "os/file.h"
#include "os/symbol_path.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DIRECTORIES = 16,
	ENTRIES = 1 << 16,
	NAME_CAPACITY = 256,
	/* number of bytes to read from the start of a file, which contain its header */
	HEAD = 4096,
	EXTENSION_SIZE = 5,
};

struct directory_file {
	char name[NAME_CAPACITY];
	bool is_named; /* the name ends in .gsym; such names sort first */
	uint8_t id[BUILD_ID_MAX];
	size_t id_size; /* size of `id`; 0 if the file is not a GSYM file or has no build ID */
};

struct directory {
	bool is_used;
	/* device, inode and modification time identify the directory's contents */
	struct stat about;
	struct directory_file file[SYMBOL_FILES_DIRECTORY];
	size_t count;
};

/* Cache of recently read directories, whose entries are replaced in round-robin order. */
static struct {
	pthread_mutex_t lock;
	struct directory directory[DIRECTORIES];
	size_t next;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

/*
 * Insert a name in sorted order. When the list is full, drop the last name, because readdir()
 * returns entries in no particular order.
 */
static void add_name(struct directory *directory, const char *name)
{
	const size_t size = strlen(name);
	const bool is_named =
		size >= EXTENSION_SIZE && strcmp(name + size - EXTENSION_SIZE, ".gsym") == 0;
	size_t at = directory->count;

	for (; at > 0; at--) {
		const struct directory_file *before = &directory->file[at - 1];
		if (before->is_named == is_named ? strcmp(before->name, name) <= 0
		                                 : before->is_named)
			break;
	}
	if (at == SYMBOL_FILES_DIRECTORY)
		return;
	if (directory->count < SYMBOL_FILES_DIRECTORY)
		directory->count++;
	memmove(&directory->file[at + 1], &directory->file[at],
	        (directory->count - 1 - at) * sizeof(*directory->file));
	snprintf(directory->file[at].name, NAME_CAPACITY, "%s", name);
	directory->file[at].is_named = is_named;
	directory->file[at].id_size = 0;
}

static void read_file_id(const char *path, struct directory_file *file)
{
	const int fd = cairn_regular_file_open(path);
	struct cairn_range place;
	uint8_t head[HEAD];

	if (fd < 0)
		return;
	const ssize_t size = pread(fd, head, sizeof(head), 0);
	if (size > 0 && gsym_find_uuid((struct cairn_bytes){ head, (size_t)size }, &place)) {
		const uint64_t length = place.high - place.low;
		if (length <= sizeof(file->id) && place.low <= INT64_MAX &&
		    pread(fd, file->id, (size_t)length, (off_t)place.low) == (ssize_t)length)
			file->id_size = (size_t)length;
	}
	close(fd);
}

static void read_directory(const char *path, struct directory *directory)
{
	DIR *entries = opendir(path);
	const struct dirent *entry;
	char name[SYMBOL_PATH_MAX];

	/* accept DT_UNKNOWN, because some file systems do not report the type of an entry */
	for (size_t i = 0; entries && i < ENTRIES && (entry = readdir(entries)); i++)
		if ((entry->d_type == DT_REG || entry->d_type == DT_LNK ||
		     entry->d_type == DT_UNKNOWN) &&
		    strlen(entry->d_name) < NAME_CAPACITY)
			add_name(directory, entry->d_name);
	if (entries)
		closedir(entries);
	for (size_t i = 0; i < directory->count; i++)
		if (snprintf(name, sizeof(name), "%s/%s", path, directory->file[i].name) <
		    SYMBOL_PATH_MAX)
			read_file_id(name, &directory->file[i]);
}

/*
 * Return the directory from the cache, reading it if necessary. Return NULL if `path` is not a
 * directory.
 */
static const struct directory *find_directory(const char *path)
{
	struct stat about;

	if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
		return NULL;
	for (size_t i = 0; i < DIRECTORIES; i++) {
		const struct stat *known = &kept.directory[i].about;
		if (kept.directory[i].is_used && known->st_dev == about.st_dev &&
		    known->st_ino == about.st_ino &&
		    known->st_mtim.tv_sec == about.st_mtim.tv_sec &&
		    known->st_mtim.tv_nsec == about.st_mtim.tv_nsec)
			return &kept.directory[i];
	}
	struct directory *directory = &kept.directory[kept.next];
	kept.next = (kept.next + 1) % DIRECTORIES;
	directory->is_used = true;
	directory->count = 0;
	directory->about = about;
	read_directory(path, directory);
	return directory;
}

/*
 * Find the next file with this build ID in the current directory, and append its name to
 * files->name.
 */
static bool next_in_directory(struct symbol_files *files)
{
	const struct directory *directory = find_directory(files->name);

	for (; directory && files->at < directory->count; files->at++) {
		const struct directory_file *file = &directory->file[files->at];
		if (file->id_size == 0 || file->id_size != files->build_id.size ||
		    memcmp(file->id, files->build_id.data, file->id_size) != 0)
			continue;
		files->at++;
		const size_t capacity = sizeof(files->name) - files->length;
		return (size_t)snprintf(files->name + files->length, capacity, "/%s", file->name) <
		       capacity;
	}
	return false;
}

/*
 * Enter the next directory, beginning with the binary's. Sets files->length to 0 to skip a
 * directory whose name is too long. Returns false after the last directory.
 */
static bool enter_directory(struct symbol_files *files)
{
	const char *slash = strrchr(files->binary, '/');
	struct cairn_bytes directory = { (const uint8_t *)".", files->binary[0] ? 1 : 0 };

	if (files->is_entered) {
		if (!directory_list_next(&files->rest, &directory))
			return false;
	} else if (slash) {
		directory = (struct cairn_bytes){ (const uint8_t *)files->binary,
			                          slash == files->binary
			                                  ? 1
			                                  : (size_t)(slash - files->binary) };
	}
	files->is_entered = true;
	files->at = 0;
	files->length = directory.size < sizeof(files->name) ? directory.size : 0;
	memcpy(files->name, directory.data, files->length);
	return true;
}

static bool next_in_directories(struct symbol_files *files)
{
	bool found = false;

	if (files->build_id.size == 0)
		return false;
	do {
		files->name[files->length] = '\0';
		pthread_mutex_lock(&kept.lock);
		found = files->length > 0 && next_in_directory(files);
		pthread_mutex_unlock(&kept.lock);
	} while (!found && enter_directory(files));
	files->path = files->name;
	return found;
}

/* Symbfiles do not record a build ID, so search for them only at paths that prove their build. */
const struct symbol_files_step symbol_files_all[] = {
	{ SYMBOL_FILES_SECTION, ".gsym" }, { SYMBOL_FILES_NAMED, "gsym" },
	{ SYMBOL_FILES_NAMED, "sym" },     { SYMBOL_FILES_BY_ID, "symbfile" },
	{ SYMBOL_FILES_BY_ID, "ranges" },  { SYMBOL_FILES_BY_BYTES, "symbfile" },
	{ SYMBOL_FILES_GO, ".gopclntab" }, { SYMBOL_FILES_DIRECTORIES, NULL },
	{ SYMBOL_FILES_END, NULL },
};

const struct symbol_files_step symbol_files_nameless[] = {
	{ SYMBOL_FILES_SECTION, ".gsym" },
	{ SYMBOL_FILES_GO, ".gopclntab" },
	{ SYMBOL_FILES_END, NULL },
};

/*
 * Return true if the program contains the section `name`, and the build IDs of the program and the
 * module have the same size.
 */
static bool program_has(struct symbol_files *files, const char *name)
{
	struct elf_section section;

	return files->is_program && elf_find_section(&files->elf, name, &section);
}

static void look_at_program(struct symbol_files *files)
{
	files->has_looked = true;
	if (files->program.size == 0 && os_sparse_open(files->binary, &files->opened) == 0)
		files->program = files->opened.bytes;
	files->is_program = files->program.size > 0 && elf_opens(files->program, &files->elf) &&
	                    elf_build_id(&files->elf).size == files->build_id.size;
}

/*
 * Begin a step of the search order that tries many paths. Returns false if the step does not apply.
 */
static bool begin_paths(struct symbol_files *files, const struct symbol_files_step *step)
{
	struct cairn_bytes id = files->build_id;

	if (step->place == SYMBOL_FILES_BY_BYTES) {
		if ((files->no_cache && !files->directories) || id.size == 0 ||
		    files->program.size == 0 || !elf_is_of_build(files->program, id))
			return false;
		files->by_bytes = fileid_of(files->program);
		id = (struct cairn_bytes){ files->by_bytes.bytes, FILEID_SIZE };
	}
	files->paths = (step->place == SYMBOL_FILES_NAMED ? symbol_path : symbol_path_by_id)(
		files->binary, id, files->directories, step->extension);
	files->paths.no_cache = files->no_cache;
	files->paths.no_system = files->no_system;
	return true;
}

bool symbol_files_next(struct symbol_files *files)
{
	for (; files->order->place != SYMBOL_FILES_END; files->order++, files->is_begun = false) {
		const struct symbol_files_step *step = files->order;
		const bool is_first = !files->is_begun;
		files->is_begun = true;
		switch (step->place) {
		case SYMBOL_FILES_END:
			break;
		case SYMBOL_FILES_SECTION:
		case SYMBOL_FILES_GO:
			if (!files->has_looked)
				look_at_program(files);
			files->path = files->binary;
			files->kind = step->place == SYMBOL_FILES_GO ? SYMBOL_FILES_GO_TABLE
			                                             : SYMBOL_FILES_TELL_BUILD;
			/* the Go linker uses two names for this section */
			if (is_first && (program_has(files, step->extension) ||
			                 (step->place == SYMBOL_FILES_GO &&
			                  program_has(files, ".data.rel.ro.gopclntab"))))
				return true;
			break;
		case SYMBOL_FILES_NAMED:
		case SYMBOL_FILES_BY_ID:
		case SYMBOL_FILES_BY_BYTES:
			if (is_first && !begin_paths(files, step))
				break;
			files->path = files->paths.path;
			files->kind = step->place == SYMBOL_FILES_NAMED ? SYMBOL_FILES_TELL_BUILD
			                                                : SYMBOL_FILES_ANY_BUILD;
			if (symbol_path_next(&files->paths))
				return true;
			break;
		case SYMBOL_FILES_DIRECTORIES:
			if (is_first)
				files->rest = files->directories;
			files->kind = SYMBOL_FILES_TELL_BUILD;
			if (next_in_directories(files))
				return true;
			break;
		}
	}
	return false;
}

void symbol_files_finish(struct symbol_files *files)
{
	if (files->opened.bytes.size > 0)
		os_sparse_close(&files->opened);
}

struct paths {
	char **path;
	size_t count, capacity;
};

static bool add_path(struct paths *paths, const char *directory, const char *name)
{
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path = malloc(size);

	if (!path ||
	    !array_grow(&paths->path, &paths->capacity, paths->count + 1, sizeof(char *))) {
		free(path);
		return false;
	}
	snprintf(path, size, "%s/%s", directory, name);
	paths->path[paths->count++] = path;
	return true;
}

static void report_unreadable(struct tree_files *files, const char *path, int error)
{
	files->unreadable_count++;
	files->unreadable(path, error);
}

static bool list_directory(struct tree_files *files, const char *directory, struct paths *found)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	bool enough = true;

	if (!entries) {
		report_unreadable(files, directory, errno);
		return true;
	}
	while (enough && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			enough = add_path(found, directory, entry->d_name);
	closedir(entries);
	return enough;
}

static bool add_file(struct tree_files *files, const char *path, const struct elf *elf)
{
	const struct cairn_bytes id = elf_build_id(elf);
	struct tree_file file = { .quality = files->rate(elf) };

	if (id.size == 0 || id.size > TREE_BUILD_ID_MAX) {
		files->unnamed++;
		return true;
	}
	file.size = (uint8_t)id.size;
	memcpy(file.build_id, id.data, id.size);
	file.path = strdup(path);
	if (file.path && ARRAY_APPEND(files->file, files->count, files->capacity, file))
		return true;
	free(file.path);
	return false;
}

/*
 * Examine a path. Does not follow symbolic links, because their targets are either in the tree as
 * well or not wanted.
 */
static bool look_at(struct tree_files *files, const char *path, struct paths *paths)
{
	struct os_file file;
	struct stat about;
	struct elf elf;

	if (lstat(path, &about) != 0) {
		report_unreadable(files, path, errno);
		return true;
	}
	if (S_ISDIR(about.st_mode))
		return list_directory(files, path, paths);
	if (!S_ISREG(about.st_mode))
		return true;
	files->seen++;
	const int error = os_file_open_regular(path, &file);
	if (error != 0) {
		report_unreadable(files, path, error);
		return true;
	}
	const bool enough = !elf_opens(file.bytes, &elf) || elf.type == ELF_TYPE_CORE ||
	                    add_file(files, path, &elf);
	os_file_close(&file);
	return enough;
}

static int compare_build_ids(const struct tree_file *a, const struct tree_file *b)
{
	return a->size != b->size ? a->size - b->size : memcmp(a->build_id, b->build_id, a->size);
}

static int sort_by_build_id(const void *left, const void *right)
{
	const struct tree_file *a = left, *b = right;
	int order = compare_build_ids(a, b);

	order = order ? order : b->quality - a->quality;
	return order ? order : strcmp(a->path, b->path);
}

static int sort_by_path(const void *left, const void *right)
{
	const struct tree_file *a = left, *b = right;

	return strcmp(a->path, b->path);
}

bool tree_files_find(struct tree_files *files, const char *directory)
{
	struct paths paths = { NULL, 0, 0 };
	bool enough = list_directory(files, directory, &paths);
	size_t count = 0;

	while (enough && paths.count > 0) {
		char *path = paths.path[--paths.count];
		enough = look_at(files, path, &paths);
		free(path);
	}
	while (paths.count > 0)
		free(paths.path[--paths.count]);
	free(paths.path);
	if (files->count > 1)
		qsort(files->file, files->count, sizeof(*files->file), sort_by_build_id);
	for (size_t i = 0; i < files->count; i++) {
		if (count && compare_build_ids(&files->file[count - 1], &files->file[i]) == 0)
			free(files->file[i].path);
		else
			files->file[count++] = files->file[i];
	}
	files->count = count;
	if (count > 1)
		qsort(files->file, count, sizeof(*files->file), sort_by_path);
	return enough;
}

void tree_files_free(struct tree_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->file[i].path);
	free(files->file);
}
