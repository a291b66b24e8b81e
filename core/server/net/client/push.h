/* SPDX-License-Identifier: MIT */
/*
 * Uploads one part of a symbfile to a server. Repeating an upload is harmless, so it is retried
 * after lost connections, 429 and 5xx.
 */
#ifndef CAIRN_SERVER_NET_CLIENT_PUSH_H
#define CAIRN_SERVER_NET_CLIENT_PUSH_H

#include "http.h"

#include "server/protocol/upload.h"

struct push_result {
	bool answered;               /* if false, `lost` has the reason */
	struct upload_answer answer; /* strings come from the server and are not escaped */
	char lost[HTTP_MESSAGE_MAX];
};

/* Upload a part. Returns true if the server accepted it. */
bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result);

#endif
