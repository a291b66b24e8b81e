/* SPDX-License-Identifier: MIT */
/* Reads folders for GSYM files, and keeps which build each of these is of. */
#define _DEFAULT_SOURCE /* d_type */
#include "symbol_folder.h"

#include "build_id_path.h"
#include "formats/gsym/gsym.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FOLDERS = 16,       /* that are kept */
	ENTRIES = 1 << 16,  /* of a folder that are looked at */
	NAME_ROOM = 256,    /* with the NUL */
	HEAD = 4096,        /* bytes of a file in which its header is */
	EXTENSION_SIZE = 5, /* ".gsym" */
};

struct folder_file {
	char name[NAME_ROOM];
	bool is_named; /* its name ends in .gsym: such come first */
	uint8_t id[BUILD_ID_MAX];
	size_t id_size; /* 0: not a GSYM file, or it names no build */
};

struct folder {
	bool is_used;
	struct stat about; /* as it was read: device, inode, when it changed */
	struct folder_file file[SYMBOL_FOLDER_FILES];
	size_t count;
};

/* What was read, for all of the process; a place is taken in turn. */
static struct {
	pthread_mutex_t lock;
	struct folder folder[FOLDERS];
	size_t next;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct symbol_folder_search symbol_folder_search(const char *binary, struct cairn_bytes build_id,
                                                 const char *directories)
{
	return (struct symbol_folder_search){ .binary = binary,
		                              .build_id = build_id,
		                              .directories = directories };
}

static bool comes_before(const struct folder_file *file, bool is_named, const char *name)
{
	return file->is_named == is_named ? strcmp(file->name, name) <= 0 : file->is_named;
}

/* Keeps the names that come first, sorted; a folder does not list them in an order. */
static void add_name(struct folder *folder, const char *name)
{
	const size_t size = strlen(name);
	const bool is_named =
		size >= EXTENSION_SIZE && strcmp(name + size - EXTENSION_SIZE, ".gsym") == 0;
	size_t at = folder->count;

	while (at > 0 && !comes_before(&folder->file[at - 1], is_named, name))
		at--;
	if (at == SYMBOL_FOLDER_FILES)
		return;
	if (folder->count < SYMBOL_FOLDER_FILES)
		folder->count++;
	memmove(&folder->file[at + 1], &folder->file[at],
	        (folder->count - 1 - at) * sizeof(*folder->file));
	snprintf(folder->file[at].name, NAME_ROOM, "%s", name);
	folder->file[at].is_named = is_named;
	folder->file[at].id_size = 0;
}

/* May it be a regular file?  Not every file system says so here. */
static bool is_file_entry(const struct dirent *entry)
{
	return (entry->d_type == DT_REG || entry->d_type == DT_LNK ||
	        entry->d_type == DT_UNKNOWN) &&
	       strlen(entry->d_name) < NAME_ROOM;
}

static void read_names(const char *path, struct folder *folder)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	for (size_t i = 0; directory && i < ENTRIES && (entry = readdir(directory)); i++)
		if (is_file_entry(entry))
			add_name(folder, entry->d_name);
	if (directory)
		closedir(directory);
}

static void read_file_id(int fd, struct folder_file *file)
{
	uint8_t head[HEAD];
	const ssize_t size = pread(fd, head, sizeof(head), 0);
	struct cairn_range place;

	if (size <= 0 || !gsym_find_uuid((struct cairn_bytes){ head, (size_t)size }, &place))
		return;
	const uint64_t length = place.high - place.low;
	if (length > sizeof(file->id) || place.low > INT64_MAX)
		return;
	if (pread(fd, file->id, (size_t)length, (off_t)place.low) == (ssize_t)length)
		file->id_size = (size_t)length;
}

static void read_files(const char *path, struct folder *folder)
{
	char name[SYMBOL_PATH_MAX];

	for (size_t i = 0; i < folder->count; i++) {
		const int size = snprintf(name, sizeof(name), "%s/%s", path, folder->file[i].name);
		const int fd = size < SYMBOL_PATH_MAX ? cairn_regular_file_open(name) : -1;
		if (fd < 0)
			continue;
		read_file_id(fd, &folder->file[i]);
		close(fd);
	}
}

static bool is_unchanged(const struct folder *folder, const struct stat *about)
{
	return folder->about.st_dev == about->st_dev && folder->about.st_ino == about->st_ino &&
	       folder->about.st_mtim.tv_sec == about->st_mtim.tv_sec &&
	       folder->about.st_mtim.tv_nsec == about->st_mtim.tv_nsec;
}

/* The folder, read now or before; NULL: it is none. */
static const struct folder *find_folder(const char *path)
{
	struct stat about;

	if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
		return NULL;
	for (size_t i = 0; i < FOLDERS; i++)
		if (kept.folder[i].is_used && is_unchanged(&kept.folder[i], &about))
			return &kept.folder[i];
	struct folder *folder = &kept.folder[kept.next];
	kept.next = (kept.next + 1) % FOLDERS;
	folder->is_used = true;
	folder->count = 0;
	folder->about = about;
	read_names(path, folder);
	read_files(path, folder);
	return folder;
}

/* The next file of this folder that is of the build; writes its name behind that of the folder. */
static bool find_in_folder(struct symbol_folder_search *search)
{
	const struct folder *folder = find_folder(search->path);

	for (; folder && search->at < folder->count; search->at++) {
		const struct folder_file *file = &folder->file[search->at];
		if (file->id_size == 0 || file->id_size != search->build_id.size ||
		    memcmp(file->id, search->build_id.data, file->id_size) != 0)
			continue;
		search->at++;
		const size_t room = sizeof(search->path) - search->folder;
		return (size_t)snprintf(search->path + search->folder, room, "/%s", file->name) <
		       room;
	}
	return false;
}

/* Begins with a folder of `length` bytes; one whose name is too long, or empty, is passed over. */
static void enter_folder(struct symbol_folder_search *search, const char *name, size_t length)
{
	search->at = 0;
	search->folder = length < sizeof(search->path) ? length : 0;
	memcpy(search->path, name, search->folder);
	search->path[search->folder] = '\0';
}

static void enter_binary_folder(struct symbol_folder_search *search)
{
	const char *slash = strrchr(search->binary, '/');

	if (slash)
		enter_folder(search, search->binary,
		             slash == search->binary ? 1 : (size_t)(slash - search->binary));
	else
		enter_folder(search, ".", search->binary[0] ? 1 : 0);
}

/* False: there are no more. */
static bool enter_next_folder(struct symbol_folder_search *search)
{
	const char *name = search->directories;

	if (!search->is_begun) {
		search->is_begun = true;
		enter_binary_folder(search);
		return true;
	}
	if (!name || !*name)
		return false;
	const size_t length = strcspn(name, ":");
	search->directories += length + (name[length] == ':');
	enter_folder(search, name, length);
	return true;
}

bool symbol_folder_next(struct symbol_folder_search *search)
{
	bool found = false;

	if (search->build_id.size == 0)
		return false;
	do {
		search->path[search->folder] = '\0';
		pthread_mutex_lock(&kept.lock);
		found = search->folder > 0 && find_in_folder(search);
		pthread_mutex_unlock(&kept.lock);
	} while (!found && enter_next_folder(search));
	return found;
}
