/* SPDX-License-Identifier: MIT */
/*
 * Transfers with a symbol server: downloads the symbols of one executable, and uploads parts of a
 * symbfile.
 */
#ifndef CAIRN_SERVER_NET_TRANSFER_H
#define CAIRN_SERVER_NET_TRANSFER_H

#include "server/net/http.h"
#include "server/protocol/download.h"
#include "server/protocol/upload.h"

#define FETCH_SIZE_MAX \
	((uint64_t)2 << 30) /* bytes of the decompressed file, unless an option sets another \
	                     */

struct fetch_result {
	enum cairn_status status; /* NOT_FOUND: not on the server; otherwise see `message` */
	struct fileid from; /* file that the symbols belong to; may differ from the requested one */
	uint64_t size, packed;          /* bytes of the file; bytes received */
	char message[HTTP_MESSAGE_MAX]; /* may contain unescaped text of the server */
};

/*
 * Write the file to `path`, whose directory must exist. The data is decompressed within a bound and
 * validated as a symbfile before the file gets its name, so an existing file is always valid.
 * Returns true on success.
 */
bool fetch_symbols(struct http *http, const struct fileid *id, uint64_t size_max, const char *path,
                   struct fetch_result *result);

/*
 * Uploads one part of a symbfile to a server. Repeating an upload is harmless, so it is retried
 * after lost connections, 429 and 5xx.
 */
struct push_result {
	bool answered;               /* if false, `lost` has the reason */
	struct upload_answer answer; /* strings come from the server and are not escaped */
	char lost[HTTP_MESSAGE_MAX];
};

/* Upload a part. Returns true if the server accepted it. */
bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result);

#endif
