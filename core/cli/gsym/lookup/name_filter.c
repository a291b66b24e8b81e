/* SPDX-License-Identifier: MIT */
/* Compiles the regular expressions of --merged-functions-filter, and compares names with them. */
#include "name_filter.h"

#include <string.h>

enum { NAME_MAX_BYTES = 1 << 16 };

bool name_filter_compile(struct name_filter *filter, const struct option_words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		if (regcomp(&filter->pattern[i], words->word[i], REG_EXTENDED | REG_NOSUB) != 0) {
			print_word_diagnostic(NULL, words->word[i], "not a regular expression");
			return false;
		}
		filter->count++;
	}
	return true;
}

bool name_filter_matches(const struct name_filter *filter, struct cairn_bytes name)
{
	static char text[NAME_MAX_BYTES + 1];
	size_t size = name.size < NAME_MAX_BYTES ? name.size : NAME_MAX_BYTES;

	if (filter->count == 0)
		return true;
	if (size > 0)
		memcpy(text, name.data, size);
	text[size] = '\0';
	for (size_t i = 0; i < filter->count; i++)
		if (regexec(&filter->pattern[i], text, 0, NULL, 0) == 0)
			return true;
	return false;
}
