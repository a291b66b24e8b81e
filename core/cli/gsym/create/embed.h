/* SPDX-License-Identifier: MIT */
/* Puts GSYM into a section of the program that it is about. */
#ifndef CAIRN_CLI_GSYM_CREATE_EMBED_H
#define CAIRN_CLI_GSYM_CREATE_EMBED_H

#include "cli/front/cli.h"

/*
 * Writes the program `input`, whose bytes are `program`, with a section .gsym to `path`, which may be the same
 * file; - is standard output.  The exit status; a message was printed unless it is EXIT_CLEAN.
 */
int gsym_embed(const char *input, struct cairn_bytes program, struct cairn_bytes gsym,
               const char *path);

#endif
