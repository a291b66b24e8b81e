/* SPDX-License-Identifier: MIT */
/* Checks /proc/self/fd for an auto-load script that GDB has open. */
#include "autoload.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static bool is_script(int directory, const char *name)
{
	static const char *const ends[] = { "-gdb.gdb", "-gdb.py", "-gdb.scm" };
	char path[PATH_MAX];
	const ssize_t size = readlinkat(directory, name, path, sizeof(path));

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const ssize_t length = (ssize_t)strlen(ends[i]);
		if (size >= length && memcmp(path + size - length, ends[i], (size_t)length) == 0)
			return true;
	}
	return false;
}

bool autoload_is_running(void)
{
	DIR *all = opendir("/proc/self/fd");
	bool running = false;

	if (!all)
		return false;
	for (const struct dirent *one; !running && (one = readdir(all)) != NULL;)
		running = is_script(dirfd(all), one->d_name);
	closedir(all);
	return running;
}
