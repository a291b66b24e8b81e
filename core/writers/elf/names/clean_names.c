/* SPDX-License-Identifier: MIT */
/*
 * Cleans names and paths that a debugger prints unchanged on its user's terminal. So what would
 * drive a terminal, or change the order in which the text around it is read, is written as \xNN
 * from the beginning, one for each byte, as is what is not UTF-8.
 */
#include "writers/elf/parts.h"

#include <string.h>

/* The bytes of the character at the beginning that may stay; 0: its first byte may not. */
static size_t measure_harmless_character(struct cairn_bytes text)
{
	uint32_t character;
	size_t size = cairn_character_at(text, &character);

	return size > 0 && cairn_character_is_printable(character) ? size : 0;
}

/* Are eight bytes plain?  No byte of them has its highest bit, is below 0x20, or is 0x7f. */
static bool is_plain_word(const uint8_t *data)
{
	const uint64_t ones = UINT64_MAX / 255;
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return ((word | (word - ones * 0x20) | (word + ones)) & ones * 0x80) == 0;
}

/* How much from the beginning may stay as it is. */
static size_t clean_size(struct cairn_bytes text)
{
	size_t at = 0;

	while (at < text.size) {
		if (text.size - at >= sizeof(uint64_t) && is_plain_word(text.data + at)) {
			at += sizeof(uint64_t);
			continue;
		}
		size_t size = 1;
		if (text.data[at] < 0x20 || text.data[at] >= 0x7f)
			size = measure_harmless_character(
				(struct cairn_bytes){ text.data + at, text.size - at });
		if (size == 0)
			break;
		at += size;
	}
	return at;
}

/* One character that may not stay, or one byte that is none. */
static size_t escape_character(const uint8_t *data, size_t left, char *to)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t character;
	size_t size = cairn_character_at((struct cairn_bytes){ data, left }, &character);

	size = size ? size : 1;
	for (size_t i = 0; i < size; i++, to += ELF_WRITER_ESCAPE) {
		to[0] = '\\';
		to[1] = 'x';
		to[2] = digits[data[i] >> 4];
		to[3] = digits[data[i] & 15];
	}
	return size;
}

bool elf_writer_clean_text(struct elf_writer *w, struct cairn_bytes *text)
{
	size_t at = clean_size(*text), size = 0;

	if (at == text->size)
		return true;
	if (!array_grow(&w->clean, &w->clean_room, at + (text->size - at) * ELF_WRITER_ESCAPE + 1,
	                1))
		return false;
	memcpy(w->clean, text->data, at);
	size = at;
	while (at < text->size) {
		const struct cairn_bytes rest = { text->data + at, text->size - at };
		size_t bad = escape_character(rest.data, rest.size, w->clean + size);
		size += bad * ELF_WRITER_ESCAPE;
		size_t good = clean_size((struct cairn_bytes){ rest.data + bad, rest.size - bad });
		memcpy(w->clean + size, rest.data + bad, good);
		size += good;
		at += bad + good;
	}
	*text = (struct cairn_bytes){ (const uint8_t *)w->clean, size };
	return true;
}

uint32_t elf_writer_clean_name(struct elf_writer *w, struct cairn_bytes name)
{
	struct elf_writer_demangled readable;

	if (name.size > ELF_WRITER_NAME_MAX)
		name.size = ELF_WRITER_NAME_MAX;
	struct cairn_bytes text = elf_writer_demangled(name, &readable) ? readable.whole : name;

	if (!elf_writer_clean_text(w, &text)) {
		w->failed = true;
		return 0;
	}
	bool moved = text.data == (const uint8_t *)w->clean;
	return elf_writer_bounded_name(w, text, moved);
}
