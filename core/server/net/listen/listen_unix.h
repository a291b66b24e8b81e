/* SPDX-License-Identifier: MIT */
/* A socket that listens at a path, for its owner alone. */
#ifndef CAIRN_SERVER_NET_LISTEN_LISTEN_UNIX_H
#define CAIRN_SERVER_NET_LISTEN_LISTEN_UNIX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the socket, or -1 with words. One that nobody listens at any more is replaced; anything else that lies at the path stays. To
 * be called with one thread: the mask of new files is another one meanwhile.
 */
int listen_unix_open(const char *path, char *message, size_t message_room);

#endif
