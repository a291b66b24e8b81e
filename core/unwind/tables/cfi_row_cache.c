/* SPDX-License-Identifier: MIT */
/* Caches rows of call frame information in a two-way set-associative table. */
#include "cfi_row_cache.h"

#include "base/hash.h"

/* Return the index of the row's first slot; the second one differs in the lowest bit. */
static size_t choose_row_place(const struct row_cache *cache, uint64_t module, uint64_t va)
{
	return (size_t)hash_number(va ^ module << 48, cache) % ROW_CACHE_ROWS;
}

static void restore_row(const struct kept_row *kept, struct fde_reader *entries,
                        struct cfi_row *row)
{
	*row = (struct cfi_row){
		.start = kept->start,
		.end = kept->end,
		.cfa = { .kind = CFI_RULE_REGISTER,
		         .reg = kept->cfa_register,
		         .offset = kept->cfa_offset },
		.ra = kept->ra,
		.mangled = kept->mangled,
	};
	for (unsigned i = 0; i < kept->count; i++) {
		struct cfi_register_rule *rule = &row->reg[kept->number[i]];
		rule->kind = (enum cfi_rule_kind)kept->kind[i];
		rule->offset = kept->offset[i];
	}
	entries->fde.start = kept->function;
	entries->fde.size = kept->function_size;
	entries->cie.signal = kept->signal;
	entries->cie.key_b = kept->key_b;
}

bool row_cache_find(const struct row_cache *cache, uint64_t module, uint64_t va,
                    struct fde_reader *entries, struct cfi_row *row)
{
	const size_t place = choose_row_place(cache, module, va);

	for (size_t i = 0; i < 2; i++) {
		const struct kept_row *kept = &cache->rows[place ^ i];
		if (kept->module != module || kept->va != va)
			continue;
		restore_row(kept, entries, row);
		return true;
	}
	return false;
}

static bool keep_rule(struct kept_row *kept, unsigned number, const struct cfi_register_rule *rule)
{
	if (rule->kind == CFI_RULE_UNSET)
		return true;
	const bool plain = rule->kind == CFI_RULE_UNDEFINED || rule->kind == CFI_RULE_SAME ||
	                   rule->kind == CFI_RULE_OFFSET || rule->kind == CFI_RULE_VAL_OFFSET;
	if (!plain || kept->count == ROW_CACHE_PLACES || rule->offset < INT32_MIN ||
	    rule->offset > INT32_MAX)
		return false;
	kept->number[kept->count] = (uint8_t)number;
	kept->kind[kept->count] = (uint8_t)rule->kind;
	kept->offset[kept->count++] = (int32_t)rule->offset;
	return true;
}

void row_cache_keep(struct row_cache *cache, uint64_t module, uint64_t va,
                    const struct fde_reader *entries, const struct cfi_row *row)
{
	struct kept_row kept = { .module = module,
		                 .va = va,
		                 .start = row->start,
		                 .end = row->end,
		                 .function = entries->fde.start,
		                 .function_size = entries->fde.size,
		                 .cfa_offset = row->cfa.offset,
		                 .cfa_register = row->cfa.reg,
		                 .ra = (uint8_t)row->ra,
		                 .mangled = row->mangled,
		                 .signal = entries->cie.signal,
		                 .key_b = entries->cie.key_b };
	const size_t place = choose_row_place(cache, module, va);

	if (row->cfa.kind != CFI_RULE_REGISTER)
		return;
	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		if (!keep_rule(&kept, i, &row->reg[i]))
			return;
	cache->rows[place ^ (cache->rows[place].module != 0)] = kept;
}
