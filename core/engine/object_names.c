/* SPDX-License-Identifier: MIT */
/*
 * What a mangled name tells without being taken apart by a demangler: the
 * source's language, and the last part of the name, by which debuggers find the
 * function when a user types that.
 */
#include "object_parts.h"

#include <string.h>

enum {
	LANGUAGE_C99 = 0x0c,
	LANGUAGE_D = 0x13,
	LANGUAGE_RUST = 0x1c,
	LANGUAGE_CPLUSPLUS = 0x1a, /* C++11; debuggers know one C++ */
};

static struct cairn_bytes name_text(const struct object_writer *w, uint32_t name)
{
	const struct intern_entry *e = &w->names.entry[name];

	return (struct cairn_bytes){ w->names.text.data + e->offset, e->size };
}

static bool begins(struct cairn_bytes text, const char *with)
{
	size_t size = strlen(with);

	return text.size > size && memcmp(text.data, with, size) == 0;
}

uint32_t object_plain_name(struct object_writer *w, uint32_t name)
{
	(void)w;
	return name;
}

/* Rust's older names are C++ names that end with a hash: "17h", 16 digits, "E".
 */
static bool is_rust(struct cairn_bytes text)
{
	enum { TAIL = 20 };

	return begins(text, "_R") || (begins(text, "_ZN") && text.size > TAIL &&
	                              memcmp(text.data + text.size - TAIL, "17h", 3) == 0 &&
	                              text.data[text.size - 1] == 'E');
}

unsigned object_language(const struct object_writer *w, const struct object_unit *unit,
                         bool *mangles)
{
	size_t rust = 0, cplusplus = 0, d = 0;

	for (size_t i = 0; i < unit->count; i++) {
		struct cairn_bytes text = name_text(w, w->function[unit->first + i].name);
		if (is_rust(text))
			rust++;
		else if (begins(text, "_Z"))
			cplusplus++;
		else if (begins(text, "_D"))
			d++;
	}
	*mangles = cplusplus + rust + d > 0;
	if (cplusplus == 0 && rust == 0 && d == 0)
		return LANGUAGE_C99;
	if (cplusplus >= rust && cplusplus >= d)
		return LANGUAGE_CPLUSPLUS;
	return rust >= d ? LANGUAGE_RUST : LANGUAGE_D;
}
