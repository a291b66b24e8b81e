/* SPDX-License-Identifier: MIT */
/* Makes file names absolute, relative to the current directory or to HOME. */
#include "path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIRECTORY_MAX = 4096 };

void path_add_absolute(struct text *text, const char *name, size_t size)
{
	char here[DIRECTORY_MAX];
	const char *home = getenv("HOME");

	if (size >= 2 && memcmp(name, "~/", 2) == 0 && home) {
		text_add(text, home);
		name++;
		size--;
	} else if ((size == 0 || name[0] != '/') && getcwd(here, sizeof(here))) {
		text_add(text, here);
		text_add(text, strcmp(here, "/") == 0 ? "" : "/");
	}
	text_bytes(text, name, size);
}

bool path_is_plain(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/-._+@,=~%";

	return path[0] == '/' && path[strspn(path, plain)] == '\0';
}

const char *path_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool path_is_called(const char *path, const char *name)
{
	return strcmp(path, name) == 0 || strcmp(path_last_part(path), name) == 0;
}

void path_add_list(struct text *text, const char *list)
{
	while (*list) {
		size_t size = strcspn(list, ":");
		if (size > 0 && text->size > 0)
			text_add(text, ":");
		if (size > 0)
			path_add_absolute(text, list, size);
		list += size + (list[size] == ':');
	}
}
