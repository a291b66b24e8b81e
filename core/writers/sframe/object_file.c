/* SPDX-License-Identifier: MIT */
/* Appends .sframe and .rela.sframe to a relocatable file. */
#include "object_file.h"

#include "base/error.h"

#include "formats/elf/append.h"
#include "formats/sframe/sframe.h"

#include <stdlib.h>
#include <string.h>

enum {
	RELOCATION = 24,
	SYMBOL_SECTION = 3, /* STT_SECTION */
	SHF_INFO_LINK = 0x40,
	/* offsets in a section header */
	TYPE_AT = 4,
	FLAGS_AT = 8,
	LINK_AT = 40,
	INFO_AT = 44,
	ENTRY_AT = 56,
	OBJECT_BYTES_MAX = 1 << 30,
};

/* A symbol that relocations can use for code in a section. */
struct section_symbol {
	uint32_t index;
	uint64_t value;
	bool whole; /* the symbol is the section symbol */
};

enum cairn_status object_file_check(const struct elf *elf, const struct sframe_format *format,
                                    struct cairn_fault *fault)
{
	struct elf_section section;

	if (!elf->wide || !sframe_format_is_writable(format))
		return fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not know the machine");
	if (elf_find_section(elf, ".sframe", &section) ||
	    elf_find_section(elf, ".rela.sframe", &section))
		return fault_set(fault, CAIRN_UNSUPPORTED, "it has an .sframe already");
	/* refuse relocations of missing sections: they would apply to the sections appended here */
	for (uint32_t i = 1; elf_section(elf, i, &section); i++)
		if ((section.type == ELF_SHT_RELA || section.type == ELF_SHT_REL) &&
		    section.info >= elf->sections)
			return fault_set(fault, CAIRN_MALFORMED,
			                 "relocations for a section that is not there");
	return CAIRN_OK;
}

bool object_file_has_code(const struct elf *elf, uint64_t low, uint64_t high)
{
	struct elf_section section;

	return low >> 32 == (high - 1) >> 32 && elf_section(elf, (uint32_t)(low >> 32), &section) &&
	       section.flags & ELF_SHF_EXECUTE && (low & UINT32_MAX) + (high - low) <= section.size;
}

uint64_t object_file_code(const struct elf *elf)
{
	struct elf_section s;
	uint64_t size = 0;

	for (uint32_t i = 1; elf_section(elf, i, &s); i++)
		if (s.flags & ELF_SHF_EXECUTE)
			size += s.size;
	return size;
}

/* Choose one symbol per section, preferably the section symbol. Return NULL if memory is short. */
static struct section_symbol *list_section_symbols(const struct elf *elf,
                                                   const struct elf_section *table)
{
	struct section_symbol *list = calloc(elf->sections ? elf->sections : 1, sizeof(*list));
	struct elf_symbol symbol;

	for (uint32_t i = 1; list && elf_symbol(elf, table, i, &symbol); i++) {
		if (symbol.section == 0 || symbol.section >= elf->sections)
			continue;
		struct section_symbol *one = &list[symbol.section];
		const bool whole = symbol.type == SYMBOL_SECTION;
		if (one->index == 0 || (whole && !one->whole))
			*one = (struct section_symbol){ i, symbol.va, whole };
	}
	return list;
}

static uint32_t choose_relocation(const struct sframe_format *format)
{
	const bool wide = format->version == 3;

	if (format->machine == CAIRN_MACHINE_AMD64)
		return wide ? 24 : 2; /* R_X86_64_PC64, PC32 */
	if (format->machine == CAIRN_MACHINE_AARCH64)
		return wide ? 260 : 261; /* R_AARCH64_PREL64, PREL32 */
	return wide ? 23 : 5;            /* R_390_PC64, PC32 */
}

/* Write a relocation per record. Return false if a function's section does not have a symbol. */
static bool put_relocations(const struct sframe_draft *draft, const struct section_symbol *symbols,
                            struct byte_buffer *out)
{
	const uint8_t size = sframe_record_size(draft->format.version);

