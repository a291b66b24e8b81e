/* SPDX-License-Identifier: MIT */
/* Finds the cache directory, lists its files by extension and removes them. */
#include "cache.h"

#include "base/encoding.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_LEAST = 4, ID_MAX = 64 }; /* bytes */

bool os_cache_path(const char *folder, struct cairn_bytes id, const char *extension,
                   char path[OS_CACHE_PATH])
{
	char hex[2 * ID_MAX + 1];

	if (id.size < ID_LEAST || id.size > ID_MAX)
		return false;
	hex_encode(id, hex);
	int size = snprintf(path, OS_CACHE_PATH, "%s/%s.%s", folder, hex, extension);
	return size > 0 && size < OS_CACHE_PATH;
}

static bool is_ours(const char *name, const char *extension)
{
	size_t digits = strspn(name, "0123456789abcdef");

	return digits >= 2 * (size_t)ID_LEAST && name[digits] == '.' &&
	       strcmp(name + digits + 1, extension) == 0;
}

static bool stat_cache_file(const char *folder, const char *name, struct os_cache_file *file)
{
	char path[OS_CACHE_PATH];
	struct stat about;
	int size = snprintf(path, sizeof(path), "%s/%s", folder, name);

	if (size < 0 || size >= OS_CACHE_PATH || lstat(path, &about) != 0 ||
	    !S_ISREG(about.st_mode))
		return false;
	*file = (struct os_cache_file){ name, (uint64_t)about.st_size, about.st_mtime };
	return true;
}

bool os_cache_for_each(const char *folder, const char *extension,
                       bool (*each)(void *context, const struct os_cache_file *file), void *context)
{
	DIR *directory = opendir(folder);
	struct os_cache_file file;
	struct dirent *entry;
	bool good = true;

	if (!directory)
		return errno == ENOENT;
	while (good && (entry = readdir(directory)) != NULL)
		if (is_ours(entry->d_name, extension) &&
		    stat_cache_file(folder, entry->d_name, &file))
			good = each(context, &file);
	closedir(directory);
	return good;
}

int os_cache_remove(const char *folder, const char *name)
{
	char path[OS_CACHE_PATH];
	int size = snprintf(path, sizeof(path), "%s/%s", folder, name);

	if (size < 0 || size >= OS_CACHE_PATH)
		return ENAMETOOLONG;
	return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}
