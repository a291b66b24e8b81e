/* SPDX-License-Identifier: MIT */
/*
 * Protects against DNS rebinding. A page of another site whose name resolves to this machine sends
 * that name as Host and is refused, so that it cannot read the service's data.
 */
#ifndef CAIRN_SERVER_NET_WEB_WEB_HOST_H
#define CAIRN_SERVER_NET_WEB_WEB_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Return true if the Host header names this machine or one of `names`. A port is ignored. */
bool web_host_is_allowed(const char *host, const char *const *names, size_t count);

#endif
