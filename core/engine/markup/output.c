/* SPDX-License-Identifier: MIT */
#include "output.h"

#include "base/character.h"

enum { GREEN = 32, BLUE = 34, CYAN = 36 };

void out_flush(struct markup_out *out)
{
	if (out->size > 0 && !out->mute)
		out->write(out->context, out->buffer, out->size);
	out->size = 0;
}

void out_large(struct markup_out *out, const void *text, size_t size)
{
	out_flush(out);
	if (size < MARKUP_OUT_ROOM) {
		memcpy(out->buffer, text, size);
		out->size = size;
	} else if (!out->mute) {
		out->write(out->context, text, size);
	}
}

void out_decimal(struct markup_out *out, uint64_t number)
{
	char text[20], *at = text + sizeof(text);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	out_bytes(out, at, (size_t)(text + sizeof(text) - at));
}

void out_hex(struct markup_out *out, uint64_t number, unsigned width)
{
	char text[18], *end = text + sizeof(text), *at = end;

	do {
		*--at = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number || end - at < (ptrdiff_t)width);
	*--at = 'x';
	*--at = '0';
	out_bytes(out, at, (size_t)(end - at));
}

void out_digits(struct markup_out *out, struct cairn_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++) {
		const char two[2] = { "0123456789abcdef"[bytes.data[i] >> 4],
			              "0123456789abcdef"[bytes.data[i] & 15] };
		out_bytes(out, two, sizeof(two));
	}
}

bool out_is_plain(struct cairn_bytes name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] < 0x20 || name.data[i] >= 0x7f)
			return false;
	return true;
}

void out_name(struct markup_out *out, struct cairn_bytes name)
{
	if (out->raw || out_is_plain(name)) {
		out_text(out, name);
		return;
	}
	while (name.size > 0) {
		uint32_t c = 0;
		size_t size = character_at(name, &c);
		if (size > 0 && character_is_harmless(c)) {
			out_bytes(out, name.data, size);
		} else {
			out_string(out, "\\x");
			size = 1;
			out_digits(out, (struct cairn_bytes){ name.data, 1 });
		}
		name.data += size;
		name.size -= size;
	}
}

static void write_sgr(struct markup_out *out, unsigned colour, bool bold)
{
	if (!out->coloured)
		return;
	out_string(out, bold ? "\033[0;1;" : "\033[0;");
	out_decimal(out, colour);
	out_string(out, "m");
}

void out_end_colour(struct markup_out *out)
{
	if (!out->colour && !out->bold)
		return;
	out->colour = 0;
	out->bold = false;
	if (out->coloured)
		out_string(out, "\033[0m");
}

void out_sgr(struct markup_out *out, unsigned sgr)
{
	if (sgr == 0) {
		out_end_colour(out);
	} else if (sgr == 1) {
		out->bold = true;
		if (out->coloured)
			out_string(out, "\033[1m");
	} else {
		out->colour = sgr;
		write_sgr(out, sgr, false);
	}
}

void out_begin_element(struct markup_out *out)
{
	write_sgr(out, out->colour == BLUE ? CYAN : BLUE, out->bold);
}

void out_end_element(struct markup_out *out)
{
	if (!out->coloured)
		return;
	if (out->colour) {
		write_sgr(out, out->colour, out->bold);
		return;
	}
	out_string(out, "\033[0m");
	if (out->bold)
		out_string(out, "\033[1m");
}

void out_begin_value(struct markup_out *out)
{
	write_sgr(out, GREEN, out->bold);
}

void out_end_value(struct markup_out *out)
{
	out_begin_element(out);
}
