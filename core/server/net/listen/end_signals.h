/* SPDX-License-Identifier: MIT */
/* Handles the signals that end a server. */
#ifndef CAIRN_SERVER_NET_LISTEN_END_SIGNALS_H
#define CAIRN_SERVER_NET_LISTEN_END_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

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
