/* SPDX-License-Identifier: MIT */
/*
 * Fetches the symbols of one executable from a server by the download protocol.  What comes is unpacked within a bound and
 * read through as a symbfile, and only then the file gets its name: a file that is there is sound.
 */
#ifndef CAIRN_SERVER_NET_CLIENT_FETCH_H
#define CAIRN_SERVER_NET_CLIENT_FETCH_H

#include "http.h"

#include "server/protocol/download.h"

#define FETCH_SIZE_MAX \
	((uint64_t)2 << 30) /* bytes of the file, unpacked, unless an option sets another \
	                     */

struct fetch_result {
	enum cairn_status status; /* NOT_FOUND: the server has none; others say it in `message` */
	struct fileid from;       /* whose symbols they are; that of another file, perhaps */
	uint64_t size, packed;    /* bytes of the file, and of what was sent */
	char message[HTTP_MESSAGE_MAX]; /* has text of the server in it, which is not escaped */
};

/* Puts the file at `path`, whose folder must exist.  True when it is there. */
bool fetch_symbols(struct http *http, const struct fileid *id, uint64_t size_max, const char *path,
                   struct fetch_result *result);

#endif
