/* SPDX-License-Identifier: MIT */
/* Downloads an executable's symbols from a symbol server, and uploads the parts of a symbfile. */
#ifndef CAIRN_SERVER_NET_TRANSFER_H
#define CAIRN_SERVER_NET_TRANSFER_H

#include "server/net/http.h"
#include "server/protocol/download.h"
#include "server/protocol/upload.h"

/* default maximum size of the decompressed file in bytes */
#define FETCH_SIZE_MAX ((uint64_t)2 << 30)

struct fetch_result {
	/* NOT_FOUND if the server does not have the file; for other errors see `message` */
	enum cairn_status status;
	/* executable to which the symbols belong; may differ from the requested one */
	struct fileid from;
	uint64_t size, packed;          /* size of the file, and number of bytes received */
	char message[HTTP_MESSAGE_MAX]; /* may contain unescaped strings from the server */
};

/*
 * Write an executable's symbols to `path`, whose directory must exist. The data is decompressed up
 * to a limit and validated as a symbfile before the file is renamed to `path`, so an existing file
 * is always valid.
 */
bool fetch_symbols(struct http *http, const struct fileid *id, uint64_t size_max, const char *path,
                   struct fetch_result *result);

/*
 * Uploads one part of a symbfile. Uploading a part again is harmless, so uploads are retried after
 * lost connections and after the statuses 429 and 5xx.
 */
struct push_result {
	/* the server has sent a response; otherwise `lost` describes the connection failure */
	bool answered;
	struct upload_answer answer; /* contains unescaped strings from the server */
	char lost[HTTP_MESSAGE_MAX];
};

bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result);

#endif
