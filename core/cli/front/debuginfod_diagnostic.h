/* SPDX-License-Identifier: MIT */
/* The message of verbs that ask debuginfod. */
#ifndef CAIRN_CLI_FRONT_DEBUGINFOD_DIAGNOSTIC_H
#define CAIRN_CLI_FRONT_DEBUGINFOD_DIAGNOSTIC_H

#include "os/debuginfod/debuginfod.h"

/*
 * Reports once why debuginfod does not help.  Nothing is said when its servers do not have the file, or one of them could
 * not be asked.  `file` may be NULL.
 */
void print_debuginfod_diagnostic(const char *file, struct debuginfod *asked,
                                 enum debuginfod_answer answer);

#endif
