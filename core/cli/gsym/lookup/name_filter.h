/* SPDX-License-Identifier: MIT */
/* Extended regular expressions of the user, any of which a name may match. */
#ifndef CAIRN_CLI_GSYM_LOOKUP_NAME_FILTER_H
#define CAIRN_CLI_GSYM_LOOKUP_NAME_FILTER_H

#include "cli/front/cli.h"

#include <regex.h>

struct name_filter {
	regex_t pattern[OPTION_WORDS_MAX];
	size_t count; /* 0: every name matches */
};

/* False: one is not a regular expression, and a message was printed. */
bool name_filter_compile(struct name_filter *filter, const struct option_words *words);

/* Only the first 64 KiB of a longer name are compared. */
bool name_filter_matches(const struct name_filter *filter, struct cairn_bytes name);

#endif
