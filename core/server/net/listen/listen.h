/* SPDX-License-Identifier: MIT */
/* A socket that listens at ADDRESS:PORT, and its actual address. */
#ifndef CAIRN_SERVER_NET_LISTEN_LISTEN_H
#define CAIRN_SERVER_NET_LISTEN_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

enum { LISTEN_ADDRESS_MAX = 128 };

struct listen_socket {
	int fd;
	bool is_public;                   /* reachable from other machines */
	char address[LISTEN_ADDRESS_MAX]; /* numeric, with the actual port */
};

#define LISTEN_ADDRESS_EXPECTED \
	"ADDRESS:PORT is expected, such as 127.0.0.1:8240, and ports end at 65535"

/*
 * Return true for a string such as "127.0.0.1:8240", "[::1]:0" or "localhost:8240", whether the
 * address exists or not.
 */
bool listen_is_address(const char *where);

/* Listen at an address. Returns false with the reason in `message`. */
bool listen_open(const char *where, struct listen_socket *listener, char *message,
                 size_t message_room);

#endif
