/* SPDX-License-Identifier: MIT */
/* What a log with markup holds, as JSON: an object for each text and element. */
#ifndef CAIRN_COMMON_COMMANDS_MARKUP_MARKUP_JSON_H
#define CAIRN_COMMON_COMMANDS_MARKUP_MARKUP_JSON_H

#include "common/base/text.h"

#include <cairn.h>

/* The members are those of `cairn markup --json`. */
void markup_json(struct text *text, const struct cairn_markup_fact *fact);

#endif
