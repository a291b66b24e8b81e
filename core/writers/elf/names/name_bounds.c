/* SPDX-License-Identifier: MIT */
/*
 * Finds names that a debugger must not demangle. It does that by itself with every mangled name
 * that it is given, and knows no bound: one of 700 bytes exhausts its memory. Such a name gets a
 * '?' in front, so that no debugger takes it for a mangled name.
 */
#include "writers/elf/parts.h"

#include "base/bytes_compare.h"
#include "symbols/names/demangle.h"
#include "symbols/names/demangle_guard.h"

#include <string.h>

enum {
	FEW_REFERENCES = 12,      /* to parts of itself: the text is at most 81 times the name */
	USUAL_RATIO = 8,          /* of text and name; single ones of real programs have 44 */
	TEXT_BEYOND = 16 << 20,   /* bytes of texts beyond that, of all names of one object */
	DEBUGGER_NAME_MAX = 1024, /* of C++: longer ones no debugger of GNU's reads */
	D_REFERENCES = 12,        /* to types, in names of D, which nothing here reads */
};

/* Letters of a number of base 26 after 'Q': capitals, and a small one at the end; 0: it is none. */
static size_t read_distance(struct cairn_bytes name, size_t at)
{
	size_t distance = 0;

	for (at++; at < name.size && distance < name.size; at++) {
		uint8_t c = name.data[at];
		if (c >= 'a' && c <= 'z')
			return 26 * distance + (size_t)(c - 'a');
		if (c < 'A' || c > 'Z')
			return 0;
		distance = 26 * distance + (size_t)(c - 'A');
	}
	return 0;
}

/* References of a name of D to types; those to identifiers, which begin with digits, are harmless. */
static size_t count_d_references(struct cairn_bytes name)
{
	size_t count = 0;

	for (size_t at = 0; at < name.size; at++) {
		size_t distance = name.data[at] == 'Q' ? read_distance(name, at) : 0;
		if (distance == 0 || distance > at)
			continue;
		uint8_t target = name.data[at - distance];
		count += target < '0' || target > '9';
	}
	return count;
}

/* Is the text of the name short enough, and that of all names together? */
static bool is_bounded(struct elf_writer *w, struct cairn_bytes name)
{
	while (name.size > 0 && (name.data[0] == '.' || name.data[0] == '$')) {
		name.data++; /* as binutils passes over them */
		name.size--;
	}
	if (bytes_go_on_after(name, "_D"))
		return count_d_references(name) <= D_REFERENCES;
	if (!bytes_go_on_after(name, "_Z") && !bytes_go_on_after(name, "_R"))
		return true;
	bool rust = name.data[1] == 'R';
	if (!rust &&
	    (name.size > DEBUGGER_NAME_MAX || demangle_guard_references(name) <= FEW_REFERENCES))
		return true;
	size_t size = demangled_size(name);
	if (size == SIZE_MAX)
		return false;
	size_t beyond = size / USUAL_RATIO > name.size ? size - USUAL_RATIO * name.size : 0;
	w->text_beyond += beyond;
	return beyond == 0 || w->text_beyond <= TEXT_BEYOND;
}

static uint32_t mark_name(struct elf_writer *w, struct cairn_bytes name)
{
	if (!array_grow(&w->path, &w->path_room, name.size + 2, 1)) {
		w->failed = true;
		return 0;
	}
	w->path[0] = '?';
	memcpy(w->path + 1, name.data, name.size);
	return interner_add_copy(&w->names,
	                         (struct cairn_bytes){ (const uint8_t *)w->path, name.size + 1 });
}

uint32_t elf_writer_bounded_name(struct elf_writer *w, struct cairn_bytes name, bool moves)
{
	uint32_t known = w->names.count;
	uint32_t number =
		moves ? interner_add_copy(&w->names, name) : interner_add(&w->names, name);

	if (number >= known && number > 0 && !is_bounded(w, name)) {
		uint32_t marked = mark_name(w, name);
		w->names.entry[number].mark = marked;
	}
	uint32_t marked = w->names.entry[number].mark;
	return marked ? marked : number;
}
