/* SPDX-License-Identifier: MIT */
/* Colors terminal output with GDB's colors. */
#ifndef CAIRN_OUTPUT_COLOR_H
#define CAIRN_OUTPUT_COLOR_H

#include <stdbool.h>
#include <stdio.h>

enum text_color { TEXT_FUNCTION, TEXT_FILE, TEXT_ADDRESS, TEXT_DIM };

/*
 * Return true if output to `out` should be colored. `when` is "always", "never" or "auto"; NULL
 * means "auto", which requires a terminal other than "dumb" and an unset or empty NO_COLOR.
 */
bool color_is_wanted(const char *when, FILE *out);

/* Begin or end colored output. Neither function does anything if `on` is false. */
void color_begin(FILE *out, bool on, enum text_color color);
void color_end(FILE *out, bool on);

#endif
