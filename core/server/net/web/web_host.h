/* SPDX-License-Identifier: MIT */
/*
 * Whom a client believes to speak with. A page of another site that has its name lead to this machine sends its own name: it is
 * refused, so that no page reads what the service knows.
 */
#ifndef CAIRN_SERVER_NET_WEB_WEB_HOST_H
#define CAIRN_SERVER_NET_WEB_WEB_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Is the value of the header Host this machine, or one of the names? A port after it does not matter. */
bool web_host_is_allowed(const char *host, const char *const *names, size_t count);

#endif
