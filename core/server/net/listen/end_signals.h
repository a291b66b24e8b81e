/* SPDX-License-Identifier: MIT */
/* The signals that end a server. */
#ifndef CAIRN_SERVER_NET_LISTEN_END_SIGNALS_H
#define CAIRN_SERVER_NET_LISTEN_END_SIGNALS_H

#include <signal.h>

/*
 * Blocks SIGTERM, SIGINT and SIGHUP, so that they wait in all threads and children that begin later; *ends is all of them. A client that is gone
 * raises SIGPIPE, which is ignored.
 */
void end_signals_block(sigset_t *ends);

/* Returns when one of them has come; until then it calls watch(server) once a second. */
void end_signals_wait(const sigset_t *ends, void (*watch)(void *server), void *server);

#endif
