/* SPDX-License-Identifier: MIT */
/* The signals that end a server. */
#ifndef CAIRN_SERVER_NET_LISTEN_END_SIGNALS_H
#define CAIRN_SERVER_NET_LISTEN_END_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Blocks SIGTERM, SIGINT and SIGHUP, so that they wait in all threads and children that begin later; *ends is all of them. A client that is gone
 * raises SIGPIPE, which is ignored.
 */
void end_signals_block(sigset_t *ends);

/* Wait until one of them comes, and call watch(server) once a second. Return false if that does before. */
bool end_signals_wait(const sigset_t *ends, bool (*watch)(void *server), void *server);

#endif
