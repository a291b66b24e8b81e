/* SPDX-License-Identifier: MIT */
/* The setting for colour. */
#ifndef CAIRN_COMMON_COMMANDS_COLOR_H
#define CAIRN_COMMON_COMMANDS_COLOR_H

#include "common/session/session.h"

/* "auto", "on", "off". */
const char *color_setting_name(enum color_setting setting);

/* The number of the word among `count`, or count when it is none of them. */
unsigned find_word_index(const char *word, const char *const *words, unsigned count);

#endif
