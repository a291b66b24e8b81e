/* SPDX-License-Identifier: MIT */
/* Infers where a program was loaded, from return addresses in its code. */
#include "elf_load_base.h"

#include "base/sort.h"

enum {
	CODE_PARTS = 8, /* maximum number of code segments that are searched */
	PAGE_MASK = 0xfff,
};

static size_t list_code(const struct elf *elf, struct load_base_code code[CODE_PARTS])
{
	struct elf_segment s;
	size_t parts = 0;

	for (uint32_t i = 0; parts < CODE_PARTS && elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE) ||
		    s.offset > elf->bytes.size || s.file_size > elf->bytes.size - s.offset ||
		    s.va > UINT64_MAX / 2)
			continue;
		code[parts++] = (struct load_base_code){
			s.va, { elf->bytes.data + s.offset, (size_t)s.file_size }
		};
	}
	return parts;
}

bool elf_is_return(const struct elf *elf, uint64_t va)
{
	struct load_base_code code[CODE_PARTS];
	const size_t parts = list_code(elf, code);

	return load_base_is_return(elf_machine(elf), code, parts, va);
}

bool elf_find_load_base(const struct elf *elf, uint64_t *returns, size_t *count,
                        struct load_base *base)
{
	struct load_base_code code[CODE_PARTS];
	const size_t parts = list_code(elf, code);
	struct cairn_range span;
	size_t kept = 0;

	sort_records(returns, *count, sizeof(*returns));
	for (size_t i = 0; i < *count; i++)
		if (kept == 0 || returns[kept - 1] != returns[i])
			returns[kept++] = returns[i];
	*count = kept;
	if (elf->type != ELF_TYPE_DYN || !elf_load_span(elf, &span) ||
	    !load_base_find(elf_machine(elf), code, parts, returns, kept, base))
		return false;
	base->first = (span.low & ~(uint64_t)PAGE_MASK) + base->bias;
	return true;
}
