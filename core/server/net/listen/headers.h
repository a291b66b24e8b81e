/* SPDX-License-Identifier: MIT */
/* Access to request headers, independent of the kind of request. */
#ifndef CAIRN_SERVER_NET_LISTEN_HEADERS_H
#define CAIRN_SERVER_NET_LISTEN_HEADERS_H

#include <cairn.h>

#include <microhttpd.h>

/* Return the first header of that name, or NULL. */
const char *headers_find(struct MHD_Connection *connection, const char *name);

unsigned headers_count(struct MHD_Connection *connection, const char *name);

/*
 * Return true if there is exactly one Host header, which RFC 9112, 3.2 requires even if the target
 * has a host. HTTP/1.0 may omit it.
 */
bool headers_have_host(struct MHD_Connection *connection, bool is_http_1_0);

/*
 * Read Content-Length, which the library has checked to be a number. Returns false if it is absent.
 */
bool headers_read_body_size(struct MHD_Connection *connection, uint64_t *size);

/*
 * Return the number of Content-Length headers. Two servers on the way could each use another one.
 */
unsigned headers_count_lengths(struct MHD_Connection *connection);

/*
 * Return the reason why the headers do not define the end of the body (RFC 9112, 5.1 and 6.3), or
 * NULL. Repeated lengths are counted by headers_count_lengths(). A proxy might see another end and
 * take the rest for another request, so the connection must be closed. `method` is the pointer
 * passed to the library's handler.
 */
const char *headers_find_framing_fault(struct MHD_Connection *connection, const char *method);

#endif
