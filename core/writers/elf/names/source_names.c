/* SPDX-License-Identifier: MIT */
/*
 * Derives from a name the source language and the last component, by which debuggers find a function: without demangling
 * it, but for names of Rust.
 */
#include "writers/elf/parts.h"

#include "base/bytes_compare.h"
#include "symbols/names/demangle.h"

#include <string.h>

/* A longer name stays whole.  The last part of a template's instance has its arguments and is often half of it. */
enum { PATH_MAX_SIZE = 2048 };

enum {
	LANGUAGE_C99 = 0x0c,
	LANGUAGE_CPLUSPLUS = 0x1a, /* C++11; debuggers know one C++ */
};

/* A part of a mangled name that is not for us to take apart ends it. */
static bool read_mangled_part(struct cairn_bytes text, size_t *at, struct cairn_bytes *last)
{
	size_t size = 0, p = *at;

	while (p < text.size && text.data[p] >= '0' && text.data[p] <= '9' && size < text.size)
		size = 10 * size + (size_t)(text.data[p++] - '0');
	if (size == 0 || size > text.size - p)
		return false;
	*last = (struct cairn_bytes){ text.data + p, size };
	*at = p + size;
	return true;
}

/*
 * The last part of a C++ name without templates and operators: "_ZN3foo3barEi", "_Z3bari".  Those
 * of constructors are their classes'.
 */
static bool find_last_part(struct cairn_bytes text, struct cairn_bytes *last)
{
	static const char nested_std[] = "_ZNSt";
	bool nested = bytes_go_on_after(text, "_ZN"),
	     std = bytes_go_on_after(text, "_ZSt") || bytes_go_on_after(text, nested_std);
	size_t at = nested ? 3 : 2;

	if (!bytes_go_on_after(text, "_Z"))
		return false;
	if (nested && at < text.size && text.data[at] == 'K')
		at++;
	else if (!nested && text.data[at] == 'L')
		at++;
	if (std)
		at += 2;
	if (!read_mangled_part(text, &at, last))
		return false;
	while (nested && read_mangled_part(text, &at, last))
		continue;
	if (nested && at < text.size && text.data[at] == 'C')
		at += 2;
	return !nested || (at < text.size && text.data[at] == 'E');
}

/* Rust's older names are C++ names that end with a hash: "17h", 16 digits, "E". */
static bool is_rust(struct cairn_bytes text)
{
	enum { TAIL = 20 };

	return bytes_go_on_after(text, "_R") ||
	       (bytes_go_on_after(text, "_ZN") && text.size > TAIL &&
	        memcmp(text.data + text.size - TAIL, "17h", 3) == 0 &&
	        text.data[text.size - 1] == 'E');
}

/*
 * The path of a mangled Rust name, whose linkage name debuggers do not read: "a::b<c>::d" of a::b::<c>::d.  Its size, 0 when there
 * is none.
 */
static size_t read_rust_path(struct cairn_bytes name, uint8_t text[PATH_MAX_SIZE])
{
	size_t size = demangle_name(name, DEMANGLE_GNU, (char *)text, PATH_MAX_SIZE), to = 0;

	for (size_t at = 0; at < size; at++) {
		if (to > 0 && size - at > 2 && memcmp(text + at, "::<", 3) == 0)
			at += 2;
		text[to++] = text[at];
	}
	return to;
}

/*
 * The parts of a name that says where its function is declared: a demangled one, or a mangled one of C++ or Rust, which `text`
 * then holds.  False when it is neither, or too long.
 */
static bool split_name(struct cairn_bytes name, uint8_t text[PATH_MAX_SIZE],
                       struct elf_writer_demangled *parts)
{
	struct cairn_bytes part, path = { text, 0 };

	if (is_rust(name)) {
		path.size = read_rust_path(name, text);
		*parts = (struct elf_writer_demangled){ .whole = path, .last = path };
		while (elf_writer_next_scope(&parts->last, &part))
			continue;
		return path.size > 0;
	}
	if (bytes_go_on_after(name, "_Z")) {
		path.size = demangle_name(name, DEMANGLE_GNU, (char *)text, PATH_MAX_SIZE);
		return elf_writer_demangled(path, parts);
	}
	return elf_writer_demangled(name, parts);
}

