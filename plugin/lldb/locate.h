/* SPDX-License-Identifier: MIT */
/*
 * Answers LLDB 17 and newer when it asks for the files of a module, before it reads them: a module without
 * debug information gets an object of ours as its debug file, so that its symbols are there when
 * breakpoints are resolved.  LLDB asks on threads of its own.
 */
#ifndef CAIRN_LLDB_LOCATE_H
#define CAIRN_LLDB_LOCATE_H

#include "session.h"

/* Asks LLDB to ask, if it can be asked to; what it is told is made from the session's files. */
void locator_begin(lldb_session *session);

/* Passes on which files the user has given by now, and where others are looked for. */
void locator_update(lldb_session *session);

/* What LLDB was given meanwhile becomes the session's, as if "symbols load" had loaded it. */
void locator_adopt(lldb_session *session);

#endif
