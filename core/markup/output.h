/* SPDX-License-Identifier: MIT */
/*
 * Buffered output to the host, with colors.
 *
 * Colors depend on the colors of the log: the text that replaces an element is highlighted, values
 * in it are highlighted differently, and the log's own color is restored after it.
 */
#ifndef CAIRN_MARKUP_OUTPUT_H
#define CAIRN_MARKUP_OUTPUT_H

#include <cairn.h>
#include <string.h>

enum { MARKUP_OUT_ROOM = 1 << 16 };

struct markup_out {
	void (*write)(void *context, const void *text, size_t size);
	void *context;
	bool mute;
	bool coloured; /* if false, colors of the log are removed and no colors are added */
	bool raw;
	bool bold;       /* bold and colour are the current state of the log */
	unsigned colour; /* 30 to 37, or 0 */
	size_t size;
	uint8_t buffer[MARKUP_OUT_ROOM];
};

void markup_out_flush(struct markup_out *out);

void markup_out_unbuffered(struct markup_out *out, const void *text, size_t size);

static inline void markup_out_bytes(struct markup_out *out, const void *text, size_t size)
{
	if (size > MARKUP_OUT_ROOM - out->size) {
		markup_out_unbuffered(out, text, size);
		return;
	}
	memcpy(out->buffer + out->size, text, size);
	out->size += size;
}

static inline void markup_out_text(struct markup_out *out, struct cairn_bytes text)
{
	markup_out_bytes(out, text.data, text.size);
}

static inline void markup_out_string(struct markup_out *out, const char *text)
{
	markup_out_bytes(out, text, strlen(text));
}

void markup_out_decimal(struct markup_out *out, uint64_t number);

/* Write "0x" and at least `width` lower-case digits. */
void markup_out_hex(struct markup_out *out, uint64_t number, unsigned width);

void markup_out_hex_bytes(struct markup_out *out, struct cairn_bytes bytes);

/* Write a name. Bytes that could drive a terminal become \xNN unless `raw` is set. */
void markup_out_name(struct markup_out *out, struct cairn_bytes name);

bool markup_out_is_plain(struct cairn_bytes name);

/* Apply an SGR parameter of the log: 0, 1, or 30 to 37. */
void markup_out_sgr(struct markup_out *out, unsigned sgr);

void markup_out_end_colour(struct markup_out *out);

/* Enclose the text that replaces an element, and a value in that text. */
void markup_out_begin_element(struct markup_out *out);
void markup_out_end_element(struct markup_out *out);
void markup_out_begin_value(struct markup_out *out);
void markup_out_end_value(struct markup_out *out);

#endif
