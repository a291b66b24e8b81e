/* SPDX-License-Identifier: MIT */
/* A socket that listens at ADDRESS:PORT, and the address it got. */
#ifndef CAIRN_SERVER_NET_LISTEN_LISTEN_H
#define CAIRN_SERVER_NET_LISTEN_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

struct listen_socket {
	int fd;
	bool is_public; /* others than this machine can reach it */
};

/*
 * "127.0.0.1:8240", "[::1]:0", "localhost:8240"; an address alone is wrong.  False with words in
 * `message`.  `address` gets what it is in numbers.
 */
bool listen_open(const char *where, struct listen_socket *listener, char *address,
                 size_t address_room, char *message, size_t message_room);

#endif
