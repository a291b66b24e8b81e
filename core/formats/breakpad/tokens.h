/* SPDX-License-Identifier: MIT */
/* Words between blanks, which the STACK records of Breakpad files consist of. */
#ifndef CAIRN_FORMATS_BREAKPAD_TOKENS_H
#define CAIRN_FORMATS_BREAKPAD_TOKENS_H

#include <cairn.h>

#include <string.h>

static inline bool breakpad_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next one, which is taken off the text; empty at the end. */
static inline struct cairn_bytes breakpad_next_token(struct cairn_bytes *text)
{
	size_t from = 0, to;

	while (from < text->size && breakpad_is_blank(text->data[from]))
		from++;
	for (to = from; to < text->size && !breakpad_is_blank(text->data[to]);)
		to++;
	struct cairn_bytes token = { text->data + from, to - from };
	*text = (struct cairn_bytes){ text->data + to, text->size - to };
	return token;
}

#endif
