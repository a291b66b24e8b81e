/* SPDX-License-Identifier: MIT */
/* Splits a request target into host and path. */
#include "target.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static size_t measure_scheme(const char *text)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncasecmp(text, schemes[i], strlen(schemes[i])) == 0)
			return strlen(schemes[i]);
	return 0;
}

struct request_target target_split(const char *text)
{
	struct request_target target = { .path = text };
	const size_t scheme = measure_scheme(text);
	const char *host = text + scheme;
	const size_t size = strcspn(host, "/");

	if (scheme == 0)
		return target;
	target.is_absolute = true;
	target.path = host[size] ? host + size : "/";
	if (size < TARGET_HOST_MAX)
		memcpy(target.host, host, size);
	return target;
}
