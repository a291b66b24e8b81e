/* SPDX-License-Identifier: MIT */
/* Loads the abbreviations of a unit and reads the attributes of a DIE at an offset. */
#include "dies.h"

#include "base/fault.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t nothing[1];

bool dies_init(struct dies *dies, struct string_store *texts, const struct dies_file *program,
               bool few)
{
	*dies = (struct dies){ .texts = texts,
		               .program = program,
		               .name_room = few ? DIES_FEW : DIES_NAMES,
		               .length_room = few ? DIES_FEW : DIES_LENGTHS,
		               .budget = texts->budget };
	dies->main.budget = dies->budget;
	for (unsigned i = 0; i < DIES_UNITS; i++)
		dies->other[i].budget = dies->budget;
	dies->names = calloc(dies->name_room, sizeof(*dies->names));
	dies->lengths = calloc(dies->length_room, sizeof(*dies->lengths));
	return dies->names && dies->lengths;
}

void dies_finish(struct dies *dies)
{
	dies_unload(&dies->main);
	for (unsigned i = 0; i < DIES_UNITS; i++)
		dies_unload(&dies->other[i]);
	free(dies->names);
	free(dies->lengths);
	dies->names = NULL;
	dies->lengths = NULL;
}

void dies_unload(struct dies_unit *loaded)
{
	free(loaded->abbrevs.abbrev);
	free(loaded->abbrevs.spec);
	free(loaded->abbrevs.step);
	free(loaded->abbrevs.shape);
	free(loaded->scope);
	*loaded = (struct dies_unit){ .file = NULL };
}

/* Room as counted; what is there already is used again. */
static bool reserve_abbrevs(struct dies_unit *loaded, const struct dwarf_abbrev_storage *need)
{
	struct dwarf_abbrevs *a = &loaded->abbrevs;
	size_t abbrevs = loaded->room.abbrevs, specs = loaded->room.specs,
	       steps = loaded->room.steps, shapes = loaded->shape_room;
	struct budget *b = loaded->budget;
	bool ok =
		budget_room(b, &a->abbrev, &abbrevs, need->abbrevs, sizeof(*a->abbrev)) &&
		budget_room(b, &a->shape, &shapes, (size_t)need->abbrevs + 1, sizeof(*a->shape)) &&
		budget_room(b, &a->spec, &specs, need->specs, sizeof(*a->spec)) &&
		budget_room(b, &a->step, &steps, need->steps, sizeof(*a->step));

	loaded->room = (struct dwarf_abbrev_storage){ (uint32_t)abbrevs, (uint32_t)specs,
		                                      (uint32_t)steps };
	loaded->shape_room = shapes;
	return ok;
}

/* Units often share their abbreviations with the one before. */
static bool has_abbrevs(const struct dies_unit *loaded, const struct dies_file *file,
                        const struct dwarf_unit *unit)
{
	const struct dwarf_unit *old = &loaded->unit;

	return loaded->file == file && loaded->part == DWARF_ABBREVS_ALL &&
	       old->abbrevs == unit->abbrevs && old->version == unit->version &&
	       old->address_size == unit->address_size && old->offset_size == unit->offset_size;
}

/* Which attribute of ours each name of the standard is, plus 1; 0: it is not read. */
static const uint8_t standard_names[] = {
	[DWARF_AT_NAME] = DIES_NAME + 1,
	[DWARF_AT_LINKAGE_NAME] = DIES_LINKAGE_NAME + 1,
	[DWARF_AT_LOW_PC] = DIES_LOW + 1,
	[DWARF_AT_HIGH_PC] = DIES_HIGH + 1,
	[DWARF_AT_RANGES] = DIES_RANGES + 1,
	[DWARF_AT_ENTRY_PC] = DIES_ENTRY + 1,
	[DWARF_AT_ABSTRACT_ORIGIN] = DIES_ORIGIN + 1,
	[DWARF_AT_SPECIFICATION] = DIES_SPECIFICATION + 1,
	[DWARF_AT_CALL_FILE] = DIES_CALL_FILE + 1,
	[DWARF_AT_CALL_LINE] = DIES_CALL_LINE + 1,
	[DWARF_AT_CALL_COLUMN] = DIES_CALL_COLUMN + 1,
	[DWARF_AT_CALL_RETURN_PC] = DIES_CALL_RETURN + 1,
	[DWARF_AT_CALL_ORIGIN] = DIES_CALL_ORIGIN + 1,
	[DWARF_AT_DECL_FILE] = DIES_DECL_FILE + 1,
	[DWARF_AT_DECL_LINE] = DIES_DECL_LINE + 1,
	[DWARF_AT_STMT_LIST] = DIES_LINES + 1,
	[DWARF_AT_COMP_DIR] = DIES_COMP_DIR + 1,
	[DWARF_AT_LANGUAGE] = DIES_LANGUAGE + 1,
	[DWARF_AT_STR_OFFSETS_BASE] = DIES_STR_OFFSETS_BASE + 1,
	[DWARF_AT_ADDR_BASE] = DIES_ADDR_BASE + 1,
	[DWARF_AT_RNGLISTS_BASE] = DIES_LISTS_BASE + 1,
	[DWARF_AT_DWO_NAME] = DIES_DWO_NAME + 1,
};

