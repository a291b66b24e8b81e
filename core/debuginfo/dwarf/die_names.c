/* SPDX-License-Identifier: MIT */
/* The names that an entry has by itself or through the entries that it refers to. */
#include "dies.h"

#include "base/memory_soon.h"

static const uint8_t nothing[1];

/* The entry itself; its unit, or NULL. */
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

/* The same as dies_text(), as the budget allows. */
static struct cairn_bytes read_budgeted_text(struct dies *dies, const struct dies_unit *unit,
                                             const struct dwarf_attribute *attribute)
{
	struct cairn_bytes text = dies_text(unit, attribute);

	return budget_text(dies->budget, text.size) ? text : (struct cairn_bytes){ nothing, 0 };
}

/*
 * The same as dies_text(), but most units name the same texts, these are far apart in memory, and
 * often only their addresses matter: so they are not measured again.
 */
static struct cairn_bytes read_cached_text(struct dies *dies, const struct dies_unit *unit,
                                           const struct dwarf_attribute *attribute)
{
	uint64_t offset = attribute->number;

	if (attribute->class != DWARF_STR || unit->file != dies->program || offset > UINT32_MAX)
		return read_budgeted_text(dies, unit, attribute);
	uint64_t mixed = offset * UINT64_C(0x9e3779b97f4a7c15);
	const size_t at = mixed >> 32 & (dies->length_room - 1);
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

/* A short name where the linkage name is known waits until somebody asks for it. */
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

	return mixed >> 32 & (dies->name_room - 1);
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
