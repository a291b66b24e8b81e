/* SPDX-License-Identifier: MIT */
/*
 * Lists the units in .debug_info, loads their abbreviations, and reads the attributes, names and
 * addresses of DIEs.
 */
#include "dies.h"

#include "base/error.h"
#include "base/function.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/*
 * Merge consecutive units of unknown version into one, because data that is not DWARF looks like
 * millions of such units.
 */
static bool extends_unknown(struct dies_units *units, const struct dwarf_unit *unit)
{
	struct dwarf_unit *last = units->count > 0 ? &units->unit[units->count - 1] : NULL;

	if (!last || last->version != 0 || unit->version != 0)
		return false;
	last->end = unit->end;
	return true;
}

static bool append_unit(struct dies_units *units, const struct dwarf_unit *unit,
                        struct budget *budget)
{
	if (!budget_work(budget, 1))
		return false;
	if (extends_unknown(units, unit))
		return true;
	if (!budget_capacity(budget, &units->unit, &units->capacity, units->count + 1,
	                     sizeof(*unit)))
		return false;
	units->unit[units->count++] = *unit;
	return true;
}

bool dies_read_units_until(struct dies_file *file, uint64_t until, struct budget *budget,
                           struct cairn_fault *fault)
{
	struct dies_units *units = &file->units;
	struct dwarf_unit unit;

	while (units->read < until && dwarf_read_unit(&file->sections, &units->read, &unit, fault))
		if (!append_unit(units, &unit, budget))
			return false;
	return true;
}

bool dies_read_units(struct dies_file *file, struct budget *budget, struct cairn_fault *fault)
{
	return dies_read_units_until(file, UINT64_MAX, budget, fault);
}

bool dies_add_unit(struct dies_file *file, uint64_t offset, struct budget *budget)
{
	struct dies_units *units = &file->units;
	struct dwarf_unit unit;
	struct cairn_fault fault;

	if (units->count > 0 && offset < units->unit[units->count - 1].end)
		return false;
	return dwarf_read_unit(&file->sections, &offset, &unit, &fault) && unit.version != 0 &&
	       append_unit(units, &unit, budget);
}

void dies_free_units(struct dies_file *file)
{
	free(file->units.unit);
	file->units = (struct dies_units){ .unit = NULL };
}

static const struct dwarf_unit *dies_unit_at(const struct dies_file *file, uint64_t offset)
{
	const size_t next = SORTED_UP_TO(file->units.unit, file->units.count, end, offset);

	const struct dwarf_unit *unit = next < file->units.count ? &file->units.unit[next] : NULL;
	if (file->missed && (!unit || offset < unit->offset))
		*file->missed = true;
	return unit && offset >= unit->first && unit->version ? unit : NULL;
}

static const uint8_t nothing[1];

bool dies_init(struct dies *dies, struct string_store *texts, const struct dies_file *program,
               bool few)
{
	*dies = (struct dies){ .texts = texts,
		               .program = program,
		               .name_capacity = few ? DIES_FEW : DIES_NAMES,
		               .length_capacity = few ? DIES_FEW : DIES_LENGTHS,
		               .budget = texts->budget };
	dies->main.budget = dies->budget;
	for (unsigned i = 0; i < DIES_UNITS; i++)
		dies->other[i].budget = dies->budget;
	dies->names = calloc(dies->name_capacity, sizeof(*dies->names));
	dies->lengths = calloc(dies->length_capacity, sizeof(*dies->lengths));
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

static bool reserve_abbrevs(struct dies_unit *loaded, const struct dwarf_abbrev_storage *need)
{
	struct dwarf_abbrevs *a = &loaded->abbrevs;
	size_t abbrevs = loaded->capacity.abbrevs, specs = loaded->capacity.specs,
	       steps = loaded->capacity.steps, shapes = loaded->shape_capacity;
	struct budget *b = loaded->budget;
	bool ok = budget_capacity(b, &a->abbrev, &abbrevs, need->abbrevs, sizeof(*a->abbrev)) &&
	          budget_capacity(b, &a->shape, &shapes, (size_t)need->abbrevs + 1,
	                          sizeof(*a->shape)) &&
	          budget_capacity(b, &a->spec, &specs, need->specs, sizeof(*a->spec)) &&
	          budget_capacity(b, &a->step, &steps, need->steps, sizeof(*a->step));

	loaded->capacity = (struct dwarf_abbrev_storage){ (uint32_t)abbrevs, (uint32_t)specs,
		                                          (uint32_t)steps };
	loaded->shape_capacity = shapes;
	return ok;
}

/*
 * Return true if the abbreviations of `unit` are already loaded, for another unit that shares them.
 */
static bool has_abbrevs(const struct dies_unit *loaded, const struct dies_file *file,
                        const struct dwarf_unit *unit)
{
	const struct dwarf_unit *old = &loaded->unit;

	return loaded->file == file && loaded->part == DWARF_ABBREVS_ALL &&
	       old->abbrevs == unit->abbrevs && old->version == unit->version &&
	       old->address_size == unit->address_size && old->offset_size == unit->offset_size;
}

/* Maps standard attributes to enum dies_attribute, plus 1; 0 for attributes that are not read. */
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
	default:
		return DIES_ATTRIBUTES;
	}
}

