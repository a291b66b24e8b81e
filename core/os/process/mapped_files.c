/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Opens files of /proc/PID/map_files, and files below the root directory of a process. */
#include "mapped_files.h"

#include "base/sort.h"
#include "os/file/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct collection {
	struct os_mapped_file *files;
	size_t count, descriptors, looks;
	/* The file examined last, because adjacent mappings mostly belong to one file. */
	dev_t device;
	ino_t inode;
	int fd; /* -1: not ELF */
};

static bool parse_range(const char *name, struct os_mapped_file *file)
{
	char *end;

	file->low = strtoull(name, &end, 16);
	if (end == name || *end != '-')
		return false;
	name = end + 1;
	file->high = strtoull(name, &end, 16);
	return end != name && *end == '\0' && file->low < file->high;
}

static bool begins_as_elf(int fd)
{
	static const char magic[] = { 0x7f, 'E', 'L', 'F' };
	char start[sizeof(magic)];

	return pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
	       memcmp(start, magic, sizeof(start)) == 0;
}

static int open_elf(int folder, const char *name)
{
	struct stat about;
	int fd;

	if (os_regular_open(folder, name, 0, &about, &fd) != 0)
		return -1;
	if (begins_as_elf(fd))
		return fd;
	close(fd);
	return -1;
}

static void take_entry(struct collection *all, int folder, const char *name)
{
	struct os_mapped_file file;
	struct stat about;

	if (!parse_range(name, &file) || fstatat(folder, name, &about, 0) != 0)
		return;
	all->looks++;
	if (about.st_dev != all->device || about.st_ino != all->inode) {
		all->device = about.st_dev;
		all->inode = about.st_ino;
		all->fd =
			all->descriptors < OS_MAPPED_DESCRIPTORS_MAX ? open_elf(folder, name) : -1;
		all->descriptors += all->fd >= 0;
	}
	file.fd = all->fd;
	if (file.fd >= 0)
		all->files[all->count++] = file;
}

size_t os_mapped_files(const struct os_process *process,
                       struct os_mapped_file files[OS_MAPPED_FILES_MAX])
{
	int fd = openat(process->folder, "map_files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct collection all = { .files = files, .fd = -1 };
	struct dirent *entry;

	if (!folder && fd >= 0)
		close(fd);
	while (folder && all.count < OS_MAPPED_FILES_MAX && all.looks < OS_MAPPED_LOOKS_MAX &&
	       (entry = readdir(folder)))
		take_entry(&all, fd, entry->d_name);
	if (folder)
		closedir(folder);
	SORT_BY_FIRST(files, all.count, low);
	return all.count;
}

int os_mapped_file_at(const struct os_mapped_file *files, size_t count, uint64_t address)
{
	const size_t next = SORTED_UP_TO(files, count, low, address);

	return next > 0 && address < files[next - 1].high ? files[next - 1].fd : -1;
}

int os_process_root(const struct os_process *process)
{
	return openat(process->folder, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int os_open_below(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	struct stat about;
	int handle = (int)syscall(SYS_openat2, root, path, &how, sizeof(how)), fd = -1;

	if (handle < 0)
		return -1;
	int error = os_regular_reopen(handle, &about, &fd);
	close(handle);
	return error ? -1 : fd;
}
