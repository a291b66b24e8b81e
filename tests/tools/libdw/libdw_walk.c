/* SPDX-License-Identifier: MIT */
/*
 * Walks the DIEs of one unit with libdw and passes functions and inlined calls to the function
 * builder.
 */
#include "libdw_walk.h"

#include "base/error.h"

#include "libdw_parts.h"
#include "libdw_ranges.h"

#include "debuginfo/dies.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t nothing[1];

/* libdw reads an image of the sections, as our own reader has them. */
static Dwarf *open_one(const struct dwarf_file *plain, void **image, Elf **elf)
{
	size_t size;

	*image = libdw_build_image(plain, &size);
	*elf = *image ? elf_memory(*image, size) : NULL;
	return *elf ? dwarf_begin_elf(*elf, DWARF_C_READ, NULL) : NULL;
}

struct libdw_reader *libdw_open(const struct dwarf_file *plain, const struct dwarf_file *alt,
                                struct budget *budget)
{
	struct libdw_reader *libdw = calloc(1, sizeof(*libdw));

	if (!libdw || elf_version(EV_CURRENT) == EV_NONE) {
		free(libdw);
		return NULL;
	}
	libdw->budget = budget;
	libdw->scopes.unit = UINT64_MAX;
	libdw->dwarf = open_one(plain, &libdw->image, &libdw->elf);
	if (alt)
		libdw->alt = open_one(alt, &libdw->alt_image, &libdw->alt_elf);
	if (libdw->dwarf) {
		dwarf_setalt(libdw->dwarf, libdw->alt);
		return libdw;
	}
	libdw_close(libdw);
	return NULL;
}

void libdw_close(struct libdw_reader *libdw)
{
	if (!libdw)
		return;
	dwarf_end(libdw->dwarf);
	dwarf_end(libdw->alt);
	elf_end(libdw->elf);
	elf_end(libdw->alt_elf);
	free(libdw->image);
	free(libdw->alt_image);
	free(libdw->scopes.scope);
	free(libdw);
}

bool libdw_find_lines(struct libdw_reader *libdw, const struct dwarf_unit *unit, uint64_t *offset,
                      struct cairn_bytes *comp_dir)
{
	Dwarf_Attribute attribute;
	Dwarf_Die root;

