/* SPDX-License-Identifier: MIT */
/* A Unix socket that is accessible to its owner alone. */
#ifndef CAIRN_SERVER_NET_LISTEN_LISTEN_UNIX_H
#define CAIRN_SERVER_NET_LISTEN_LISTEN_UNIX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Return the listening socket, or -1 with the reason in `message`. Replaces a stale socket at the
 * path, but no other file. The process must have one thread, because the umask is changed
 * temporarily.
 */
int listen_unix_open(const char *path, char *message, size_t message_room);

#endif
