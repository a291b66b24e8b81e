/* SPDX-License-Identifier: MIT */
/* Colours of text on a terminal: those that GDB uses. */
#ifndef CAIRN_OUTPUT_COLOR_H
#define CAIRN_OUTPUT_COLOR_H

#include <stdbool.h>
#include <stdio.h>

enum text_color { TEXT_FUNCTION, TEXT_FILE, TEXT_ADDRESS, TEXT_DIM };

/*
 * Are colours wanted on `out`?  `when` is "always", "never", or "auto" (NULL): on a terminal that is not "dumb", unless the variable
 * NO_COLOR is set.
 */
bool color_is_wanted(const char *when, FILE *out);

/* Begins and ends a colour; nothing where `on` is false. */
void color_begin(FILE *out, bool on, enum text_color color);
void color_end(FILE *out, bool on);

#endif