static unsigned map_attribute_name(uint16_t name)
{
	if (name < sizeof(standard_names))
		return standard_names[name] > 0 ? standard_names[name] - 1u : DIES_ATTRIBUTES;
	switch (name) {
	case DWARF_AT_MIPS_LINKAGE_NAME:
		return DIES_LINKAGE_NAME;
	case DWARF_AT_LLVM_STMT_SEQUENCE:
		return DIES_SEQUENCE;
	case DWARF_AT_GNU_ADDR_BASE:
		return DIES_ADDR_BASE;
	case DWARF_AT_GNU_RANGES_BASE:
		return DIES_RANGES_BASE;
	case DWARF_AT_GNU_DWO_NAME:
		return DIES_DWO_NAME;
	case DWARF_AT_GNU_DWO_ID:
		return DIES_DWO_ID;
	default: /* not of interest */
		return DIES_ATTRIBUTES;
	}
}

/* Where dies_read() finds each attribute; of two of one kind the first counts. */
static void set_attribute_places(struct dwarf_abbrevs *abbrevs)
{
	for (uint32_t i = 0; i < abbrevs->count; i++) {
		const struct dwarf_abbrev *abbrev = &abbrevs->abbrev[i];
		uint32_t taken = 0;
		for (uint32_t s = 0; s < abbrev->specs; s++) {
			struct dwarf_spec *spec = &abbrevs->spec[abbrev->spec + s];
			unsigned place = map_attribute_name(spec->name);
			if (taken >> place & 1)
				place = DIES_ATTRIBUTES;
			taken |= (uint32_t)1 << place;
			spec->place = (uint8_t)place;
		}
	}
}

static enum cairn_status load_abbrevs(struct dies_unit *loaded, const struct dies_file *file,
                                      const struct dwarf_unit *unit, struct cairn_fault *fault)
{
	struct dwarf_abbrev_storage need;

	if (has_abbrevs(loaded, file, unit))
		return CAIRN_OK;
	loaded->file = NULL;
	dwarf_count_abbrevs(&file->sections, unit, loaded->part, &need);
	if (!budget_work(loaded->budget, (uint64_t)need.abbrevs + need.specs) ||
	    !reserve_abbrevs(loaded, &need))
		return fault_set_at(fault, CAIRN_NO_MEMORY, unit->abbrevs,
		                    "no memory for abbreviations");
	enum cairn_status status =
		dwarf_read_abbrevs(&file->sections, unit, loaded->part, &loaded->abbrevs, fault);
	if (status == CAIRN_OK)
		set_attribute_places(&loaded->abbrevs);
	return status;
}

void dies_read(const struct dwarf_entries *entries, struct die *die)
{
	die->has = dwarf_read_places(entries, DIES_SPECS, die->at);
	die->tag = entries->abbrev->tag;
}

struct dwarf_bases dies_default_bases(const struct dwarf_unit *unit)
{
	uint64_t wide = unit->offset_size == 8;

	if (unit->version < 5)
		return (struct dwarf_bases){ .addr = 0 };
	return (struct dwarf_bases){ .str_offsets = wide ? 16 : 8,
		                     .addr = wide ? 16 : 8,
		                     .rnglists = wide ? 20 : 12 };
}

static void read_bases(struct dies_unit *loaded)
{
	const struct die *root = &loaded->root;
	struct dwarf_bases *bases = &loaded->bases;

	if (die_has(root, DIES_STR_OFFSETS_BASE))
		bases->str_offsets = root->at[DIES_STR_OFFSETS_BASE].number;
	if (die_has(root, DIES_ADDR_BASE))
		bases->addr = root->at[DIES_ADDR_BASE].number;
	if (die_has(root, DIES_LISTS_BASE))
		bases->rnglists = root->at[DIES_LISTS_BASE].number;
	/* DW_AT_GNU_ranges_base is for the split half alone */
	const struct dwarf_attribute *low = &root->at[DIES_LOW];
	if (!die_has(root, DIES_LOW))
		return;
	bases->low_pc = low->class == DWARF_ADDRESS ? low->number : 0;
	if (low->class == DWARF_ADDRESS_INDEX &&
	    !dwarf_address(&loaded->file->sections, &loaded->unit, bases, low->number,
	                   &bases->low_pc))
		bases->low_pc = 0;
}