/*
 * Choose where dies_read() stores each attribute. If an attribute is repeated, only the first
 * occurrence is used.
 */
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
	/* skip DW_AT_GNU_ranges_base, which applies only to the split unit */
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
	enum { ABBREV_BYTES = 16 }; /* abbreviation bytes skipped per step of the work budget */
	struct dwarf_unit from_root = *unit;

	from_root.abbrevs = dwarf_find_root_abbrev(&file->sections, unit);
	(void)!budget_work(loaded->budget, 1 + (from_root.abbrevs - unit->abbrevs) / ABBREV_BYTES);
	loaded->part = DWARF_ABBREVS_ROOT;
	return load_part(loaded, file, &from_root, fault, where);
}

static bool dies_find_text(const struct dies_unit *unit, const struct dwarf_attribute *attribute,
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

/*
 * Load the unit that contains the DIE at `offset`. Return NULL if there is no such unit, or the
 * unit is damaged. The unit remains loaded until DIES_UNITS others have been loaded.
 */
static struct dies_unit *dies_loaded(struct dies *dies, const struct dies_file *file,
                                     uint64_t offset)
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

bool die_address(const struct dies_unit *unit, const struct die *die, enum dies_attribute which,
                 uint64_t *address)
{
	const struct dwarf_attribute *a = &die->at[which];

	if (!die_has(die, which))
		return false;
	*address = a->number;
	return a->class == DWARF_ADDRESS ||
	       (a->class == DWARF_ADDRESS_INDEX && dwarf_address(&unit->file->sections, &unit->unit,
	                                                         &unit->bases, a->number, address));
}

bool die_pc_bounds(const struct dies_unit *unit, const struct die *die, struct cairn_range *range)
{
	if (!die_has(die, DIES_HIGH) || !die_address(unit, die, DIES_LOW, &range->low))
		return false;
	if (die->at[DIES_HIGH].class == DWARF_CONSTANT) {
		range->high = range->low + die->at[DIES_HIGH].number;
		if (range->high < range->low)
			range->high = range->low;
		return true;
	}
	return die_address(unit, die, DIES_HIGH, &range->high);
}

bool die_has_range_list(const struct die *die)
{
	const struct dwarf_attribute *ranges = &die->at[DIES_RANGES];

	return ranges->class == DWARF_OFFSET || ranges->class == DWARF_LIST_INDEX ||
	       ranges->class == DWARF_CONSTANT;
}

bool die_touches(const struct dies_unit *unit, const struct die *die,
                 const struct cairn_range *asked, size_t count)
{
	struct cairn_range range;

	if (!die_has(die, DIES_RANGES))
		return die_pc_bounds(unit, die, &range) && range_touches(range, asked, count);
	if (!die_has_range_list(die))
		return false;
	struct dwarf_ranges ranges = dwarf_open_ranges(&unit->file->sections, &unit->unit,
	                                               &unit->bases, &die->at[DIES_RANGES]);
	uint64_t from = ranges.at;
	while (dwarf_next_range(&ranges, &range)) {
		if (!budget_work(unit->budget, (ranges.at - from) / DIE_RANGE_BYTES))
			return false;
		if (range_touches(range, asked, count))
			return true;
		from = ranges.at;
	}
	return false;
}

static const uint8_t nothing[1];

static struct dies_unit *read_entry_at(struct dies *dies, const struct dies_file *file,
                                       uint64_t offset, struct die *die)
{
	struct dies_unit *unit = dies_loaded(dies, file, offset);

	if (!unit || !budget_work(dies->budget, 1))
		return NULL;
	struct dwarf_entries entries =
		dwarf_entries(&file->sections, &unit->unit, &unit->abbrevs, offset);
	if (!dwarf_next_entry(&entries) || !entries.abbrev)
		return NULL;
	dies_read(&entries, die);
	return unit;
}

static struct cairn_bytes read_budgeted_text(struct dies *dies, const struct dies_unit *unit,
                                             const struct dwarf_attribute *attribute)
{
	struct cairn_bytes text = dies_text(unit, attribute);

	return budget_text(dies->budget, text.size) ? text : (struct cairn_bytes){ nothing, 0 };
}

/*
 * Read a string like dies_text(), but cache the lengths of strings. Most units contain the same
 * names, whose strings are scattered in memory. Callers often need only the address of a string, so
 * loading its bytes again merely to find its end would be wasteful.
 */
static struct cairn_bytes read_cached_text(struct dies *dies, const struct dies_unit *unit,
                                           const struct dwarf_attribute *attribute)
{
	uint64_t offset = attribute->number;

	if (attribute->class != DWARF_STR || unit->file != dies->program || offset > UINT32_MAX)
		return read_budgeted_text(dies, unit, attribute);
	uint64_t mixed = offset * UINT64_C(0x9e3779b97f4a7c15);
	const size_t at = mixed >> 32 & (dies->length_capacity - 1);
	struct dies_length *length = &dies->lengths[at];
	bool *written = &dies->lengths_written[at / DIES_LENGTHS_PART];
	if (*written && offset > 0 && length->offset == offset)
		return (struct cairn_bytes){ unit->file->sections.str.data + offset, length->size };
	struct cairn_bytes text = read_budgeted_text(dies, unit, attribute);
	if (text.size > 0 && text.size <= UINT32_MAX) {
		*length = (struct dies_length){ (uint32_t)offset, (uint32_t)text.size };
		*written = true;
	}
	return text;
}

static bool is_lost(const struct dies_unit *unit, const struct dwarf_attribute *attribute)
{
	struct cairn_bytes text;

	return !dies_find_text(unit, attribute, &text);
}

/*
 * Store the unqualified name. If there is a linkage name, only record where to read the unqualified
 * name later.
 */
static void store_short_name(struct dies *dies, struct dies_names *names,
                             const struct dies_unit *unit, const struct die *die)
{
	if (names->has_late_name || names->name.size > 0 || !die_has(die, DIES_NAME))
		return;
	if (names->linkage.size == 0) {
		names->name = read_cached_text(dies, unit, &die->at[DIES_NAME]);
		names->lost |= names->name.size == 0 && is_lost(unit, &die->at[DIES_NAME]);
		return;
	}
	names->has_late_name = true;
	names->late_file = names->last_file;
	names->late = names->last;
}

static void store_entry_names(struct dies *dies, struct dies_names *names,
                              const struct dies_unit *unit, const struct die *die)
{
	if (names->linkage.size == 0 && die_has(die, DIES_LINKAGE_NAME))
		names->linkage = read_cached_text(dies, unit, &die->at[DIES_LINKAGE_NAME]);
	store_short_name(dies, names, unit, die);
	names->is_anonymous = die->tag == DWARF_TAG_NAMESPACE && !die_has(die, DIES_NAME);
	if (names->decl_line == 0 && die_has(die, DIES_DECL_LINE)) {
		names->decl_line = die->at[DIES_DECL_LINE].number;
		names->has_decl_file = die_has(die, DIES_DECL_FILE);
		names->decl_file = names->has_decl_file ? die->at[DIES_DECL_FILE].number : 0;
	}
}

static bool collect_entry_names(struct dies *dies, struct dies_names *names)
{
	const struct dies_file *file = names->file;
	uint64_t offset = names->offset;
	struct die die;

	for (unsigned i = 0; i < DIES_CHAIN_MAX; i++) {
		const struct dies_unit *unit = read_entry_at(dies, file, offset, &die);
		if (!unit) {
			names->lost = true;
			return i > 0;
		}
		names->last_file = file;
		names->last = offset;
		store_entry_names(dies, names, unit, &die);
		enum dies_attribute next =
			die_has(&die, DIES_SPECIFICATION) ? DIES_SPECIFICATION : DIES_ORIGIN;
		if (!die_has(&die, next))
			return true;
		if (!dies_follow(unit, &die.at[next], &file, &offset)) {
			names->lost = true;
			return true;
		}
	}
	return true;
}

static size_t find_names_slot(const struct dies *dies, const struct dies_file *file,
                              uint64_t offset)
{
	uint64_t mixed = (offset ^ (uint64_t)(uintptr_t)file >> 4) * 0x9e3779b97f4a7c15;

	return mixed >> 32 & (dies->name_capacity - 1);
}

void dies_names_soon(const struct dies *dies, const struct dies_file *file, uint64_t offset)
{
	memory_soon(&dies->names[find_names_slot(dies, file, offset)], 0);
	memory_soon(file->sections.info.data, offset);
}

struct dies_names *dies_names_at(struct dies *dies, const struct dies_file *file, uint64_t offset)
{
	const size_t at = find_names_slot(dies, file, offset);
	struct dies_names *slot = &dies->names[at];
	bool *written = &dies->names_written[at / DIES_NAMES_PART];
	struct cairn_bytes empty = { nothing, 0 };

	if (*written && slot->file == file && slot->offset == offset)
		return slot;
	*written = true;
	*slot = (struct dies_names){
		.file = file, .offset = offset, .linkage = empty, .name = empty
	};
	if (collect_entry_names(dies, slot))
		return slot;
	slot->file = NULL;
	return NULL;
}

struct cairn_bytes dies_name(struct dies *dies, struct dies_names *names)
{
	struct die die;

	if (names->has_late_name) {
		const struct dies_unit *unit =
			read_entry_at(dies, names->late_file, names->late, &die);
		if (unit)
			names->name = read_cached_text(dies, unit, &die.at[DIES_NAME]);
		names->lost |=
			!unit || (names->name.size == 0 && is_lost(unit, &die.at[DIES_NAME]));
		names->has_late_name = false;
	}
	return names->name;
}

#define LANGUAGE(code) ((uint64_t)1 << (code))

static const uint64_t languages[] = {
	/* C89, C, C99, C11, C17 */
	[DIES_C] =
		LANGUAGE(0x01) | LANGUAGE(0x02) | LANGUAGE(0x0c) | LANGUAGE(0x1d) | LANGUAGE(0x2c),
	/* C++98, Objective-C++, C++03, C++11, C++14, C++17, C++20, C++23 */
	[DIES_CPLUSPLUS] = LANGUAGE(0x04) | LANGUAGE(0x11) | LANGUAGE(0x19) | LANGUAGE(0x1a) |
	                   LANGUAGE(0x21) | LANGUAGE(0x2a) | LANGUAGE(0x2b) | LANGUAGE(0x3a),
	[DIES_RUST] = LANGUAGE(0x1c),
};

enum { ENTRY_BYTES = 4 }; /* DIE bytes skipped per step of the work budget */

bool dies_is_in(uint64_t language, enum dies_languages set)
{
	return language < 64 && languages[set] >> language & 1;
}

static bool add_scopes(struct dies_unit *unit, const struct dwarf_extent *extent, size_t count)
{
	const uint64_t base = unit->unit.offset;

	if (!budget_capacity(unit->budget, &unit->scope, &unit->scope_capacity,
	                     unit->scopes + count, sizeof(*unit->scope)))
		return false;
	for (size_t i = 0; i < count; i++)
		unit->scope[unit->scopes++] =
			(struct dies_scope){ .start = (uint32_t)(extent[i].start - base),
			                     .end = (uint32_t)(extent[i].end - base) };
	return true;
}

/*
 * Read scopes whose DIEs have DW_AT_sibling at a fixed offset, the usual case. Returns false if
 * allocation fails or the budget is exhausted.
 */
static bool read_plain_scopes(struct dies_unit *unit, struct dwarf_entries *entries)
{
	enum { CAPACITY = 32 };
	struct dwarf_extent extent[CAPACITY];
	size_t count = CAPACITY;

	while (count == CAPACITY && unit->scopes < DIES_SCOPES_MAX - CAPACITY) {
		uint64_t walked;
		count = dwarf_read_extents(entries, DWARF_MARK_SCOPE, extent, CAPACITY, &walked);
		if (!budget_work(unit->budget, walked / ENTRY_BYTES + count) ||
		    !add_scopes(unit, extent, count))
			return false;
	}
	return true;
}

static bool read_any_scope(struct dies_unit *unit, struct dwarf_entries *entries, bool *over)
{
	const uint8_t *from = entries->at;

	*over = !dwarf_next_marked(entries, DWARF_MARK_SCOPE, 1) || entries->depth == 0 ||
	        unit->scopes == DIES_SCOPES_MAX;
	if (!budget_work(unit->budget, (uint64_t)(entries->at - from) / ENTRY_BYTES + 1))
		return false;
	if (*over)
		return true;
	struct dwarf_extent extent = { .start = dwarf_entry_offset(entries) };
	const uint64_t walked = dwarf_skip_children(entries);
	extent.end = (uint64_t)(entries->at - entries->start);
	return budget_work(unit->budget, walked / ENTRY_BYTES) && add_scopes(unit, &extent, 1);
}

static bool read_inner(struct dies_unit *unit, size_t outer)
{
	uint64_t start = unit->unit.offset + unit->scope[outer].start;
	struct dwarf_entries entries =
		dwarf_entries(&unit->file->sections, &unit->unit, &unit->abbrevs, start);
	size_t first = unit->scopes;
	bool over = false;

	(void)dwarf_next_entry(&entries);
	while (!over)
		if (!read_plain_scopes(unit, &entries) || !read_any_scope(unit, &entries, &over))
			return false;
	unit->scope[outer].inner = (uint32_t)first;
	unit->scope[outer].inners = (uint32_t)(unit->scopes - first);
	unit->scope[outer].is_read = true;
	return true;
}

/*
 * Return the scope directly inside `outer` that contains the offset `at`, or `outer` if no inner
 * scope contains it.
 */
static size_t inner_at(const struct dies_unit *unit, size_t outer, uint32_t at)
{
	const size_t first = unit->scope[outer].inner;
	struct bisection search = bisect_begin(unit->scope[outer].inners);

	while (search.low < search.high)
		bisect_narrow(&search, unit->scope[first + search.middle].start < at);
	const size_t last = first + search.low - 1;
	return search.low > 0 && unit->scope[last].end > at ? last : outer;
}

/*
 * Set *scope to the innermost scope around the DIE at `offset`, or to 0 if only the unit encloses
 * it. Returns false if allocation fails or the budget is exhausted.
 */
static bool scope_around(struct dies_unit *unit, uint64_t offset, size_t *scope)
{
	uint32_t at = (uint32_t)(offset - unit->unit.offset);

	*scope = 0;
	const struct dwarf_extent whole = { unit->unit.first, unit->unit.offset + UINT32_MAX };
	if (unit->scopes == 0 && !add_scopes(unit, &whole, 1))
		return false;
	for (unsigned level = 0; level < DIES_NESTING_MAX; level++) {
		size_t outer = *scope;
		if (!unit->scope[outer].is_read && !read_inner(unit, outer))
			return false;
		*scope = inner_at(unit, outer, at);
		if (*scope == outer)
			break;
	}
	return true;
}

bool dies_store_part(struct string_store *texts, struct cairn_bytes part, struct cairn_bytes *kept)
{
	bool is_lambda = part.size > 1 && part.data[0] == '<' && part.data[part.size - 1] == '>';

	*kept = part;
	if (!is_lambda)
		return true;
	struct cairn_bytes inside = { part.data + 1, part.size - 2 };
	struct cairn_bytes parts[] = { TEXT("{"), inside, TEXT("}") };
	return string_store_add(texts, parts, 3, kept);
}

/*
 * Read the name of the scope at `offset`, and move *file and *offset to its declaration. Sets *lost
 * if the name is missing.
 */
static bool scope_name(struct dies *dies, const struct dies_file **file, uint64_t *offset,
                       struct cairn_bytes *name, bool *lost)
{
	struct dies_names *names = dies_names_at(dies, *file, *offset);

	*lost = !names;
	name->size = 0;
	if (!names)
		return true;
	*file = names->last_file;
	*offset = names->last;
	struct cairn_bytes own = dies_name(dies, names);
	*lost = names->lost;
	if (own.size == 0 && names->is_anonymous && !names->lost) {
		*name = TEXT(DIES_ANONYMOUS);
		return true;
	}
	return dies_store_part(dies->texts, own, name);
}

/*
 * Move *offset to the enclosing scope. Returns false if the enclosing scope is the unit or, with
 * *short_of set, if allocation fails or the budget is exhausted.
 */
static bool go_out(struct dies *dies, const struct dies_file *file, uint64_t *offset,
                   bool *short_of)
{
	struct dies_unit *unit = dies_loaded(dies, file, *offset);
	size_t scope;

	if (!unit)
		return false;
	if (!scope_around(unit, *offset, &scope)) {
		*short_of = true;
		return false;
	}
	if (scope == 0)
		return false;
	*offset = unit->unit.offset + unit->scope[scope].start;
	return true;
}

bool dies_qualify(struct dies *dies, struct dies_names *names, struct cairn_bytes *qualified)
{
	enum { PARTS = 2 * DIES_NESTING_MAX + 1 };
	struct cairn_bytes parts[PARTS];
	(void)dies_name(dies, names);
	/* copied because reading scopes may overwrite the cache element */
	struct dies_names own = *names;
	const struct dies_file *file = own.last_file;
	uint64_t offset = own.last;
	size_t first = PARTS - 1;
	bool short_of = false, lost = own.lost;

	*qualified = own.qualified;
	if (own.has_qualified)
		return true;
	parts[first] = own.name;
	for (unsigned hops = 0; hops < DIES_NESTING_MAX && own.name.size > 0 && !lost; hops++) {
		struct cairn_bytes name;
		if (!go_out(dies, file, &offset, &short_of))
			break;
		if (!scope_name(dies, &file, &offset, &name, &lost))
			return false;
		if (name.size == 0)
			continue;
		parts[--first] = TEXT("::");
		parts[--first] = name;
	}
	if (lost)
		first = PARTS - 1;
	own.qualified = own.name;
	own.has_qualified = true;
	if (short_of || (first < PARTS - 1 && !string_store_add(dies->texts, parts + first,
	                                                        PARTS - first, &own.qualified)))
		return false;
	*qualified = own.qualified;
	*names = own; /* the cache element may now contain another DIE, so write it again */
	return true;
}

/*
 * Skip the component `part` in a linkage name, where "name" is written as "4name". Returns false if
 * a different component is found.
 */
static bool skip_linkage_part(struct cairn_bytes *linkage, struct cairn_bytes part)
{
	size_t size = 0, at = 0;

	while (at < linkage->size && linkage->data[at] >= '0' && linkage->data[at] <= '9' &&
	       size <= part.size)
		size = 10 * size + (size_t)(linkage->data[at++] - '0');
	if (size != part.size || size > linkage->size - at ||
	    memcmp(linkage->data + at, part.data, size) != 0)
		return false;
	*linkage = (struct cairn_bytes){ linkage->data + at + size, linkage->size - at - size };
	return true;
}

/* Return true if a legacy Rust linkage name consists of the components of `path` and a hash. */
static bool shows_path(struct cairn_bytes linkage, struct cairn_bytes path)
{
	static const char start[] = "_ZN", hash[] = "17h";

	if (linkage.size < 3 || memcmp(linkage.data, start, 3) != 0)
		return false;
	linkage = (struct cairn_bytes){ linkage.data + 3, linkage.size - 3 };
	for (;;) {
		size_t end = 0;
		while (end < path.size && path.data[end] != ':')
			end++;
		if (!skip_linkage_part(&linkage, (struct cairn_bytes){ path.data, end }))
			return false;
		if (end == path.size)
			return linkage.size >= 3 && memcmp(linkage.data, hash, 3) == 0;
		if (path.size - end < 2)
			return false;
		path = (struct cairn_bytes){ path.data + end + 2, path.size - end - 2 };
	}
}

bool dies_add_path(struct dies *dies, struct dies_names *names)
{
	static const uint8_t gap[FUNCTION_PATH_GAP] = { 0, FUNCTION_PATH_MARK };
	struct cairn_bytes path, joined;

	if (names->has_path)
		return true;
	if (!dies_qualify(dies, names, &path))
		return false;
	names->has_path = true;
	/* #[no_mangle] functions have only a plain name */
	const struct cairn_bytes linkage = names->linkage.size > 0 ? names->linkage : names->name;
	/* no scope has a known name, so the qualified name is the plain name */
	const bool is_alone = path.size == names->name.size;
	if (is_alone || path.size > UINT32_MAX || shows_path(linkage, path))
		return true;
	const struct cairn_bytes parts[] = { linkage, { gap, sizeof(gap) }, path };
	if (!string_store_add(dies->texts, parts, 3, &joined))
		return false;
	names->linkage = (struct cairn_bytes){ joined.data, linkage.size };
	names->path_size = (uint32_t)path.size;
	return true;
}
