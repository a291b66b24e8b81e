/* SPDX-License-Identifier: MIT */
#include "names.h"

#include "symtab.h"
#include "units.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct debuginfo_names {
	Elf *elf;
	Dwarf *dwarf; /* NULL when there is none */
	bool was_read;
	struct units units;
	struct symtab symtab;
};

/* A place in a source; file "" when it is not known. */
struct place {
	const char *file;
	int line;
};

static struct cairn_bytes text_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)(text ? text : ""), text ? strlen(text) : 0 };
}

struct debuginfo_names *debuginfo_names_open(struct cairn_bytes file, const char **why)
{
	struct debuginfo_names *n = calloc(1, sizeof(*n));

	if (!n) {
		*why = "out of memory";
		return NULL;
	}
	elf_version(EV_CURRENT);
	/* libelf takes a pointer that is not const, and only reads. */
	n->elf = elf_memory((char *)(uintptr_t)file.data, file.size);
	if (!n->elf || elf_kind(n->elf) != ELF_K_ELF) {
		*why = "libelf cannot read the file";
		debuginfo_names_close(n);
		return NULL;
	}
	n->dwarf = dwarf_begin_elf(n->elf, DWARF_C_READ, NULL);
	return n;
}

void debuginfo_names_close(struct debuginfo_names *names)
{
	if (!names)
		return;
	units_finish(&names->units);
	symtab_finish(&names->symtab);
	dwarf_end(names->dwarf);
	elf_end(names->elf);
	free(names);
}

/* Without memory for the lists there are no names, and that is all. */
static void read_lists(struct debuginfo_names *n)
{
	if (n->was_read)
		return;
	n->was_read = true;
	if (n->dwarf && !units_read(&n->units, n->dwarf))
		n->units.count = 0;
	if (!symtab_read(&n->symtab, n->elf))
		n->symtab.count = 0;
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = NULL;
		if (dwarf_attr_integrate(die, names[i], &attribute))
			name = dwarf_formstring(&attribute);
		if (name)
			return name;
	}
	return dwarf_diename(die);
}

/* Code that no source has stands in a file without a folder, whatever the line table says. */
static const char *file_of(const char *path)
{
	static const char made[] = "<compiler-generated>";
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (slash && strcmp(slash + 1, made) == 0)
		return slash + 1;
	return path ? path : "";
}

static struct place line_at(struct unit *unit, uint64_t va)
{
	struct place place = { "", 0 };
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, va);

	if (line) {
		place.file = file_of(dwarf_linesrc(line, NULL, NULL));
		if (dwarf_lineno(line, &place.line) != 0)
			place.line = 0;
	}
	return place;
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &number) != 0)
		return 0;
	return number;
}

/* Where an inlined call stands in the function around it. */
static struct place call_place(struct unit *unit, Dwarf_Die *call)
{
	Dwarf_Word file = number_of(call, DW_AT_call_file), line = number_of(call, DW_AT_call_line);
	Dwarf_Files *files;
	size_t count;
	struct place place = { "", line <= INT32_MAX ? (int)line : 0 };

	if (dwarf_getsrcfiles(&unit->die, &files, &count) == 0 && file < count)
		place.file = file_of(dwarf_filesrc(files, file, NULL, NULL));
	return place;
}

static struct cairn_location locate(const struct units_range *range, const char *name, uint64_t va,
                                    struct place place, bool inlined)
{
	return (struct cairn_location){ .function = text_of(name),
		                        .directory = text_of(NULL),
		                        .file = text_of(place.file),
		                        .start = range->low,
		                        .offset = va - range->low,
		                        .line = place.line > 0 ? (uint32_t)place.line : 0,
		                        .inlined = inlined };
}

/* The name in the symbol table, for a function that DWARF does not name. */
static const char *symbol_name(const struct debuginfo_names *n, uint64_t va)
{
	const struct symtab_entry *entry = symtab_find(&n->symtab, va);

	return entry ? entry->name : NULL;
}

/* The inlined calls around `va`, then the function itself. */
static size_t walk(const struct debuginfo_names *n, struct unit *unit,
                   const struct units_range *function, uint64_t va,
                   struct cairn_location locations[DEBUGINFO_LOCATIONS])
{
	struct place place = line_at(unit, va);
	struct units_range whole = *function;
	size_t count = 0;

	for (size_t i = function->behind; i-- > function->first;) {
		struct units_range *call = &unit->inlined.range[i];
		if (va < call->low || va >= call->high || count == DEBUGINFO_LOCATIONS - 1)
			continue;
		locations[count++] = locate(call, name_of(&call->die), va, place, true);
		place = call_place(unit, &call->die);
	}
	const char *name = name_of(&whole.die);
	locations[count++] = locate(&whole, name ? name : symbol_name(n, va), va, place, false);
	return count;
}

static size_t find_symbol(const struct debuginfo_names *n, uint64_t va,
                          struct cairn_location locations[DEBUGINFO_LOCATIONS])
{
	const struct symtab_entry *entry = symtab_find(&n->symtab, va);

	if (!entry)
		return 0;
	locations[0] = (struct cairn_location){ .function = text_of(entry->name),
		                                .directory = text_of(NULL),
		                                .file = text_of(NULL),
		                                .start = entry->va,
		                                .offset = va - entry->va };
	return 1;
}

size_t debuginfo_names_find(struct debuginfo_names *n, uint64_t va,
                            struct cairn_location locations[DEBUGINFO_LOCATIONS])
{
	read_lists(n);
	struct unit *unit = units_find(&n->units, va);
	const struct units_range *function = unit ? units_range_at(&unit->functions, va) : NULL;

	return function ? walk(n, unit, function, va, locations) : find_symbol(n, va, locations);
}
