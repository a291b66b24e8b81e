/* SPDX-License-Identifier: MIT */
/*
 * Finds the .sframe section in an ELF file and applies relocations to the function start addresses.
 */
#include "sframe_section.h"

#include "sframe_rules.h"

#include "base/bytes.h"
#include "base/sort.h"

#include <stdlib.h>

static bool has_magic(struct cairn_bytes bytes)
{
	if (bytes.size < 2)
		return false;
	uint16_t magic = bytes_u16(bytes.data, false);
	return magic == 0xdee2 || magic == 0xe2de;
}

/*
 * Return true for an .sframe section. The type alone is not enough because Solaris used the same
 * number for another purpose.
 */
static bool is_sframe(const struct elf *elf, const struct elf_section *s)
{
	return bytes_are(s->name, ".sframe") ||
	       (s->type == ELF_SHT_GNU_SFRAME && has_magic(elf_section_bytes(elf, s)));
}

static enum cairn_status find_in_segments(const struct elf *elf, struct sframe_section *found)
{
	struct elf_segment segment;

	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_GNU_SFRAME)
			continue;
		struct cairn_bytes bytes = elf_segment_bytes(elf, &segment);
		if (!has_magic(bytes))
			continue;
		*found = (struct sframe_section){ bytes, segment.va, 0 };
		return CAIRN_OK;
	}
	return CAIRN_NOT_FOUND;
}

enum cairn_status sframe_section_find(const struct elf *elf, struct sframe_section *found)
{
	struct elf_section section;

	for (uint32_t i = 1; i < elf->sections && elf_section(elf, i, &section); i++) {
		if (!is_sframe(elf, &section))
			continue;
		struct cairn_bytes bytes = elf_section_bytes(elf, &section);
		if (bytes.size == 0)
			return CAIRN_NOT_FOUND;
		*found = (struct sframe_section){ bytes, section.va, i };
		return CAIRN_OK;
	}
	return elf->sections ? CAIRN_NOT_FOUND : find_in_segments(elf, found);
}

static const struct sframe_table *table_at(const struct cairn_rules *rules, uint64_t offset)
{
	const size_t low = SORTED_UP_TO(rules->tables, rules->table_count, offset, offset);

	return rules->table_count > 0 ? &rules->tables[low > 0 ? low - 1 : 0] : NULL;
}

/*
 * Store the start of the function whose start field is at `offset` of the section. Ignore
 * relocations of other fields.
 */
static void store_relocated_start(struct cairn_rules *rules, uint64_t offset, uint64_t va)
{
	const struct sframe_table *t = table_at(rules, offset);
	uint64_t into = t ? offset - t->offset - t->records_at : 0;

	if (t && into / t->record_size < t->functions && into % t->record_size == 0)
		rules->starts[(size_t)(t->starts - rules->starts) + into / t->record_size] = va;
}

static bool relocate_starts(struct cairn_rules *rules, const struct elf *elf, uint32_t section)
{
	size_t count = rules_count_functions(rules);
	struct elf_relocation relocation;
	uint32_t relocations = 0;
	uint64_t at = 0;

	rules->starts = malloc((count ? count : 1) * sizeof(*rules->starts));
	if (!rules->starts)
		return false;
	for (size_t i = 0; i < count; i++)
		rules->starts[i] = SFRAME_NO_START;
	const uint64_t *starts = rules->starts;
	for (size_t i = 0; i < rules->table_count; i++) {
		rules->tables[i].base = SFRAME_BASE_GIVEN;
		rules->tables[i].starts = starts;
		starts += rules->tables[i].functions;
	}
	while (elf_next_relocation(elf, section, &relocations, &at, &relocation))
		if (relocation.section)
			store_relocated_start(
				rules, relocation.offset,
				sframe_section_va(relocation.section, relocation.value));
	return true;
}

static bool code_span(const struct elf *elf, uint64_t *low, uint64_t *high)
{
	struct elf_segment s;
	bool found = false;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE))
			continue;
		*low = found && *low < s.va ? *low : s.va;
		*high = found && *high > s.va + s.memory_size ? *high : s.va + s.memory_size;
		found = true;
	}
	return found;
}

struct cairn_rules *sframe_section_rules(const struct elf *elf, const struct sframe_section *sframe)
{
	struct cairn_rules *rules = cairn_rules_new(sframe->bytes, sframe->address);
	uint64_t low, high;

	if (!rules)
		return NULL;
	if (elf->type == ELF_TYPE_REL && !relocate_starts(rules, elf, sframe->section)) {
		cairn_rules_free(rules);
		return NULL;
	}
	if (code_span(elf, &low, &high))
		rules_correct_base(rules, low, high);
	return rules;
}
