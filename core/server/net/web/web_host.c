/* SPDX-License-Identifier: MIT */
/* Compares the Host header with the names of this machine. */
#define _GNU_SOURCE /* strncasecmp() */
#include "web_host.h"

#include <string.h>
#include <strings.h>

static size_t measure_name(const char *host)
{
	const char *end = host[0] == '[' ? strchr(host, ']') : NULL;

	if (host[0] == '[')
		return end ? (size_t)(end + 1 - host) : 0;
	return strcspn(host, ":");
}

static bool is_port(const char *text)
{
	return *text == '\0' || (*text == ':' && text[1 + strspn(text + 1, "0123456789")] == '\0');
}

static bool is_name(const char *host, size_t size, const char *name)
{
	return strlen(name) == size && strncasecmp(host, name, size) == 0;
}

/* Return true for 127.x.y.z in digits only; "127.evil.example" is rejected. */
static bool is_loopback_number(const char *host, size_t size)
{
	return size > 4 && strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") >= size;
}

bool web_host_is_allowed(const char *host, const char *const *names, size_t count)
{
	const size_t size = measure_name(host);

	if (size == 0 || !is_port(host + size))
		return false;
	if (is_name(host, size, "localhost") || is_name(host, size, "[::1]") ||
	    is_loopback_number(host, size))
		return true;
	for (size_t i = 0; i < count; i++)
		if (is_name(host, size, names[i]))
			return true;
	return false;
}
