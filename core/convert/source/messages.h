/* SPDX-License-Identifier: MIT */
/* What an input tells the host while it is read.  Only what the host wants to hear is made into a text. */
#ifndef CAIRN_CONVERT_SOURCE_MESSAGES_H
#define CAIRN_CONVERT_SOURCE_MESSAGES_H

#include "function_source.h"

#include "base/error.h"

bool messages_wanted(const struct function_source *origin, enum cairn_message_level level);

void message_tell(const struct function_source *origin, enum cairn_message_level level,
                  const char *path, const char *format, ...) ERROR_FORMAT(4);

/* The same of a word that is in the file. */
void message_tell_word(const struct function_source *origin, enum cairn_message_level level,
                       const char *path, const char *word, const char *why);

/* The same of what is wrong in it; `part` and `next` may be NULL. */
void message_tell_fault(const struct function_source *origin, enum cairn_message_level level,
                        const char *path, const char *part, const struct cairn_fault *fault,
                        const char *next);

#endif
