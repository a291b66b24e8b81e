/* SPDX-License-Identifier: MIT */
/* Sockets that listen at ADDRESS:PORT or at a path, and the signals that end a server. */
#ifndef CAIRN_SERVER_NET_LISTEN_H
#define CAIRN_SERVER_NET_LISTEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum { LISTEN_ADDRESS_MAX = 128 };

struct listen_socket {
	int fd;
	bool is_public;                   /* reachable from other machines */
	char address[LISTEN_ADDRESS_MAX]; /* numeric, with the actual port */
};

#define LISTEN_ADDRESS_EXPECTED \
	"expected ADDRESS:PORT, such as 127.0.0.1:8240, with a port up to 65535"

/*
 * Return true for a string such as "127.0.0.1:8240", "[::1]:0" or "localhost:8240", whether the
 * address exists or not.
 */
bool listen_is_address(const char *where);

/* Listen at an address. Returns false with the reason in `message`. */
bool listen_open(const char *where, struct listen_socket *listener, char *message,
                 size_t message_room);

/*
 * Open a Unix socket that is accessible to its owner alone. Returns the listening socket, or -1 with
 * the reason in `message`. Replaces a stale socket at the path, but no other file. The process must
 * have one thread, because the umask is changed temporarily.
 */
int listen_unix_open(const char *path, char *message, size_t message_room);

/*
 * Block SIGTERM, SIGINT and SIGHUP in this thread and in threads and children created later, and
 * set *ends to them. Ignores SIGPIPE, which is raised when a client is gone.
 */
void end_signals_block(sigset_t *ends);

/*
 * Wait for one of the signals, calling watch(server) once a second. Returns false if watch()
 * returned false.
 */
bool end_signals_wait(const sigset_t *ends, bool (*watch)(void *server), void *server);

#endif
