/* SPDX-License-Identifier: MIT */
/*
 * Text on its way to the host, gathered into large pieces, and the colours in it.
 *
 * Colours follow those of the log: what is put in the place of an element stands out, its values
 * stand out again, and after it the log's own colour goes on.
 */
#ifndef CAIRN_MARKUP_OUTPUT_H
#define CAIRN_MARKUP_OUTPUT_H

#include <cairn.h>
#include <string.h>

enum { MARKUP_OUT_ROOM = 1 << 16 };

struct markup_out {
	void (*write)(void *context, const void *text, size_t size);
	void *context;
	bool mute;       /* nothing is written at all */
	bool coloured;   /* else colours of the log are left out, and there are none of ours */
	bool raw;        /* names go out as they are */
	bool bold;       /* of the log, as is the colour */
	unsigned colour; /* 30 to 37; 0: none */
	size_t size;
	uint8_t buffer[MARKUP_OUT_ROOM];
};

void markup_out_flush(struct markup_out *out);

/* What does not fit into the buffer. */
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

/* 0x and lower-case digits, at least `width` of them. */
void markup_out_hex(struct markup_out *out, uint64_t number, unsigned width);

/* Bytes as hexadecimal digits. */
void markup_out_hex_bytes(struct markup_out *out, struct cairn_bytes bytes);

/* A name: what could drive a terminal becomes \xNN, unless names go out raw. */
void markup_out_name(struct markup_out *out, struct cairn_bytes name);

/* Nothing but printable ASCII: it goes out as it is. */
bool markup_out_is_plain(struct cairn_bytes name);

/* The colour that the log asks for: 0, 1, or 30 to 37. */
void markup_out_sgr(struct markup_out *out, unsigned sgr);

/* The log's colour ends. */
void markup_out_end_colour(struct markup_out *out);

/* Around what is put in the place of an element, and around a value in there. */
void markup_out_begin_element(struct markup_out *out);
void markup_out_end_element(struct markup_out *out);
void markup_out_begin_value(struct markup_out *out);
void markup_out_end_value(struct markup_out *out);

#endif