static enum cairn_status load_part(struct dies_unit *loaded, const struct dies_file *file,
                                   const struct dwarf_unit *unit, struct cairn_fault *fault,
                                   const char **where)
{
	*where = ".debug_abbrev";
	enum cairn_status status = load_abbrevs(loaded, file, unit, fault);
	if (status != CAIRN_OK)
		return status;
	loaded->file = file;
	loaded->unit = *unit;
	loaded->scopes = 0;
	loaded->bases = dies_default_bases(unit);
	struct dwarf_entries entries =
		dwarf_entries(&file->sections, unit, &loaded->abbrevs, unit->first);
	*where = ".debug_info";
	loaded->root.has = 0;
	if (dwarf_next_entry(&entries))
		dies_read(&entries, &loaded->root);
	*fault = entries.fault;
	if (fault->status == CAIRN_OK)
		read_bases(loaded);
	else
		loaded->file = NULL;
	return fault->status;
}

enum cairn_status dies_load(struct dies_unit *loaded, const struct dies_file *file,
                            const struct dwarf_unit *unit, struct cairn_fault *fault,
                            const char **where)
{
	if (loaded->part != DWARF_ABBREVS_ALL)
		loaded->file = NULL;
	loaded->part = DWARF_ABBREVS_ALL;
	return load_part(loaded, file, unit, fault, where);
}

enum cairn_status dies_load_root(struct dies_unit *loaded, const struct dies_file *file,
                                 const struct dwarf_unit *unit, struct cairn_fault *fault,
                                 const char **where)
{
	enum { ABBREV_BYTES = 16 }; /* that are passed over in one step */
	struct dwarf_unit from_root = *unit;

	from_root.abbrevs = dwarf_find_root_abbrev(&file->sections, unit);
	(void)!budget_work(loaded->budget, 1 + (from_root.abbrevs - unit->abbrevs) / ABBREV_BYTES);
	loaded->part = DWARF_ABBREVS_ROOT;
	return load_part(loaded, file, &from_root, fault, where);
}

bool dies_find_text(const struct dies_unit *unit, const struct dwarf_attribute *attribute,
                    struct cairn_bytes *text)
{
	struct dwarf_attribute copy = *attribute;
	const struct dies_file *file = unit->file;

	if (copy.class == DWARF_ALT_STR) {
		file = file->alt;
		copy.class = DWARF_STR;
	}
	return file && dwarf_text(&file->sections, &unit->unit, &unit->bases, &copy, text);
}

struct cairn_bytes dies_text(const struct dies_unit *unit, const struct dwarf_attribute *attribute)
{
	struct cairn_bytes text;

	if (!dies_find_text(unit, attribute, &text))
		return (struct cairn_bytes){ nothing, 0 };
	return text;
}

bool dies_follow(const struct dies_unit *unit, const struct dwarf_attribute *reference,
                 const struct dies_file **file, uint64_t *offset)
{
	*file = reference->class == DWARF_REFERENCE       ? unit->file
	        : reference->class == DWARF_ALT_REFERENCE ? unit->file->alt
	                                                  : NULL;
	*offset = reference->number;
	return *file != NULL;
}

static bool covers_unit_offset(const struct dies_unit *loaded, const struct dies_file *file,
                               uint64_t offset)
{
	return loaded->file == file && offset >= loaded->unit.first && offset < loaded->unit.end;
}

struct dies_unit *dies_loaded(struct dies *dies, const struct dies_file *file, uint64_t offset)
{
	struct dies_unit *oldest = &dies->other[0];
	struct cairn_fault fault;
	const char *where;

	if (covers_unit_offset(&dies->main, file, offset))
		return &dies->main;
	for (unsigned i = 0; i < DIES_UNITS; i++) {
		struct dies_unit *loaded = &dies->other[i];
		if (covers_unit_offset(loaded, file, offset)) {
			loaded->used = ++dies->clock;
			return loaded;
		}
		if (loaded->used < oldest->used)
			oldest = loaded;
	}
	const struct dwarf_unit *unit = dies_unit_at(file, offset);
	if (!unit || dies_load(oldest, file, unit, &fault, &where) != CAIRN_OK)
		return NULL;
	oldest->used = ++dies->clock;
	return oldest;
}
