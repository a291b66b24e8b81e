/* SPDX-License-Identifier: MIT */
/*
 * The target of a request, which is a path, or in the absolute form a whole URL: clients that were told of a proxy send that, and a
 * server has to accept it (RFC 9112, 3.2.2). Then the host in it counts, and the header Host does not.
 *
 *	struct request_target target = target_split("http://symbols.example:8250/health");
 *	... target.path is "/health", target.host "symbols.example:8250"
 */
#ifndef CAIRN_SERVER_PROTOCOL_TARGET_H
#define CAIRN_SERVER_PROTOCOL_TARGET_H

#include <stdbool.h>

enum { TARGET_HOST_MAX = 256 }; /* names of the DNS have 253 bytes, without the port */

struct request_target {
	const char *path; /* in the text that was given, or a constant */
	bool is_absolute;
	char host
		[TARGET_HOST_MAX]; /* with the port and NUL; empty: none, or one that is too long */
};

/* The library has taken off what is behind a question mark. */
struct request_target target_split(const char *text);

#endif
