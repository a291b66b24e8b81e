/* SPDX-License-Identifier: MIT */
/*
 * Opens listening sockets at ADDRESS:PORT or at a path, and handles the signals that end a server.
 */
#ifndef CAIRN_SERVER_NET_LISTEN_H
#define CAIRN_SERVER_NET_LISTEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum { LISTEN_ADDRESS_MAX = 128 };

struct listen_socket {
	int fd;
	bool is_public;                   /* other machines can connect */
	char address[LISTEN_ADDRESS_MAX]; /* numeric address with the actual port */
};

#define LISTEN_ADDRESS_EXPECTED \
	"expected ADDRESS:PORT, such as 127.0.0.1:8240, with a port up to 65535"

/*
 * Return true if the string is an address such as "127.0.0.1:8240", "[::1]:0" or "localhost:8240".
 * Does not check whether the address exists.
 */
bool listen_is_address(const char *where);

bool listen_open(const char *where, struct listen_socket *listener, char *message,
                 size_t message_capacity);

/*
 * Open a Unix socket that only its owner can access. Returns the listening socket, or -1 and the
 * reason in `message`. Replaces a stale socket at the path, but no other file. The process must
 * have only one thread, because the umask is changed temporarily.
 */
int listen_unix_open(const char *path, char *message, size_t message_capacity);

/*
 * Block SIGTERM, SIGINT and SIGHUP in the calling thread, and in threads and child processes that
 * it creates later, and add these signals to *ends. Ignores SIGPIPE, which is raised when a client
 * has disconnected.
 */
void end_signals_block(sigset_t *ends);

/*
 * Wait for one of the signals and call watch(server) once a second. Returns false if watch()
 * returns false.
 */
bool end_signals_wait(const sigset_t *ends, bool (*watch)(void *server), void *server);

#endif
