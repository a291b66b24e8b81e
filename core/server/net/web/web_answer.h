/* SPDX-License-Identifier: MIT */
/* Converts an answer into a response of the library. */
#ifndef CAIRN_SERVER_NET_WEB_WEB_ANSWER_H
#define CAIRN_SERVER_NET_WEB_WEB_ANSWER_H

#include "web.h"

#include "server/net/listen/connections.h"

#include <microhttpd.h>

/*
 * Create a response with its headers. Takes ownership of the answer's body or file even on failure.
 * Returns NULL if memory is short. A large body is sent in pieces, and its memory is released as it
 * is sent.
 */
struct MHD_Response *web_answer_response(struct web_answer *answer,
                                         struct client_connection *client);

#endif