static uint32_t find_unqualified_name(struct elf_writer *w, uint32_t name)
{
	struct cairn_bytes part, text = elf_writer_source_name(interner_text(&w->names, name));
	struct elf_writer_demangled parts;
	uint8_t path[PATH_MAX_SIZE];

	if (!is_rust(text) && find_last_part(text, &part))
		parts.last = part;
	else if (!split_name(text, path, &parts))
		return elf_writer_source_name_number(w, name);
	const uint32_t plain = elf_writer_add_name_part(w, parts.last);
	return plain ? plain : name;
}

bool elf_writer_is_demangled(const struct elf_writer *w, uint32_t name)
{
	struct elf_writer_demangled parts;

	return elf_writer_demangled(interner_text(&w->names, name), &parts);
}

/* Numbers of the parts of "a::b::"; none when there are too many. */
static void number_scopes(struct elf_writer *w, struct cairn_bytes path,
                          struct elf_writer_scopes *scopes)
{
	struct cairn_bytes part;

	scopes->count = 0;
	while (elf_writer_next_scope(&path, &part)) {
		/* GDB 13 never ends its search for go() when it comes upon a namespace "go(long)" */
		uint32_t number = interner_add_copy(&w->names, elf_writer_without_parameters(part));
		if (scopes->count == ELF_WRITER_SCOPES || number == 0) {
			scopes->count = 0;
			return;
		}
		scopes->name[scopes->count++] = number;
	}
}

static void find_scopes(struct elf_writer *w, uint32_t name, struct elf_writer_scopes *scopes)
{
	uint8_t text[PATH_MAX_SIZE], copy[PATH_MAX_SIZE]; /* the table may move while it grows */
	struct elf_writer_demangled parts;
	struct cairn_bytes path = { copy, 0 };

	scopes->count = 0;
	if (!split_name(elf_writer_source_name(interner_text(&w->names, name)), text, &parts))
		return;
	path.size = (size_t)(parts.last.data - parts.whole.data);
	if (path.size > sizeof(copy))
		return;
	memcpy(copy, parts.whole.data, path.size);
	number_scopes(w, path, scopes);
}

/* Keeps the parts of a name; false when memory is short. */
static bool keep_parts(struct elf_writer *w, uint32_t name, uint32_t last,
                       const struct elf_writer_scopes *scopes)
{
	if (!array_grow(&w->parts, &w->parts_room, w->parts_count + 2 + scopes->count,
	                sizeof(*w->parts)))
		return false;
	w->parts_at[name] = (uint32_t)w->parts_count + 1;
	w->parts[w->parts_count++] = last;
	w->parts[w->parts_count++] = (uint32_t)scopes->count;
	for (size_t i = 0; i < scopes->count; i++)
		w->parts[w->parts_count++] = scopes->name[i];
	return true;
}

/* Takes a name apart; false when memory is short. */
static bool add_parts(struct elf_writer *w, uint32_t name)
{
	struct elf_writer_scopes scopes;
	const uint32_t last = find_unqualified_name(w, name);

	find_scopes(w, name, &scopes);
	return keep_parts(w, name, last, &scopes);
}

/* Room for the parts of a name; false when memory is short. */
static bool reserve_parts(struct elf_writer *w, uint32_t name)
{
	const size_t room = w->parts_at_room;

	if (!array_grow(&w->parts_at, &w->parts_at_room, (size_t)name + 1, sizeof(*w->parts_at)))
		return false;
	if (w->parts_at_room > room)
		memset(w->parts_at + room, 0, (w->parts_at_room - room) * sizeof(*w->parts_at));
	return true;
}

/* The parts of a name, which are found once, because many units have it; NULL when memory is short. */
static const uint32_t *find_parts(struct elf_writer *w, uint32_t name)
{
	if (!reserve_parts(w, name) || (w->parts_at[name] == 0 && !add_parts(w, name))) {
		w->failed = true;
		return NULL;
	}
	return w->parts + w->parts_at[name] - 1;
}

