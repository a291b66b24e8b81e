/* SPDX-License-Identifier: MIT */
/* A log with markup as JSON: one object for each piece of text and each element. */
#ifndef CAIRN_COMMON_COMMANDS_MARKUP_MARKUP_JSON_H
#define CAIRN_COMMON_COMMANDS_MARKUP_MARKUP_JSON_H

#include "common/base/text.h"

#include <cairn.h>

/* Write the fact with the same members as `cairn markup --json`. */
void markup_json(struct text *text, const struct cairn_markup_fact *fact);

#endif
