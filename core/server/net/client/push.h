/* SPDX-License-Identifier: MIT */
/*
 * One part of a symbfile, sent to a server by the upload protocol.  Sending a part again does no
 * harm, so it is tried again after lost connections, 429 and 5xx.
 */
#ifndef CAIRN_SERVER_NET_CLIENT_PUSH_H
#define CAIRN_SERVER_NET_CLIENT_PUSH_H

#include "http.h"

#include "server/protocol/upload.h"

struct push_result {
	bool answered;               /* else `lost` is what happened */
	struct upload_answer answer; /* texts are the server's, and not escaped */
	char lost[HTTP_MESSAGE_MAX];
};

/* True when the server has taken the part. */
bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result);

#endif
