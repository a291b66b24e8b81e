/* SPDX-License-Identifier: MIT */
/*
 * Parses a request target: a path or, in absolute form, a complete URL. Clients that use a proxy
 * send the absolute form, and every server must accept it (RFC 9112, 3.2.2). The host in the URL
 * then replaces the Host header.
 *
 *	struct request_target target = target_split("http://symbols.example:8250/health");
 *	... target.path is "/health", target.host "symbols.example:8250"
 */
#ifndef CAIRN_SERVER_PROTOCOL_TARGET_H
#define CAIRN_SERVER_PROTOCOL_TARGET_H

#include <stdbool.h>

enum { TARGET_HOST_MAX = 256 }; /* DNS names have at most 253 bytes, without the port */

struct request_target {
	const char *path; /* points into the input or to a string constant */
	bool is_absolute;
	/* host with its port, NUL-terminated; empty if absent or too long */
	char host[TARGET_HOST_MAX];
};

/* Split a target. The HTTP library has already removed the query. */
struct request_target target_split(const char *text);

#endif
