/* SPDX-License-Identifier: MIT */
/*
 * Finds other files of cairn: in the build directory if the program runs there, otherwise where
 * they are installed.
 */
#define _XOPEN_SOURCE 700 /* readlink() */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool join_path(const char *folder, const char *rest, char path[OWN_FILE_PATH])
{
	int size = rest[0] == '/' ? snprintf(path, OWN_FILE_PATH, "%s", rest)
	                          : snprintf(path, OWN_FILE_PATH, "%s/%s", folder, rest);

	return size > 0 && size < OWN_FILE_PATH;
}

/* Remove the suffix `end` from the path. Return false if the path does not have it. */
static bool cut_end(char *path, const char *end)
{
	size_t size = strlen(path), cut = strlen(end);

	if (size <= cut || strcmp(path + size - cut, end) != 0)
		return false;
	path[size - cut] = '\0';
	return true;
}

bool own_file_path(const char *installed, const char *built, char path[OWN_FILE_PATH])
{
	char own[OWN_FILE_PATH];
	ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (size <= 0)
		return false;
	own[size] = '\0';
	if (cut_end(own, "/core/cli/cairn") || cut_end(own, "/core/cli/cairn-net"))
		return join_path(own, built, path);
	if (!cut_end(own, "/" CAIRN_BINDIR "/cairn") &&
	    !cut_end(own, "/" CAIRN_LIBEXECDIR "/cairn/cairn-net"))
		snprintf(own, sizeof(own), "%s", CAIRN_PREFIX);
	return join_path(own, installed, path);
}
