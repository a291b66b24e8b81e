/* SPDX-License-Identifier: MIT */
/* Messages about files that servers of debuginfod did not deliver. */
#ifndef CAIRN_CLI_FRONT_DEBUGINFOD_DIAGNOSTIC_H
#define CAIRN_CLI_FRONT_DEBUGINFOD_DIAGNOSTIC_H

#include "os/debuginfod/debuginfod.h"

/*
 * Report once per `asked` why debuginfod did not help. Nothing is printed if the servers do not
 * have the file, or a server could not be reached. `file` may be NULL.
 */
void print_debuginfod_diagnostic(const char *file, struct debuginfod *asked,
                                 enum debuginfod_answer answer);

#endif
