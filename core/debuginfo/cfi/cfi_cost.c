/* SPDX-License-Identifier: MIT */
/*
 * Lists the entries of .eh_frame by their code, and checks that the table of .eh_frame_hdr leads
 * only to these.
 */
#include "cfi_cost.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/ehframe/ehframe.h"
#include "formats/elf/elf.h"

#include <stdlib.h>

enum { WORD = 8, TERMINATOR = 4 };

struct walk {
	struct cfi_cost *cost;
	const struct elf *elf;
	struct elf_section section;
	struct cairn_bytes bytes;
	uint64_t encoded_by; /* address of the CIE that `encoding` comes from; 0 if none */
	uint8_t encoding;
	bool known; /* all entries and their ranges could be read */
	bool ended;
};

/* Return the size of the longest entry. An entry extends at most to the end of the section. */
static uint64_t measure_longest_entry(struct cairn_bytes rest, bool big)
{
	enum { WIDE = 4 + 8 };
	uint64_t longest = 0;

	while (rest.size >= WIDE) {
		uint64_t length = bytes_u32(rest.data, big), head = 4;
		if (length == UINT32_MAX) {
			length = bytes_u64(rest.data + head, big);
			head = WIDE;
		}
		if (length > rest.size - head)
			length = rest.size - head;
		longest = length > longest ? length : longest;
		rest.data += head + length;
		rest.size -= head + length;
	}
	return longest;
}

static struct cairn_bytes cut_front(struct cairn_bytes bytes, uint64_t size)
{
	return (struct cairn_bytes){ bytes.data + size, bytes.size - (size_t)size };
}

/* Read the pointer encoding that FDEs of the CIE at `address` use. */
static bool read_encoding(struct walk *w, uint64_t address)
{
	const uint64_t at = address - w->section.va;

	if (w->encoded_by == address && address != 0)
		return true;
	if (at >= w->bytes.size ||
	    ehframe_cie_encoding(cut_front(w->bytes, at), address, w->elf->big, WORD,
	                         &w->encoding) != CAIRN_OK)
		return false;
	w->encoded_by = address;
	return true;
}

static bool add_fde(struct walk *w, uint64_t at, const struct ehframe_entry *entry)
{
	struct cfi_cost *cost = w->cost;
	uint64_t start, size;

	if (!read_encoding(w, entry->cie) ||
	    ehframe_fde_range(cut_front(w->bytes, at), w->section.va + at, entry->body, w->encoding,
	                      w->elf->big, &start, &size) != CAIRN_OK ||
	    size > UINT64_MAX - start)
		return false;
	return ARRAY_APPEND(cost->list, cost->count, cost->room,
	                    (struct cfi_cost_entry){ start, start + size, at, entry->size });
}

static void list_entries(struct walk *w)
{
	struct ehframe_entry entry;
	uint64_t at = 0;

	w->known = true;
	while (w->known && w->bytes.size - at >= TERMINATOR) {
		const struct cairn_bytes rest = cut_front(w->bytes, at);
		w->known = ehframe_read_entry(rest, w->section.va + at, w->elf->big, &entry) ==
		                   CAIRN_OK &&
		           entry.size <= rest.size;
		w->ended = w->known && entry.size == 0;
		if (w->known && entry.size > 0 && !entry.is_cie)
			w->known = add_fde(w, at, &entry);
		at += entry.size > 0 ? entry.size : TERMINATOR;
	}
}

/* Return true if each row of the table leads to a listed FDE. The list is in section order. */
static bool leads_to_entries(const struct walk *w, struct cairn_bytes header, uint64_t address,
                             uint32_t count)
{
	const struct cfi_cost *cost = w->cost;
	uint64_t start, fde;

	if (count > (header.size - EHFRAME_HEADER) / EHFRAME_TABLE_ENTRY)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *row = header.data + EHFRAME_HEADER + (size_t)i * EHFRAME_TABLE_ENTRY;
		ehframe_table_entry(row, address, w->elf->big, &start, &fde);
		const size_t next = SORTED_UP_TO(cost->list, cost->count, at, fde - w->section.va);
		if (next == 0 || cost->list[next - 1].at != fde - w->section.va)
			return false;
	}
	return true;
}

/*
 * Return true if libdw finds no other entries than the listed ones. libdw prefers the first
 * PT_GNU_EH_FRAME segment to the section.
 */
static bool has_honest_header(const struct walk *w)
{
	struct ehframe_header header;
	struct elf_segment s = { .type = 0 };

	for (uint32_t i = 0; s.type != ELF_PT_GNU_EH_FRAME; i++)
		if (!elf_segment(w->elf, i, &s))
			return true;
	const struct cairn_bytes bytes = elf_segment_bytes(w->elf, &s);
	if (ehframe_read_header(bytes, s.va, w->elf->big, WORD, &header) != CAIRN_OK ||
	    header.frames != w->section.va)
		return false;
	return header.has_table ? leads_to_entries(w, bytes, s.va, header.count) : w->ended;
}

static int compare_entries(const void *left, const void *right)
{
	const struct cfi_cost_entry *a = left, *b = right;

	return (a->low > b->low) - (a->low < b->low);
}

/* Sort by code, dropping entries without code. Returns false if two entries overlap. */
static bool sort_entries(struct cfi_cost *cost)
{
	size_t kept = 0;

	for (size_t i = 0; i < cost->count; i++)
		if (cost->list[i].low < cost->list[i].high)
			cost->list[kept++] = cost->list[i];
	cost->count = kept;
	if (kept > 0)
		qsort(cost->list, kept, sizeof(*cost->list), compare_entries);
	for (size_t i = 1; i < kept; i++)
		if (cost->list[i].low < cost->list[i - 1].high)
			return false;
	return true;
}

static void measure_eh_frame(struct cfi_cost *cost, const struct elf *elf,
                             const struct elf_section *section)
{
	struct walk w = { .cost = cost,
		          .elf = elf,
		          .section = *section,
		          .bytes = elf_section_bytes(elf, section) };

	cost->eh_frame = true;
	list_entries(&w);
	const bool honest = has_honest_header(&w);
	if (honest)
		cost->most = measure_longest_entry(w.bytes, elf->big);
	if (!honest || !w.known || !sort_entries(cost))
		cost->count = 0;
}

void cfi_cost_open(struct cfi_cost *cost, struct cairn_bytes file)
{
	struct elf_section section;
	struct elf elf;

	*cost = (struct cfi_cost){ .eh_frame = true, .most = file.size };
	if (!elf_opens(file, &elf))
		return;
	if (elf_find_section(&elf, ".eh_frame", &section) && section.type != ELF_SHT_NOBITS) {
		measure_eh_frame(cost, &elf, &section);
		return;
	}
	cost->eh_frame = !elf_find_section(&elf, ".debug_frame", &section);
	if (!cost->eh_frame && !(section.flags & ELF_SHF_COMPRESSED))
		cost->most = measure_longest_entry(elf_section_bytes(&elf, &section), elf.big);
}

void cfi_cost_close(struct cfi_cost *cost)
{
	free(cost->list);
	cost->list = NULL;
	cost->count = 0;
}

uint64_t cfi_cost_at(const struct cfi_cost *cost, uint64_t va)
{
	if (cost->count == 0)
		return cost->most;
	const size_t next = SORTED_UP_TO(cost->list, cost->count, low, va);
	return next > 0 && va < cost->list[next - 1].high ? cost->list[next - 1].bytes : 0;
}
