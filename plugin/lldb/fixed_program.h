/* SPDX-License-Identifier: MIT */
/*
 * A program at a fixed address that is opened with its core ("target create --core CORE PROGRAM"). LLDB looks at the stack as it opens the core, and keeps
 * what it takes for functions of code that is in its place then: all of it is one function where there are no symbols. So the
 * program gets its symbols before, in a target of its own, and LLDB finds the module again.
 */
#ifndef CAIRN_LLDB_FIXED_PROGRAM_H
#define CAIRN_LLDB_FIXED_PROGRAM_H

#include "session.h"

/* Before "target create", of which these are all words, with a null pointer after the last; `follow` loads symbols of new modules. */
void prepare_fixed_program(lldb_session *session, const char *const *words,
                           const struct command *follow);

#endif
