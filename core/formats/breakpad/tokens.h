/* SPDX-License-Identifier: MIT */
/* Splits the text of STACK records into words. */
#ifndef CAIRN_FORMATS_BREAKPAD_TOKENS_H
#define CAIRN_FORMATS_BREAKPAD_TOKENS_H

#include <cairn.h>

#include <string.h>

static inline bool breakpad_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Take the next word off the text. It is empty at the end. */
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
