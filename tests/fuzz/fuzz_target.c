/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the target of a request, which an HTTP library gives as text, up to the first NUL.  Always:
 *   - the path is the end of the text, or "/" where a URL has none;
 *   - only a whole URL has a host; the host has no slash, and stands between the scheme and the path;
 *   - a path that begins with a slash is not split again.
 */
#include "fuzz.h"

#include "server/protocol/target.h"

#include <stdlib.h>
#include <string.h>

static void check_host(const char *text, const struct request_target *target)
{
	const char *host = strstr(text, "//");

	ALWAYS(host && memchr(target->host, 0, sizeof(target->host)) && !strchr(target->host, '/'));
	ALWAYS(strncmp(host + 2, target->host, strlen(target->host)) == 0);
}

static void check_path(const char *text, const struct request_target *target)
{
	const size_t size = strlen(text), path = strlen(target->path);

	if (path <= size && target->path == text + (size - path))
		return;
	ALWAYS(target->is_absolute && strcmp(target->path, "/") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = 0;
	const struct request_target target = target_split(text);
	check_path(text, &target);
	if (target.is_absolute)
		check_host(text, &target);
	else
		ALWAYS(target.path == text && target.host[0] == 0);
	if (target.path[0] == '/')
		ALWAYS(target_split(target.path).path == target.path);
	free(text);
	return 0;
}