	*comp_dir = (struct cairn_bytes){ nothing, 0 };
	if (!dwarf_offdie(libdw->dwarf, unit->first, &root))
		return false;
	const char *text =
		dwarf_attr(&root, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
	if (text)
		*comp_dir = (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
	return libdw_read_number(dwarf_attr(&root, DW_AT_stmt_list, &attribute), offset);
}

/* A way down through the tree, and which of its entries the builder has open. */
struct walk {
	struct libdw_reader *libdw;
	const struct libdw_unit *unit;
	bool cplusplus;
	struct libdw_ranges ranges;
	Dwarf_Die die[LIBDW_DEPTH_MAX];
	bool open[LIBDW_DEPTH_MAX];
	uint64_t before[LIBDW_DEPTH_MAX]; /* steps of the walk up to this entry */
	size_t depth;
	uint64_t steps;
	bool broken; /* libdw could not go on */
};

static bool fail_walk_no_memory(struct walk *walk)
{
	walk->unit->builder->status = CAIRN_NO_MEMORY;
	return false;
}

static bool add_die_ranges(struct walk *walk, Dwarf_Die *die)
{
	struct dwarf_ranges list;
	struct cairn_range one;

	switch (libdw_ranges_open(&walk->ranges, die, &one, &list)) {
	case LIBDW_RANGES_ONE:
		return function_builder_range(walk->unit->builder, one);
	case LIBDW_RANGES_LIST:
		return function_builder_list(walk->unit->builder, &list);
	case LIBDW_RANGES_NONE:
		break;
	}
	return true;
}

static void fill_die_lines_hint(const struct walk *walk, Dwarf_Die *die, struct lines_hint *hint)
{
	Dwarf_Attribute attribute;
	uint64_t number;

	if (libdw_read_number(dwarf_attr(die, DWARF_AT_LLVM_STMT_SEQUENCE, &attribute), &number)) {
		hint->has_sequence = true;
		hint->sequence = number;
	}
	if (libdw_read_number(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &number))
		hint->line = (uint32_t)number;
	if (libdw_read_number(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &number))
		hint->file = lines_file(walk->unit->lines, number);
}

static bool is_concrete(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

static bool open_function(struct walk *walk, Dwarf_Die *die)
{
	struct cairn_bytes empty = { nothing, 0 };
	struct function_builder_function function = { .names = { empty, empty, empty, 0 } };
	struct function_builder *builder = walk->unit->builder;

	if (is_concrete(die)) {
		if (!add_die_ranges(walk, die))
			return false;
		bool qualified = walk->cplusplus && builder->names == CAIRN_NAMES_QUALIFIED &&
		                 function_builder_needs_name(builder);
		if (!libdw_read_names(walk->libdw, walk->unit, die, qualified, &function.names))
			return fail_walk_no_memory(walk);
		fill_die_lines_hint(walk, die, &function.hint);
	}
	return function_builder_open_function(builder, &function);
}

static bool open_inline(struct walk *walk, Dwarf_Die *die)
{
	struct function_builder_inline call = { .call_file = 0 };
	const enum cairn_name_style style = walk->unit->builder->names;
	struct function_builder_names names;
	Dwarf_Attribute attribute;
	uint64_t number;

	if (libdw_read_number(dwarf_attr(die, DW_AT_call_file, &attribute), &number))
		call.call_file = lines_file(walk->unit->lines, number);
	if (libdw_read_number(dwarf_attr(die, DW_AT_call_line, &attribute), &number))
		call.call_line = (uint32_t)number;
	if (walk->unit->lines->columns &&
	    libdw_read_number(dwarf_attr(die, DW_AT_call_column, &attribute), &number))
		call.call_column = (uint32_t)number;
	if (!add_die_ranges(walk, die))
		return false;
	call.has_entry = dwarf_hasattr(die, DW_AT_entry_pc) && dwarf_entrypc(die, &call.entry) == 0;
	if (!libdw_read_names(walk->libdw, walk->unit, die,
	                      walk->cplusplus && style == CAIRN_NAMES_QUALIFIED, &names))
		return fail_walk_no_memory(walk);
	call.name =
		names.linkage.size > 0 && style != CAIRN_NAMES_SHORT ? names.linkage : names.name;
	return function_builder_open_inline(walk->unit->builder, &call);
}

static bool add_libdw_call_site(struct walk *walk, Dwarf_Die *die)
{
	bool is_new = dwarf_tag(die) == DW_TAG_call_site;
	struct cairn_bytes empty = { nothing, 0 };
	struct function_builder_names names = { empty, empty, empty, 0 };
	Dwarf_Attribute attribute;
	Dwarf_Die callee;
	Dwarf_Addr va;

	if (!dwarf_attr(die, is_new ? DW_AT_call_return_pc : DW_AT_low_pc, &attribute) ||
	    dwarf_formaddr(&attribute, &va) != 0)
		return true;
	if (dwarf_attr(die, is_new ? DW_AT_call_origin : DW_AT_abstract_origin, &attribute) &&
	    dwarf_formref_die(&attribute, &callee) &&
	    !libdw_read_names(walk->libdw, walk->unit, &callee, false, &names))
		return fail_walk_no_memory(walk);
	return function_builder_call(walk->unit->builder, va,
	                             names.linkage.size > 0 ? names.linkage : names.plain);
}

/* As debuginfo/program_read.c has it: among the entries that follow, of whatever depth. */
static bool has_variable(Dwarf_Die *die)
{
	enum { LOOK = 4 };
	Dwarf_Die path[LOOK + 1] = { *die };
	size_t depth = 0;

	for (unsigned i = 0; i < LOOK; i++) {
		if (dwarf_child(&path[depth], &path[depth + 1]) == 0)
			depth++;
		else
			while (depth > 0 && dwarf_siblingof(&path[depth], &path[depth]) != 0)
				depth--;
		if (depth == 0)
			return false;
		if (dwarf_tag(&path[depth]) == DW_TAG_variable)
			return true;
	}
	return false;
}

/* As debuginfo/program_read.c has it: which entries describe functions. */
static bool enter_libdw_die(struct walk *walk, Dwarf_Die *die)
{
	bool inside = function_builder_in_function(walk->unit->builder), ok = true;

	uint64_t steps = libdw_steps(walk->libdw, die);
	walk->before[walk->depth] = walk->steps;
	walk->steps += steps;
	walk->die[walk->depth] = *die;
	walk->open[walk->depth] = false;
	if (!budget_work(walk->libdw->budget, steps))
		return false;
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (!is_concrete(die) && !(inside && dwarf_haschildren(die) == 1))
			return true;
		ok = open_function(walk, die);
		break;
	case DW_TAG_inlined_subroutine:
		if (!inside)
			return true;
		ok = open_inline(walk, die);
		break;
	case DW_TAG_lexical_block:
		return !inside || !walk->unit->lines->every_row || !has_variable(die) ||
		       (add_die_ranges(walk, die) && function_builder_scope(walk->unit->builder));
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return !inside || !walk->unit->call_sites || add_libdw_call_site(walk, die);
	default: /* types, variables */
		return true;
	}
	walk->open[walk->depth] = ok;
	return ok;
}

static bool leave_libdw_die(struct walk *walk)
{
	return !walk->open[walk->depth] || function_builder_close(walk->unit->builder);
}

/* On to the next entry, closing those that end; false after the last. */
static bool step_libdw_walk(struct walk *walk, bool *ok)
{
	Dwarf_Die next;
	int child = dwarf_child(&walk->die[walk->depth], &next);

	/* libdw would look for each sibling by reading all that is below */
	if (child == 0 && walk->depth + 1 == LIBDW_DEPTH_MAX) {
		walk->unit->builder->too_deep = true;
		return false;
	}
	if (child == 0) {
		walk->depth++;
		return (*ok = enter_libdw_die(walk, &next));
	}
	walk->broken = child < 0;
	for (; walk->depth > 0; walk->depth--) {
		*ok = leave_libdw_die(walk);
		if (!*ok)
			return false;
		int more = libdw_next(walk->libdw, &walk->die[walk->depth], &next,
		                      walk->steps - walk->before[walk->depth]);
		if (more > 0)
			return (*ok = enter_libdw_die(walk, &next));
		walk->broken = walk->broken || more < 0;
	}
	return false;
}

static enum cairn_status report_walk_end(const struct walk *walk, struct cairn_fault *fault)
{
	Dwarf_Die *die = (Dwarf_Die *)&walk->die[walk->depth];

	*fault = (struct cairn_fault){ CAIRN_OK, dwarf_dieoffset(die), NULL };
	if (walk->broken)
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, fault->offset,
			                       "libdw cannot read past this entry" };
	if (walk->unit->builder->too_deep)
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, fault->offset,
			                       "entries nest too deep" };
	if (walk->unit->builder->status != CAIRN_OK)
		fault->status = walk->unit->builder->status;
	return fault->status;
}

static enum cairn_status walk_unit(struct walk *walk, struct cairn_fault *fault)
{
	Dwarf_Die root;
	bool ok;

	if (!dwarf_offdie(walk->libdw->dwarf, walk->unit->unit->first, &root)) {
		return fault_set_at(fault, CAIRN_MALFORMED, walk->unit->unit->offset,
		                    "libdw cannot read this unit");
	}
	int language = dwarf_srclang(&root);
	walk->cplusplus = language > 0 && dies_is_in((uint64_t)language, DIES_CPLUSPLUS);
	ok = enter_libdw_die(walk, &root);
	while (ok && step_libdw_walk(walk, &ok))
		continue;
	return report_walk_end(walk, fault);
}

enum cairn_status libdw_read_unit(struct libdw_reader *libdw, const struct libdw_unit *unit,
                                  struct cairn_fault *fault)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	if (!walk) {
		return fault_set(fault, CAIRN_NO_MEMORY, "no memory to walk a unit");
	}
	walk->libdw = libdw;
	walk->unit = unit;
	walk->ranges.sections = unit->sections;
	enum cairn_status status = walk_unit(walk, fault);
	free(walk);
	return status;
}
