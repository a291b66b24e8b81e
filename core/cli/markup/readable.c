/* SPDX-License-Identifier: MIT */
/* Demangles names as llvm-symbolizer does. */
#include "markup.h"

#include <stdlib.h>
#include <string.h>

/* Return s->readable if `size` is not 0, otherwise `name`. Valid until the next call. */
static struct cairn_bytes choose_name(struct markup_symbols *s, struct cairn_bytes name,
                                      size_t size)
{
	return size ? (struct cairn_bytes){ (uint8_t *)s->readable, size } : name;
}

/*
 * Demangle into s->readable, and return the size or 0. Uses a cache, because frames repeat names. A
 * cached name costs as many steps as before, so that the limit does not depend on the cache.
 */
static size_t read_remembered_name(struct markup_symbols *s, struct cairn_bytes name)
{
	const bool plain = name.size == 0 || (name.data[0] != '_' && name.data[0] != '.');
	const struct text_cache_entry *known =
		plain || s->naming.over ? NULL : text_cache_find(&s->names, name);
	const uint64_t before = s->naming.left;

	if (known) {
		allowance_draw(&s->naming, known->cost);
		memcpy(s->readable, text_cache_made(known).data, known->made_size);
		return known->made_size;
	}
	const size_t size = demangle_name_within(name, DEMANGLE_LLVM, s->readable,
	                                         sizeof(s->readable), &s->naming);
	const struct cairn_bytes made = { (const uint8_t *)s->readable, size };
	if (!plain && !s->naming.over)
		text_cache_keep(&s->names, name, made, before - s->naming.left);
	return size;
}

struct cairn_bytes markup_keep_readable(struct markup_symbols *s, size_t index,
                                        struct cairn_bytes name)
{
	size_t size = 0;

	if (!s->raw_names)
		size = read_remembered_name(s, name);
	struct cairn_bytes text = choose_name(s, name, size);
	s->texts[index] = malloc(text.size + 1);
	if (!s->texts[index])
		return name;
	memcpy(s->texts[index], text.data, text.size);
	return (struct cairn_bytes){ (uint8_t *)s->texts[index], text.size };
}

/*
 * Demangle a name that contains a NUL like llvm-symbolizer, which prints the result up to the NUL.
 * While the name is demangled, a byte that it does not contain replaces the NUL.
 */
static struct cairn_bytes read_to_nul(struct markup_symbols *s, struct cairn_bytes name)
{
	uint8_t copy[DEMANGLE_NAME_MAX], mark = 1;

	while (mark < ' ' && memchr(name.data, mark, name.size))
		mark++;
	if (name.size > sizeof(copy) || mark == ' ')
		return name;
	for (size_t i = 0; i < name.size; i++)
		copy[i] = name.data[i] ? name.data[i] : mark;
	struct cairn_bytes word = { copy, name.size };
	size_t size = demangle_word_within(word, DEMANGLE_LLVM, s->readable, sizeof(s->readable),
	                                   &s->naming);
	const char *end = memchr(s->readable, mark, size);
	if (size == 0)
		return name;
	return (struct cairn_bytes){ (uint8_t *)s->readable,
		                     end ? (size_t)(end - s->readable) : size };
}

struct cairn_bytes markup_symbols_readable(void *symbols, struct cairn_bytes name)
{
	struct markup_symbols *s = symbols;

	if (s->any_build && name.size > 0 && memchr(name.data, '\0', name.size))
		return read_to_nul(s, name);
	size_t size = demangle_word_within(name, DEMANGLE_LLVM, s->readable, sizeof(s->readable),
	                                   &s->naming);

	return choose_name(s, name, size);
}
