/* SPDX-License-Identifier: MIT */
/* Removes temporary files of killed processes. */
#include "stale_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool has_form(const char *name, const char *prefix)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 && name[length] != '\0' &&
	       name[length + strspn(name + length, letters)] == '\0';
}

static bool is_leftover(int folder, const char *name)
{
	struct stat about;

	return fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) &&
	       about.st_uid == geteuid() &&
	       difftime(time(NULL), about.st_mtime) > (double)OS_STALE_FILE_SECONDS;
}

void os_remove_stale_files(const char *folder, const char *prefix)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)) != NULL)
		if (has_form(entry->d_name, prefix) && is_leftover(dirfd(entries), entry->d_name))
			unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
}
