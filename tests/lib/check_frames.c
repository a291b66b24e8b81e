/* SPDX-License-Identifier: MIT */
/* Reads .debug_frame by a decoder of its own, as far as the writer's CIEs go. */
#include "check_frames.h"

#include "base/reader.h"
#include "base/target_memory.h"

#include <stdlib.h>

enum { WORD = 8, LENGTH = 4, VERSION = 4, ROWS_CHECKED = 4096 };

/* One entry. */
struct entry {
	size_t at, size;
	bool is_cie;
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	const char *flaw;
};

static bool read_letters(struct reader *in, struct ehframe_cie *cie)
{
	for (uint8_t letter = reader_u8(in); letter != 0 && reader_ok(in); letter = reader_u8(in)) {
		cie->has_size |= letter == 'z';
		cie->signal |= letter == 'S';
		cie->key_b |= letter == 'B';
		if (letter != 'z' && letter != 'S' && letter != 'B')
			return false;
	}
	return true;
}

static const char *read_cie(struct reader *in, struct cairn_bytes whole, bool big,
                            struct ehframe_cie *cie)
{
	*cie = (struct ehframe_cie){ .source = { .bytes = whole, .big = big },
		                     .version = reader_u8(in) };
	if (cie->version != VERSION || !read_letters(in, cie))
		return "a CIE of an unknown kind";
	cie->address_size = reader_u8(in);
	if ((cie->address_size != WORD && cie->address_size != WORD / 2) || reader_u8(in) != 0)
		return "addresses of another size";
	cie->code_align = reader_uleb(in);
	cie->data_align = reader_sleb(in);
	cie->ra = reader_uleb(in);
	if (cie->has_size && reader_uleb(in) != 0)
		return "unknown data in a CIE";
	cie->program = in->at;
	return reader_ok(in) ? NULL : "a CIE that is cut off";
}

static const char *read_fde(struct reader *in, struct cairn_bytes whole, bool big,
                            const struct ehframe_cie *cie, struct ehframe_fde *fde)
{
	*fde = (struct ehframe_fde){ .source = { .bytes = whole, .big = big } };
	const bool wide = cie->address_size == WORD;
	fde->start = wide ? reader_u64(in) : reader_u32(in);
	fde->size = wide ? reader_u64(in) : reader_u32(in);
	if (cie->has_size && reader_uleb(in) != 0)
		return "unknown data in an FDE";
	fde->program = in->at;
	return reader_ok(in) ? NULL : "an FDE that is cut off";
}

/* The entry at `at`, with its CIE, which is read again for an FDE. */
static struct entry read_entry(const struct byte_buffer *section, size_t at)
{
	struct entry e = { .at = at };
	struct cairn_bytes rest = { section->data + at, section->size - at };
	struct reader in = reader_open(rest, section->big);

	e.size = LENGTH + (size_t)reader_u32(&in);
	uint32_t id = reader_u32(&in);
	if (!reader_ok(&in) || e.size > rest.size || e.size % (WORD / 2) != 0) {
		e.flaw = "an entry that does not fit";
		return e;
	}
	rest.size = e.size;
	in = reader_open(rest, section->big);
	reader_skip(&in, 2 * LENGTH);
	e.is_cie = id == UINT32_MAX;
	if (e.is_cie) {
		e.flaw = read_cie(&in, rest, section->big, &e.cie);
	} else if (id >= at) {
		e.flaw = "an FDE before its CIE";
	} else {
		const struct entry cie = read_entry(section, id);
		e.cie = cie.cie;
		e.flaw = cie.flaw      ? cie.flaw
		         : !cie.is_cie ? "an FDE of something else than a CIE"
		                       : read_fde(&in, rest, section->big, &e.cie, &e.fde);
	}
	return e;
}

static bool same_place(const struct cairn_register_rule *told, const struct cfi_register_rule *is)
{
	const bool at_cfa = told->base == CAIRN_BASE_CFA && told->offset % WORD == 0;

	switch (told->kind) {
	case CAIRN_REGISTER_UNDEFINED:
		return is->kind == CFI_RULE_UNDEFINED;
	case CAIRN_REGISTER_SAME_VALUE:
		return is->kind == CFI_RULE_SAME || is->kind == CFI_RULE_UNSET;
	case CAIRN_REGISTER_MEMORY:
		return at_cfa ? is->kind == CFI_RULE_OFFSET && is->offset == told->offset
		              : is->kind == CFI_RULE_EXPRESSION;
	case CAIRN_REGISTER_VALUE:
		if (at_cfa)
			return is->kind == CFI_RULE_VAL_OFFSET && is->offset == told->offset;
		if (told->offset == 0 && told->base != CAIRN_BASE_CFA)
			return is->kind == CFI_RULE_REGISTER && is->reg == told->base;
		return is->kind == CFI_RULE_VAL_EXPRESSION;
	}
	return false;
}

