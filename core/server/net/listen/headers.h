/* SPDX-License-Identifier: MIT */
/* What the headers of a request say, whatever the request is for. */
#ifndef CAIRN_SERVER_NET_LISTEN_HEADERS_H
#define CAIRN_SERVER_NET_LISTEN_HEADERS_H

#include <cairn.h>

#include <microhttpd.h>

/* The first header of that name; NULL: none. */
const char *headers_find(struct MHD_Connection *connection, const char *name);

/* How many headers have that name. */
unsigned headers_count(struct MHD_Connection *connection, const char *name);

/* Is the host named as it has to be (RFC 9112, 3.2), also where the target has one: once, or in HTTP/1.0 not at all? */
bool headers_have_host(struct MHD_Connection *connection, bool is_http_1_0);

/* Content-Length, which the library has found to be a number. */
bool headers_read_body_size(struct MHD_Connection *connection, uint64_t *size);

/* Two of them may be two lengths, to two servers on the way. */
unsigned headers_count_lengths(struct MHD_Connection *connection);

/*
 * Returns why it is not clear from the headers where the body ends (RFC 9112, 5.1 and 6.3), or NULL; two lengths are counted above.
 * A proxy may see another end, and what follows it would be another request: the connection has to end. `method` is the pointer that the
 * library's handler is given.
 */
const char *headers_find_framing_fault(struct MHD_Connection *connection, const char *method);

#endif
