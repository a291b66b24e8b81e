/* SPDX-License-Identifier: MIT */
/* The colour setting, and a search for a word in a list. */
#ifndef CAIRN_COMMON_COMMANDS_COLOR_H
#define CAIRN_COMMON_COMMANDS_COLOR_H

#include "common/session/session.h"

const char *color_setting_name(enum color_setting setting);

/* Return the index of `word` among `count` words, or `count` if it is not in the list. */
unsigned find_word_index(const char *word, const char *const *words, unsigned count);

#endif
