/* SPDX-License-Identifier: MIT */
/* A socket that listens at ADDRESS:PORT, and the address it got. */
#ifndef CAIRN_SERVER_NET_LISTEN_LISTEN_H
#define CAIRN_SERVER_NET_LISTEN_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

enum { LISTEN_ADDRESS_MAX = 128 };

struct listen_socket {
	int fd;
	bool is_public;                   /* others than this machine can reach it */
	char address[LISTEN_ADDRESS_MAX]; /* in numbers, with the port that it really has */
};

/* "127.0.0.1:8240", "[::1]:0", "localhost:8240"; an address alone is wrong.  False with words in `message`. */
bool listen_open(const char *where, struct listen_socket *listener, char *message,
                 size_t message_room);

#endif
