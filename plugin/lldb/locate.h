/* SPDX-License-Identifier: MIT */
/*
 * Answers LLDB 17 and newer when it asks for the files of a module before reading them. A module
 * without debug information gets one of cairn's objects as its debug file, so that its symbols
 * exist when breakpoints are resolved. LLDB asks on threads of its own.
 */
#ifndef CAIRN_LLDB_LOCATE_H
#define CAIRN_LLDB_LOCATE_H

#include "session.h"

/*
 * Register the callback with LLDB, if LLDB supports it. Its answers are made from the session's
 * files.
 */
void locator_begin(lldb_session *session);

/* Pass on the files that the user has given so far, and the search directories. */
void locator_update(lldb_session *session);

/*
 * Add the objects that LLDB has received since the last call to the session, as if "symbols load"
 * had loaded them.
 */
void locator_adopt(lldb_session *session);

#endif
