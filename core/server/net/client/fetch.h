/* SPDX-License-Identifier: MIT */
/*
 * Downloads the symbols of one executable from a server. The data is decompressed within a bound
 * and validated as a symbfile before the file gets its name, so an existing file is always valid.
 */
#ifndef CAIRN_SERVER_NET_CLIENT_FETCH_H
#define CAIRN_SERVER_NET_CLIENT_FETCH_H

#include "http.h"

#include "server/protocol/download.h"

#define FETCH_SIZE_MAX \
	((uint64_t)2 << 30) /* bytes of the decompressed file, unless an option sets another \
	                     */

struct fetch_result {
	enum cairn_status status; /* NOT_FOUND: not on the server; otherwise see `message` */
	struct fileid from; /* file that the symbols belong to; may differ from the requested one */
	uint64_t size, packed;          /* bytes of the file; bytes received */
	char message[HTTP_MESSAGE_MAX]; /* may contain unescaped text of the server */
};

/* Write the file to `path`, whose directory must exist. Returns true on success. */
bool fetch_symbols(struct http *http, const struct fileid *id, uint64_t size_max, const char *path,
                   struct fetch_result *result);

#endif
