/* SPDX-License-Identifier: MIT */
/* Whether what a command prints is coloured. */
#ifndef CAIRN_GDB_QUERIES_COLORS_H
#define CAIRN_GDB_QUERIES_COLORS_H

#include "session/session.h"

/* Called when the module is loaded, before the first command. */
void colors_start(struct gdb_session *s);

/* Does `set cairn color` ask for colours?  With `auto` the answer is that for GDB's own output at this moment. */
bool colors_enabled(const struct gdb_session *s, const struct request *request);

#endif