/* The parts of a path, for a name that has none yet; false when memory is short. */
static bool split_path_for(struct elf_writer *w, uint32_t name, struct cairn_bytes path)
{
	struct elf_writer_scopes scopes;
	struct cairn_bytes part, last = path;

	if (!reserve_parts(w, name))
		return false;
	if (w->parts_at[name] != 0)
		return true;
	while (elf_writer_next_scope(&last, &part))
		continue;
	const uint32_t number = elf_writer_add_name_part(w, last);
	number_scopes(w, (struct cairn_bytes){ path.data, path.size - last.size }, &scopes);
	return number == 0 || keep_parts(w, name, number, &scopes);
}

void elf_writer_set_path(struct elf_writer *w, uint32_t name, struct cairn_bytes path)
{
	const struct cairn_bytes text = elf_writer_source_name(interner_text(&w->names, name));

	if ((bytes_go_on_after(text, "_Z") && !is_rust(text)) ||
	    path.size > ELF_WRITER_READABLE_MAX)
		return;
	const uint32_t source = elf_writer_source_name_number(w, name);
	if (!elf_writer_clean_text(w, &path) || !split_path_for(w, name, path) ||
	    !split_path_for(w, source, path))
		w->failed = true;
}

uint32_t elf_writer_unqualified_name(struct elf_writer *w, uint32_t name)
{
	const uint32_t *parts = find_parts(w, name);

	return parts ? parts[0] : name;
}

void elf_writer_scopes(struct elf_writer *w, uint32_t name, struct elf_writer_scopes *scopes)
{
	const uint32_t *parts = find_parts(w, name);

	scopes->count = parts ? parts[1] : 0;
	for (size_t i = 0; i < scopes->count; i++)
		scopes->name[i] = parts[2 + i];
}

/* Demangled, or the path that a debugger made of it. */
static bool is_cplusplus(struct cairn_bytes text)
{
	struct elf_writer_demangled readable;

	if (text.size > ELF_WRITER_READABLE_MAX)
		return false;
	for (size_t i = 0; i + 1 < text.size; i++)
		if (text.data[i] == ':' && text.data[i + 1] == ':')
			return true;
	return elf_writer_demangled(text, &readable);
}

/* Names of each language. */
struct languages {
	size_t rust, cplusplus, d;
};

/* Is a plain name known by a path, as functions of Rust are that are not mangled? */
static bool has_path(const struct elf_writer *w, uint32_t name)
{
	return name < w->parts_at_room && w->parts_at[name] != 0 && w->parts[w->parts_at[name]] > 0;
}

static void count_name(const struct elf_writer *w, struct languages *counts, uint32_t name)
{
	const struct cairn_bytes text = elf_writer_source_name(interner_text(&w->names, name));

	if (is_rust(text))
		counts->rust++;
	else if (bytes_go_on_after(text, "_Z") || is_cplusplus(text))
		counts->cplusplus++;
	else if (has_path(w, name))
		counts->rust++;
	else if (bytes_go_on_after(text, "_D"))
		counts->d++;
}

static bool is_mangled(const struct languages *counts)
{
	return counts->cplusplus + counts->rust + counts->d > 0;
}

unsigned elf_writer_language(const struct elf_writer *w, const struct elf_writer_unit *unit,
                             const uint32_t *calls, size_t count, bool *mangles)
{
	struct languages counts = { 0, 0, 0 };

	for (size_t i = 0; i < unit->count; i++)
		count_name(w, &counts, w->function[unit->first + i].name);
	for (size_t i = 0; i < count && !is_mangled(&counts); i++)
		count_name(w, &counts, calls[i]);
	*mangles = is_mangled(&counts);
	if (!*mangles)
		return LANGUAGE_C99;
	if (counts.cplusplus >= counts.rust && counts.cplusplus >= counts.d)
		return LANGUAGE_CPLUSPLUS;
	return counts.rust >= counts.d ? ELF_WRITER_RUST : ELF_WRITER_D;
}
