/* SPDX-License-Identifier: MIT */
/* Buffers the filter's output, and writes SGR color sequences around elements and values. */
#include "output.h"

enum { GREEN = 32, BLUE = 34, CYAN = 36 };

void markup_out_flush(struct markup_out *out)
{
	if (out->size > 0 && !out->mute)
		out->write(out->context, out->buffer, out->size);
	out->size = 0;
}

void markup_out_unbuffered(struct markup_out *out, const void *text, size_t size)
{
	markup_out_flush(out);
	if (size < MARKUP_OUT_ROOM) {
		memcpy(out->buffer, text, size);
		out->size = size;
	} else if (!out->mute) {
		out->write(out->context, text, size);
	}
}

void markup_out_decimal(struct markup_out *out, uint64_t number)
{
	char text[20], *at = text + sizeof(text);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	markup_out_bytes(out, at, (size_t)(text + sizeof(text) - at));
}

void markup_out_hex(struct markup_out *out, uint64_t number, unsigned width)
{
	char text[18], *end = text + sizeof(text), *at = end;

	do {
		*--at = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number || end - at < (ptrdiff_t)width);
	*--at = 'x';
	*--at = '0';
	markup_out_bytes(out, at, (size_t)(end - at));
}

void markup_out_hex_bytes(struct markup_out *out, struct cairn_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++) {
		const char two[2] = { "0123456789abcdef"[bytes.data[i] >> 4],
			              "0123456789abcdef"[bytes.data[i] & 15] };
		markup_out_bytes(out, two, sizeof(two));
	}
}

bool markup_out_is_plain(struct cairn_bytes name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] < 0x20 || name.data[i] >= 0x7f)
			return false;
	return true;
}

void markup_out_name(struct markup_out *out, struct cairn_bytes name)
{
	if (out->raw || markup_out_is_plain(name)) {
		markup_out_text(out, name);
		return;
	}
	while (name.size > 0) {
		uint32_t c = 0;
		size_t size = cairn_character_at(name, &c);
		if (size > 0 && cairn_character_is_printable(c)) {
			markup_out_bytes(out, name.data, size);
		} else {
			markup_out_string(out, "\\x");
			size = 1;
			markup_out_hex_bytes(out, (struct cairn_bytes){ name.data, 1 });
		}
		name.data += size;
		name.size -= size;
	}
}

static void write_sgr(struct markup_out *out, unsigned colour, bool bold)
{
	if (!out->coloured)
		return;
	markup_out_string(out, bold ? "\033[0;1;" : "\033[0;");
	markup_out_decimal(out, colour);
	markup_out_string(out, "m");
}

void markup_out_end_colour(struct markup_out *out)
{
	if (!out->colour && !out->bold)
		return;
	out->colour = 0;
	out->bold = false;
	if (out->coloured)
		markup_out_string(out, "\033[0m");
}

void markup_out_sgr(struct markup_out *out, unsigned sgr)
{
	if (sgr == 0) {
		markup_out_end_colour(out);
	} else if (sgr == 1) {
		out->bold = true;
		if (out->coloured)
			markup_out_string(out, "\033[1m");
	} else {
		out->colour = sgr;
		write_sgr(out, sgr, false);
	}
}

void markup_out_begin_element(struct markup_out *out)
{
	write_sgr(out, out->colour == BLUE ? CYAN : BLUE, out->bold);
}

void markup_out_end_element(struct markup_out *out)
{
	if (!out->coloured)
		return;
	if (out->colour) {
		write_sgr(out, out->colour, out->bold);
		return;
	}
	markup_out_string(out, "\033[0m");
	if (out->bold)
		markup_out_string(out, "\033[1m");
}

void markup_out_begin_value(struct markup_out *out)
{
	write_sgr(out, GREEN, out->bold);
}

void markup_out_end_value(struct markup_out *out)
{
	markup_out_begin_element(out);
}
