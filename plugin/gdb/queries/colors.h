/* SPDX-License-Identifier: MIT */
/* Decides whether the output of a command is coloured. */
#ifndef CAIRN_GDB_QUERIES_COLORS_H
#define CAIRN_GDB_QUERIES_COLORS_H

#include "session/session.h"

/* Record the open pipes when the module is loaded, before the first command. */
void colors_start(struct gdb_session *s);

/*
 * Return true if `set cairn color` requests colours. With `auto` the result is the same as for
 * GDB's own output at this moment.
 */
bool colors_enabled(const struct gdb_session *s, const struct request *request);

#endif
