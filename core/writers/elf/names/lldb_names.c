/* SPDX-License-Identifier: MIT */
/*
 * Names as LLDB wants them: it finds a function by the last part of its name, without the arguments
 * of templates, and shows what the linkage name demangles to.  A name that came demangled gets a
 * linkage name made up of its path: "ns::Class::f(int)" is _ZN2ns5Class1fE, and "f(int)" is _Z1f.
 * Functions that the compiler made of others have the name of those, as in DWARF: a part that was split
 * off stays a function of its own, because LLDB unwinds all of a function by the rules of its start.
 */
#include "writers/elf/parts.h"

#include "base/bytes_compare.h"
#include "symbols/names/demangle.h"

#include <stdio.h>
#include <string.h>

enum {
	LLDB_TEXT_MAX = 4096,   /* of a readable name that is taken apart */
	LLDB_LINKAGE_MAX = 1024 /* of a name that is made up */
};

static struct cairn_bytes name_text(const struct elf_writer *w, uint32_t name)
{
	const struct interner_entry *e = &w->names.entry[name];

	return (struct cairn_bytes){ w->names.text.data + e->offset, e->size };
}

/* "get<int>" is found as "get"; operators keep what may be theirs. */
static struct cairn_bytes drop_template_arguments(struct cairn_bytes part)
{
	const uint8_t *bracket = part.size > 0 ? memchr(part.data, '<', part.size) : NULL;

	if (bracket && bracket > part.data && !bytes_begin_with(part, "operator"))
		part.size = (size_t)(bracket - part.data);
	return part;
}

/* The last part of a readable name, with parameters or without; empty: there is none. */
static struct cairn_bytes last_part(struct cairn_bytes text)
{
	struct elf_writer_demangled parts;
	struct cairn_bytes part;

	if (elf_writer_demangled(text, &parts))
		return drop_template_arguments(parts.last);
	while (elf_writer_next_scope(&text, &part))
		continue;
	return drop_template_arguments(text);
}

/* "int ns", where a type is before the path; blanks in brackets are of the path. */
static bool has_type_before(struct cairn_bytes part)
{
	for (size_t at = 0; at < part.size && !strchr("(<{[", part.data[at]); at++)
		if (part.data[at] == ' ')
			return true;
	return false;
}

/* "ns::f", as DWARF has functions without a linkage name; false when it is not a path. */
static bool split_path(struct cairn_bytes text, struct elf_writer_demangled *parts)
{
	struct cairn_bytes part, last = text;

	if (text.size > ELF_WRITER_READABLE_MAX)
		return false;
	while (elf_writer_next_scope(&last, &part))
		if (part.size == 0 || has_type_before(part))
			return false;
	*parts = (struct elf_writer_demangled){ .whole = text, .last = last };
	return last.size > 0 && last.size < text.size;
}

/* A readable name with parameters, or a path. */
static bool split_readable(struct cairn_bytes text, struct elf_writer_demangled *parts)
{
	return elf_writer_demangled(text, parts) || split_path(text, parts);
}

/* The number of the last part of a mangled name, or of that name when it cannot be read. */
static uint32_t unqualified_mangled(struct elf_writer *w, uint32_t name)
{
	uint8_t text[LLDB_TEXT_MAX];
	const size_t size =
		demangle_name(name_text(w, name), DEMANGLE_LLVM, (char *)text, sizeof(text));
	const struct cairn_bytes part = last_part((struct cairn_bytes){ text, size });
	uint32_t number = part.size > 0 ? interner_add_copy(&w->names, part) : 0;

	return number ? number : name;
}

/* Appends "2ns"; false when there is no room for it. */
static bool append_part(char *out, size_t *size, struct cairn_bytes part)
{
	int digits = snprintf(out + *size, LLDB_LINKAGE_MAX - *size, "%zu", part.size);

	if (part.size == 0 || digits < 0 || part.size > LLDB_LINKAGE_MAX ||
	    *size + (size_t)digits + part.size + 2 > LLDB_LINKAGE_MAX)
		return false;
	memcpy(out + *size + digits, part.data, part.size);
	*size += (size_t)digits + part.size;
	return true;
}

/* The number of a made-up linkage name; 0: it cannot be made, or is too long. */
static uint32_t made_up_linkage(struct elf_writer *w, const struct elf_writer_demangled *parts)
{
	struct cairn_bytes part,
		path = { parts->whole.data, (size_t)(parts->last.data - parts->whole.data) };
	const bool nested = path.size > 0;
	char linkage[LLDB_LINKAGE_MAX] = "_ZN";
	size_t size = nested ? 3 : 2;

	while (elf_writer_next_scope(&path, &part))
		if (!append_part(linkage, &size, part))
			return 0;
	if (path.size > 0 || !append_part(linkage, &size, parts->last))
		return 0;
	if (nested)
		linkage[size++] = 'E';
	return interner_add_copy(&w->names, (struct cairn_bytes){ (const uint8_t *)linkage, size });
}

struct elf_writer_debug_name elf_writer_lldb_name(struct elf_writer *w, uint32_t name)
{
	struct elf_writer_debug_name made = { name, 0 };
	struct elf_writer_demangled parts;

	const uint32_t source = elf_writer_source_name_number(w, name);
	const struct cairn_bytes text = name_text(w, source);
	if (split_readable(text, &parts)) {
		made.linkage = made_up_linkage(w, &parts);
		/* the text may have moved */
		split_readable(name_text(w, source), &parts);
		made.name = interner_add_copy(&w->names, drop_template_arguments(parts.last));
		return made.name ? made : (struct elf_writer_debug_name){ name, 0 };
	}
	made.name = source;
	if (bytes_begin_with(text, "_Z") || bytes_begin_with(text, "_R")) {
		made.name = unqualified_mangled(w, source);
		made.linkage = made.name != source ? source : 0;
	}
	return made;
}

/* LLDB takes what follows an "@" for a version: a breakpoint on puts would stop in the stub of it. */
static uint32_t symbol_of_stub(struct elf_writer *w, uint32_t name)
{
	static const char suffix[] = "@plt";
	const size_t tail = sizeof(suffix) - 1;
	const struct cairn_bytes text = name_text(w, name);

	if (text.size <= tail || memcmp(text.data + text.size - tail, suffix, tail) != 0)
		return name;
	uint8_t *copy = malloc(text.size);
	if (!copy)
		return 0;
	memcpy(copy, text.data, text.size);
	copy[text.size - tail] = '.';
	const uint32_t number =
		interner_add_copy(&w->names, (struct cairn_bytes){ copy, text.size });
	free(copy);
	return number;
}

uint32_t elf_writer_symbol_name(struct elf_writer *w, uint32_t name)
{
	if (!w->options.for_lldb)
		return name;
	if (!elf_writer_is_demangled(w, name))
		return symbol_of_stub(w, name);
	const struct elf_writer_debug_name made = elf_writer_lldb_name(w, name);
	return made.linkage ? made.linkage : name;
}