	for (size_t i = 0; i < draft->records; i++) {
		const uint64_t start = draft->record[i].start, field = SFRAME_HEADER + i * size;
		const struct section_symbol *symbol = &symbols[start >> 32];
		if (symbol->index == 0)
			return false;
		byte_buffer_number(out, field, 8);
		byte_buffer_number(
			out, (uint64_t)symbol->index << 32 | choose_relocation(&draft->format), 8);
		/*
		 * The offset of the field is not added: linkers before binutils 2.45, where starts
		 * are relative to the section, add it themselves.
		 */
		byte_buffer_number(out, (start & UINT32_MAX) - symbol->value, 8);
	}
	return true;
}

static enum cairn_status append_to(struct cairn_bytes file, const char *name,
                                   struct cairn_bytes content, struct byte_buffer *out,
                                   struct cairn_fault *fault)
{
	struct elf_append append;
	struct elf elf;
	enum cairn_status status = elf_open(file, &elf, fault);

	if (status != CAIRN_OK)
		return status;
	uint8_t *memory = malloc(elf_append_room(&elf, name));
	if (!memory)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	status = elf_append_section(&elf, name, content, memory, &append, fault);
	for (size_t i = 0; status == CAIRN_OK && i < ELF_APPEND_PARTS; i++)
		byte_buffer_bytes(out, append.part[i].data, append.part[i].size);
	free(memory);
	if (status == CAIRN_OK && out->failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	return status;
}

/* Fill in the rest of the two new section headers, which are the last ones. */
static void finish_headers(struct byte_buffer *out, uint32_t symbols)
{
	struct elf elf;

	if (!elf_opens(byte_buffer_view(out), &elf))
		return;
	const size_t relocations =
		(size_t)elf.sections_at + (elf.sections - 1) * (size_t)ELF_SECTION_WIDE;
	const size_t table = relocations - ELF_SECTION_WIDE;
	byte_buffer_overwrite(out, table + TYPE_AT, ELF_SHT_GNU_SFRAME, 4);
	byte_buffer_overwrite(out, table + FLAGS_AT, ELF_SHF_ALLOC, 8);
	byte_buffer_overwrite(out, relocations + TYPE_AT, ELF_SHT_RELA, 4);
	byte_buffer_overwrite(out, relocations + FLAGS_AT, SHF_INFO_LINK, 8);
	byte_buffer_overwrite(out, relocations + LINK_AT, symbols, 4);
	byte_buffer_overwrite(out, relocations + INFO_AT, elf.sections - 2, 4);
	byte_buffer_overwrite(out, relocations + ENTRY_AT, RELOCATION, 8);
}

struct object_parts {
	struct byte_buffer table, relocations, half;
	struct section_symbol *symbols;
};

static enum cairn_status join_parts(struct sframe_work *work, struct object_parts *p,
                                    struct cairn_fault *fault)
{
	const struct elf *elf = &work->elf;
	struct elf_section table;

	if (!elf_find_section_of_type(elf, ELF_SHT_SYMTAB, &table))
		return fault_set(fault, CAIRN_UNSUPPORTED, "no symbols to relocate by");
	p->symbols = list_section_symbols(elf, &table);
	sframe_draft_write(&work->draft, &p->table);
	if (!p->symbols || work->draft.failed || p->table.failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	if (!put_relocations(&work->draft, p->symbols, &p->relocations))
		return fault_set(fault, CAIRN_UNSUPPORTED, "no symbols to relocate by");
	if (p->relocations.failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	enum cairn_status status =
		append_to(elf->bytes, ".sframe", byte_buffer_view(&p->table), &p->half, fault);
	if (status == CAIRN_OK)
		status = append_to(byte_buffer_view(&p->half), ".rela.sframe",
		                   byte_buffer_view(&p->relocations), &work->out, fault);
	if (status == CAIRN_OK)
		finish_headers(&work->out, table.index);
	return status;
}

enum cairn_status object_file_write(struct sframe_work *work, struct cairn_fault *fault)
{
	const struct byte_buffer none = { .limit = OBJECT_BYTES_MAX, .big = work->elf.big };
	struct object_parts p = { none, none, none, NULL };

	work->out.limit = OBJECT_BYTES_MAX;
	const enum cairn_status status = join_parts(work, &p, fault);
	if (status == CAIRN_OK)
		sframe_work_end(work, p.table.size);
	byte_buffer_finish(&p.table);
	byte_buffer_finish(&p.relocations);
	byte_buffer_finish(&p.half);
	free(p.symbols);
	return status;
}
