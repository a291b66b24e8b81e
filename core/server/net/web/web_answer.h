/* SPDX-License-Identifier: MIT */
/* An answer as the library has it. */
#ifndef CAIRN_SERVER_NET_WEB_WEB_ANSWER_H
#define CAIRN_SERVER_NET_WEB_WEB_ANSWER_H

#include "web.h"

#include "server/net/listen/connections.h"

#include <microhttpd.h>

/*
 * Make a response with its headers. Takes the body or the file of the answer, also when memory is short, which is NULL. A large body
 * goes to the client in pieces, and what has been sent is released.
 */
struct MHD_Response *web_answer_response(struct web_answer *answer,
                                         struct client_connection *client);

#endif
