/* SPDX-License-Identifier: MIT */
/*
 * Functions that the compiler made of others, known by the suffix of their symbols.  DWARF names a
 * clone ("yy_reduce.constprop.0") as the source does, and the code that was split off into a
 * section of its own ("main.cold") is a range of the function that it belongs to; the object does
 * likewise, so that a breakpoint on the function has the places it has in the complete build.
 */
#include "writers/elf/parts.h"

#include "base/bytes_compare.h"

#include <string.h>

/* Names above this length are left as they are. */
enum { CLONE_NAME_MAX = 2048 };

/* An entry's mark while parents are looked for: several functions have the name. */
#define SEVERAL UINT32_MAX

/* What gcc and clang append to the name of a function they made of another one. */
static const char *const suffixes[] = { ".constprop", ".isra", ".part",      ".cold",
	                                ".lto_priv",  ".llvm", ".localalias" };

/* What demanglers write before the suffix, which is in brackets. */
static const char clone_word[] = " [clone";

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* Without ".5" at its end, if it has that. */
static struct cairn_bytes drop_clone_number(struct cairn_bytes name)
{
	size_t size = name.size;

	while (size > 0 && is_digit(name.data[size - 1]))
		size--;
	if (size > 1 && size < name.size && name.data[size - 1] == '.')
		name.size = size - 1;
	return name;
}

/* Without the suffix, and what follows it; true when the name ends with it. */
static bool drop_suffix(struct cairn_bytes *name, const char *suffix)
{
	struct cairn_bytes text = drop_clone_number(*name);
	size_t size = strlen(suffix);

	if (text.size <= size || memcmp(text.data + text.size - size, suffix, size) != 0)
		return false;
	name->size = text.size - size;
	return true;
}

static bool drop_any_suffix(struct cairn_bytes *name)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (drop_suffix(name, suffixes[i]))
			return true;
	return false;
}

/* The blank and ".isra.0" of "f(int) [clone .isra.0]", as demanglers write it; else empty. */
static struct cairn_bytes clone_text(struct cairn_bytes name)
{
	struct cairn_bytes none = { name.data, 0 };
	size_t size = strlen(clone_word), at = name.size;

	if (name.size == 0 || name.data[name.size - 1] != ']')
		return none;
	while (at > 0 && name.data[at - 1] != '[')
		at--;
	if (at < 3 || name.size - (at - 2) <= size + 1 ||
	    memcmp(name.data + at - 2, clone_word, size) != 0)
		return none;
	return (struct cairn_bytes){ name.data + at - 2 + size, name.size - (at - 2) - size - 1 };
}

/* Takes the text of a clone off; true when it holds nothing but suffixes that `drop` takes. */
static bool drop_clone_text(struct cairn_bytes *name, bool (*drop)(struct cairn_bytes *))
{
	struct cairn_bytes text = clone_text(*name);

	if (text.size == 0 || !drop(&text))
		return false;
	while (drop(&text))
		continue;
	if (text.size != 1 || text.data[0] != ' ')
		return false;
	name->size = (size_t)(text.data - name->data) - strlen(clone_word);
	return true;
}

static bool drop_cold(struct cairn_bytes *name)
{
	return drop_suffix(name, ".cold");
}

struct cairn_bytes elf_writer_source_name(struct cairn_bytes name)
{
	/* each suffix begins with a point, and most names have none */
	if (name.size == 0 || !memchr(name.data, '.', name.size))
		return name;
	while (drop_any_suffix(&name) || drop_clone_text(&name, drop_any_suffix))
		continue;
	return name;
}

uint32_t elf_writer_add_name_part(struct elf_writer *w, struct cairn_bytes part)
{
	uint8_t copy[CLONE_NAME_MAX]; /* the table may move while it grows */

	if (part.size > sizeof(copy))
		return 0;
	memcpy(copy, part.data, part.size);
	return interner_add_copy(&w->names, (struct cairn_bytes){ copy, part.size });
}

uint32_t elf_writer_source_name_number(struct elf_writer *w, uint32_t name)
{
	struct cairn_bytes text = interner_text(&w->names, name),
			   source = elf_writer_source_name(text);
	uint32_t number = source.size < text.size ? elf_writer_add_name_part(w, source) : name;

	return number ? number : name;
}

bool elf_writer_has_local_symbol(const struct elf_writer *w, uint32_t name)
{
	struct cairn_bytes text = interner_text(&w->names, name);

	return elf_writer_source_name(text).size < text.size || bytes_go_on_after(text, "_ZZ");
}

/* The name of the function that this one was split off from: 0 when it was not. */
static uint32_t parent_name(struct elf_writer *w, const struct elf_writer_function *f)
{
	struct cairn_bytes name = interner_text(&w->names, f->name);

	bool is_part = drop_cold(&name) || drop_clone_text(&name, drop_cold);

	return is_part ? elf_writer_add_name_part(w, name) : 0;
}

/* Marks the names of functions that have code with their index + 1. */
static void mark_names(struct elf_writer *w)
{
	for (size_t i = 0; i < w->functions; i++) {
		struct elf_writer_function *f = &w->function[i];
		uint32_t *mark = &w->names.entry[f->name].mark;
		if (f->pieces > 0)
			*mark = *mark ? SEVERAL : (uint32_t)i + 1;
	}
}

/* A function has one such part, and a part has none; any other stays a function of its own. */
static void join_cold_part(struct elf_writer *w, size_t child)
{
	struct elf_writer_function *f = &w->function[child];
	uint32_t name = f->pieces > 0 ? parent_name(w, f) : 0;
	uint32_t mark = name ? w->names.entry[name].mark : 0;

	if (mark == 0 || mark == SEVERAL || f->cold != 0)
		return;
	struct elf_writer_function *parent = &w->function[mark - 1];
	bool apart = f->end <= parent->start || parent->end <= f->start;
	if (parent->cold != 0 || parent->parent != 0 || !apart)
		return;
	f->parent = mark;
	parent->cold = (uint32_t)child + 1;
}

void elf_writer_join_cold_parts(struct elf_writer *w)
{
	if (w->functions >= SEVERAL - 1)
		return;
	mark_names(w);
	for (size_t i = 0; i < w->functions; i++)
		join_cold_part(w, i);
	for (size_t i = 0; i < w->functions; i++)
		w->names.entry[w->function[i].name].mark = 0;
	for (size_t i = 0; i < w->pieces; i++) {
		struct elf_writer_function *f = &w->function[w->piece[i].function];
		if (f->parent == 0)
			continue;
		w->piece[i].function = f->parent - 1;
		f->pieces--;
		w->function[f->parent - 1].pieces++;
	}
}