static bool same_cfa(const struct cairn_rule *rule, const struct cfi_row *row)
{
	if (rule->outermost)
		return true;
	if (rule->cfa.kind != CAIRN_REGISTER_VALUE || rule->cfa.offset < 0)
		return row->cfa.kind == CFI_RULE_VAL_EXPRESSION;
	return row->cfa.kind == CFI_RULE_REGISTER && row->cfa.reg == rule->cfa.base &&
	       row->cfa.offset == rule->cfa.offset;
}

static const char *compare_row(struct cairn_rules *rules, const struct cfi_row *row)
{
	const struct cairn_rule *rule;

	if (cairn_rules_find(rules, row->start, &rule, NULL) != CAIRN_OK)
		return "a row where SFrame has none";
	const struct arch *arch = arch_of(rule->machine);
	if (!same_cfa(rule, row))
		return "another CFA";
	if (!same_place(&rule->ra, &row->reg[row->ra]))
		return "another place of the return address";
	if (!same_place(&rule->fp, &row->reg[arch->fp]))
		return "another place of the frame pointer";
	return rule->mangled == row->mangled ? NULL : "another signature of the return address";
}

static const char *compare_rows(struct cairn_rules *rules, const struct entry *e,
                                const struct frame_function *function)
{
	struct cairn_fault fault;
	struct cfi_row row;
	uint64_t va = e->fde.start, left = e->fde.size;

	for (unsigned rows = 0; left > 0 && rows < ROWS_CHECKED; rows++) {
		if (cfi_rules_find(&e->cie, &e->fde, va, &row, &fault) != CAIRN_OK)
			return fault.what;
		if (function->kind == FRAME_FUNCTION_ENTRY)
			return row.reg[row.ra].kind == CFI_RULE_UNDEFINED
			               ? NULL
			               : "an entry with a caller";
		const char *flaw = compare_row(rules, &row);
		if (flaw)
			return flaw;
		uint64_t step = row.end - va;
		if (step == 0 || step > left)
			return "a row past the end of its FDE";
		va += step;
		left -= step;
	}
	return NULL;
}

static const struct frame_function *find_function_of_fde(const struct frame_table *table,
                                                         uint64_t va)
{
	for (size_t i = 0; i < table->functions; i++)
		if (table->function[i].range.low == va)
			return &table->function[i];
	return NULL;
}

static const char *check_functions(const struct frame_table *table, size_t fdes)
{
	for (size_t i = 0; i < table->functions; i++) {
		const struct cairn_range *range = &table->function[i].range;
		if (range->low >= range->high ||
		    (i > 0 && range->low < table->function[i - 1].range.low))
			return "functions that are empty or out of order";
		if (i > 0 && table->function[i - 1].range.high > range->low)
			return "functions that overlap";
	}
	return fdes == table->functions ? NULL : "more or fewer FDEs than functions";
}

const char *check_frames(const struct frame_table *table, struct cairn_rules *rules)
{
	const struct byte_buffer *section = &table->section;
	size_t fdes = 0;

	for (size_t at = 0; at < section->size;) {
		const struct entry e = read_entry(section, at);
		if (e.flaw)
			return e.flaw;
		at += e.size;
		if (e.is_cie)
			continue;
		fdes++;
		const struct frame_function *f = find_function_of_fde(table, e.fde.start);
		if (!f || f->range.high - f->range.low != e.fde.size)
			return "an FDE of no function";
		const char *flaw = compare_rows(rules, &e, f);
		if (flaw)
			return flaw;
	}
	return check_functions(table, fdes);
}

bool check_frames_row(const struct frame_table *table, uint64_t va, struct cfi_row *row)
{
	struct cairn_fault fault;

	for (size_t at = 0; at < table->section.size;) {
		const struct entry e = read_entry(&table->section, at);
		if (e.flaw)
			return false;
		if (!e.is_cie && va - e.fde.start < e.fde.size)
			return cfi_rules_find(&e.cie, &e.fde, va, row, &fault) == CAIRN_OK;
		at += e.size;
	}
	return false;
}
