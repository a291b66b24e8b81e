/* SPDX-License-Identifier: MIT */
/*
 * Finds the FDE that covers a pc, through .eh_frame_hdr or a list built from .eh_frame or
 * .debug_frame. Reads the FDE from target memory and caches its rows.
 */
#include "cfi_coverage.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/target_memory.h"
#include "formats/ehframe/ehframe.h"

#include <stdlib.h>
#include <string.h>

enum {
	WINDOW = 8192,
};

struct window {
	uint64_t va;
	size_t size;
	uint8_t bytes[WINDOW];
};

/*
 * Return the first bytes of the entry at `va`. At the end of a mapping, the result may be too short
 * to decode.
 */
static struct cairn_bytes peek_frame_entry(const struct cfi_memory *view, struct window *w,
                                           uint64_t va)
{
	uint64_t into = va - w->va;

	if (into >= w->size || w->size - into < EHFRAME_ENTRY_PEEK) {
		w->size = memory_read_some(view->target, cfi_memory_pc(view, va), w->bytes,
		                           sizeof(w->bytes));
		w->va = va;
		into = 0;
	}
	return (struct cairn_bytes){ w->bytes + into, w->size - (size_t)into };
}

/*
 * Read the address encoding from a CIE. Cache the result for the latest CIE, because consecutive
 * FDEs mostly share one.
 */
static bool read_cie_encoding(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t va,
                              uint8_t *encoding)
{
	uint8_t cie[EHFRAME_ENTRY_PEEK];

	if (cfi->cie == 0 || cfi->cie != va) {
		struct cairn_bytes bytes = { cie,
			                     memory_read_some(view->target, cfi_memory_pc(view, va),
			                                      cie, sizeof(cie)) };
		if (ehframe_cie_encoding(bytes, va, view->big, view->word, &cfi->encoding) !=
		    CAIRN_OK)
			return false;
		cfi->cie = va;
	}
	*encoding = cfi->encoding;
	return true;
}

/*
 * Decode an FDE's range from its first bytes. Return UNSUPPORTED if the address encoding is not
 * supported.
 */
static enum cairn_status decode_fde_range(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                          struct cairn_bytes bytes, uint64_t va,
                                          const struct ehframe_entry *entry,
                                          struct cfi_range *range)
{
	uint64_t start, size;
	uint8_t encoding;

	if (!read_cie_encoding(cfi, view, entry->cie, &encoding))
		return CAIRN_MALFORMED;
	enum cairn_status status =
		ehframe_fde_range(bytes, va, entry->body, encoding, view->big, &start, &size);
	if (status == CAIRN_OK && size > UINT64_MAX - start)
		status = CAIRN_MALFORMED;
	if (status == CAIRN_OK)
		*range = (struct cfi_range){ start, start + size, true, va };
	return status;
}

static enum cairn_status read_fde_range(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                        uint64_t va, struct cfi_range *range)
{
	uint8_t first[EHFRAME_ENTRY_PEEK];
	const struct cairn_bytes bytes = { first, memory_read_some(view->target, va + view->bias,
		                                                   first, sizeof(first)) };
	struct ehframe_entry entry;

	if (ehframe_read_entry(bytes, va, view->big, &entry) != CAIRN_OK || entry.size == 0 ||
	    entry.is_cie)
		return CAIRN_MALFORMED;
	return decode_fde_range(cfi, view, bytes, va, &entry, range);
}

bool cfi_coverage_open_header(struct cfi_coverage *cfi, const struct cfi_memory *view,
                              uint64_t size)
{
	uint8_t start[EHFRAME_HEADER + sizeof(cfi->block.bytes)];
	bool small = size <= sizeof(start); /* a small table is read together with the header */
	struct ehframe_header header;

	cfi->block.count = 0;
	if (size < EHFRAME_HEADER || !memory_read(view->target, cfi_memory_pc(view, cfi->header),
	                                          start, small ? (size_t)size : EHFRAME_HEADER))
		return false;
	struct cairn_bytes bytes = { start, EHFRAME_HEADER };
	if (ehframe_read_header(bytes, cfi->header, view->big, view->word, &header) != CAIRN_OK)
		return false;
	cfi->frames = header.frames;
	/*
	 * Some tools that rewrite programs leave the table empty, so an empty table does not mean
	 * that .eh_frame is empty.
	 */
	if (!header.has_table || header.count == 0 ||
	    header.count > (size - EHFRAME_HEADER) / EHFRAME_TABLE_ENTRY)
		return false;
	cfi->count = header.count;
	if (small) {
		memcpy(cfi->block.bytes, start + EHFRAME_HEADER,
		       (size_t)header.count * EHFRAME_TABLE_ENTRY);
		cfi->block.low = 0;
		cfi->block.count = header.count;
	}
	cfi->state = CFI_TABLE;
	return true;
}

/* A table entry, and the start of the next entry (UINT64_MAX after the last one). */
struct table_hit {
	uint64_t start, fde, next;
	uint64_t next_fde;
};

static bool read_entries(const struct cfi_coverage *cfi, const struct cfi_memory *view,
                         uint32_t index, uint32_t count, uint8_t *buffer)
{
	uint64_t va = cfi->header + EHFRAME_HEADER + (uint64_t)index * EHFRAME_TABLE_ENTRY;
	return memory_read(view->target, cfi_memory_pc(view, va), buffer,
	                   (size_t)count * EHFRAME_TABLE_ENTRY);
}

static uint64_t block_entry(const struct cfi_coverage *cfi, const struct cfi_memory *view,
                            uint32_t index, uint64_t *fde)
{
	uint64_t start;

	ehframe_table_entry(cfi->block.bytes + (size_t)index * EHFRAME_TABLE_ENTRY, cfi->header,
	                    view->big, &start, fde);
	return start;
}

/*
 * Return true if the block contains both the last entry that starts at or before `va` and the entry
 * after it.
 */
static bool block_holds(const struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t va)
{
	const struct cfi_block *b = &cfi->block;
	uint64_t fde;

	return b->count > 0 && (b->low == 0 || block_entry(cfi, view, 0, &fde) <= va) &&
	       (b->low + b->count == cfi->count || va < block_entry(cfi, view, b->count - 1, &fde));
}

/*
 * Read a block of entries. Mark the block as valid only after the read, because the host may throw
 * an exception during the read.
 */
static bool read_block(struct cfi_coverage *cfi, const struct cfi_memory *view, uint32_t low,
                       uint32_t count)
{
	cfi->block.count = 0;
	if (!read_entries(cfi, view, low, count, cfi->block.bytes))
		return false;
	cfi->block.low = low;
	cfi->block.count = count;
	return true;
}

static void search_block(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t va,
                         struct table_hit *hit)
{
	*hit = (struct table_hit){ 0, 0, UINT64_MAX, 0 };
	for (uint32_t i = 0; i < cfi->block.count; i++) {
		uint64_t fde, start = block_entry(cfi, view, i, &fde);
		cfi->damaged = cfi->damaged || start < hit->start;
		if (start > va) {
			hit->next = start;
			hit->next_fde = fde;
			break;
		}
		hit->start = start;
		hit->fde = fde;
	}
}

static bool find_block(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t va)
{
	uint32_t low = 0, count = cfi->count;

	while (count > CFI_BLOCK) {
		uint8_t entry[EHFRAME_TABLE_ENTRY];
		uint32_t half = count / 2;
		uint64_t start, fde;
		if (!read_entries(cfi, view, low + half, 1, entry))
			return false;
		ehframe_table_entry(entry, cfi->header, view->big, &start, &fde);
		low = start <= va ? low + half : low;
		count = start <= va ? count - half : half;
	}
	return count > 0 &&
	       read_block(cfi, view, low, low + count < cfi->count ? count + 1 : count);
}

static bool search_table(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t va,
                         struct table_hit *hit)
{
	if (!block_holds(cfi, view, va) && !find_block(cfi, view, va))
		return false;
	search_block(cfi, view, va, hit);
	return true;
}

/*
 * Return the uncovered range before the first entry. If the first entry's FDE begins elsewhere,
 * mark the table as damaged.
 */
static struct cfi_range find_range_before(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                          uint64_t va, const struct table_hit *hit)
{
	struct cfi_range range;
	const enum cairn_status status =
		hit->next_fde ? read_fde_range(cfi, view, hit->next_fde, &range) : CAIRN_NOT_FOUND;

	cfi->damaged = cfi->damaged || status == CAIRN_MALFORMED ||
	               (status == CAIRN_OK && range.low != hit->next);
	return (struct cfi_range){ va, hit->next, false, 0 };
}

/*
 * Return true if the range contains `va`. Compare differences, which may wrap, because a range may
 * end with the last byte of memory.
 */
static bool covers_va(const struct cfi_range *range, uint64_t va)
{
	return va - range->low < range->high - range->low;
}

static struct cfi_range find_range_in_table(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                            uint64_t va)
{
	struct cfi_range range, unknown = { va, va + 1, false, 0 };
	struct table_hit hit;

	if (!search_table(cfi, view, va, &hit))
		return unknown;
	if (hit.fde == 0)
		return find_range_before(cfi, view, va, &hit);
	const enum cairn_status status = read_fde_range(cfi, view, hit.fde, &range);
	/*
	 * report the address as covered; the reason why its FDE cannot be used is reported when the
	 * FDE is read
	 */
	if (status == CAIRN_UNSUPPORTED)
		return (struct cfi_range){ hit.start, hit.next, true, hit.fde };
	cfi->damaged = cfi->damaged || status != CAIRN_OK || range.low != hit.start;
	if (status != CAIRN_OK)
		return unknown;
	if (covers_va(&range, va))
		return range;
	bool behind = range.high <= va && va < hit.next;
	return behind ? (struct cfi_range){ range.high, hit.next, false, 0 } : unknown;
}

static struct cfi_range find_range_in_list(const struct cfi_coverage *cfi, uint64_t va)
{
	const size_t low = SORTED_UP_TO(cfi->list, cfi->list_count, low, va);

	if (low > 0 && va < cfi->list[low - 1].high)
		return cfi->list[low - 1];
	return (struct cfi_range){ va, va + 1, false, 0 };
}

static const struct cfi_range *find_cached_range(const struct cfi_coverage *cfi, uint64_t va)
{
	for (unsigned i = 0; i < CFI_CACHE; i++) {
		const struct cfi_range *range = &cfi->cache[i];
		if (covers_va(range, va))
			return range;
	}
	return NULL;
}

const struct cfi_range *cfi_coverage_find(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                          uint64_t va)
{
	struct cfi_range *slot = &cfi->cache[(va >> 4 ^ va >> 10) % CFI_CACHE];

	if (covers_va(slot, va))
		return slot;
	const struct cfi_range *known = find_cached_range(cfi, va);
	if (known)
		return known;
	*slot = cfi->state == CFI_TABLE ? find_range_in_table(cfi, view, va)
	                                : find_range_in_list(cfi, va);
	return slot;
}

/*
 * Read the FDE address in a table entry. Read whole blocks, because callers read entries in
 * sequence.
 */
static bool read_table_fde(struct cfi_coverage *cfi, const struct cfi_memory *view, uint32_t number,
                           uint64_t *fde)
{
	const uint32_t left = cfi->count - number;
	const bool in_block =
		number >= cfi->block.low && number - cfi->block.low < cfi->block.count;

	if (!in_block && !read_block(cfi, view, number, left < CFI_BLOCK ? left : CFI_BLOCK))
		return false;
	block_entry(cfi, view, number - cfi->block.low, fde);
	return true;
}

bool cfi_coverage_fde(struct cfi_coverage *cfi, const struct cfi_memory *view, size_t number,
                      struct cfi_range *range)
{
	uint64_t fde;

	if (number >= (cfi->state == CFI_TABLE ? cfi->count : cfi->list_count))
		return false;
	*range = (struct cfi_range){ .covered = false };
	if (cfi->state == CFI_LIST) {
		*range = cfi->list[number];
		return true;
	}
	if (!read_table_fde(cfi, view, (uint32_t)number, &fde))
		/*
		 * stop here, because a damaged table may claim billions of entries that memory does
		 * not contain
		 */
		return false;
	if (read_fde_range(cfi, view, fde, range) != CAIRN_OK)
		range->covered = false;
	return true;
}

bool cfi_coverage_walk(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t frames,
                       uint64_t size, uint64_t low, uint64_t high)
{
	uint64_t at = frames, end = frames + (size < CFI_WALK_MAX ? size : CFI_WALK_MAX);
	struct window window = { .size = 0 };

	cfi->list_count = 0; /* an interrupted walk may have left entries in the list */
	while (at < end) {
		struct cairn_bytes bytes = peek_frame_entry(view, &window, at);
		struct ehframe_entry entry;
		struct cfi_range range;
		if (ehframe_read_entry(bytes, at, view->big, &entry) != CAIRN_OK ||
		    entry.size == 0 || entry.size > end - at)
			break;
		const bool known = !entry.is_cie && decode_fde_range(cfi, view, bytes, at, &entry,
		                                                     &range) == CAIRN_OK;
		if (!entry.is_cie && !known && cfi->list_count == 0)
			/*
			 * if the first FDE is bad, the bytes are not .eh_frame; a bad FDE after
			 * good ones is skipped
			 */
			break;
		bool inside = known && range.low >= low && range.high <= high;
		if (inside &&
		    (cfi->list_count == CFI_LIST_MAX ||
		     !ARRAY_APPEND(cfi->list, cfi->list_count, cfi->list_capacity, range)))
			break;
		at += entry.size;
	}
	if (cfi->list_count == 0)
		return false;
	SORT_BY_FIRST(cfi->list, cfi->list_count, low);
	memset(cfi->cache, 0, sizeof(cfi->cache));
	cfi->frames = frames;
	cfi->state = CFI_LIST;
	return true;
}

void cfi_coverage_finish(struct cfi_coverage *cfi)
{
	free(cfi->list);
}

/* Read the next range. Skip unreadable entries, but stop at an entry of unknown length. */
static bool next_range(struct debug_frame *frames, uint64_t *start, uint64_t *size)
{
	struct cairn_fault fault;
	enum cairn_status status;
	size_t at;

	do {
		at = frames->at;
		status = debug_frame_next(frames, start, size, &fault);
	} while (status != CAIRN_OK && status != CAIRN_NOT_FOUND && frames->at > at);
	return status == CAIRN_OK;
}

static bool read_index(struct debug_frame_index *index)
{
	struct debug_frame frames = debug_frame_open(index->section, index->big, index->word);
	uint64_t start, size;

	while (index->count < DEBUG_FRAME_INDEX_MAX && next_range(&frames, &start, &size)) {
		if (size == 0)
			continue;
		if (!ARRAY_APPEND(
			    index->list, index->count, index->capacity,
			    (struct debug_frame_index_entry){ start, start + size, frames.fde }))
			return false;
	}
	SORT_BY_FIRST(index->list, index->count, low);
	return true;
}

struct debug_frame_index *debug_frame_index_new(struct cairn_bytes section, bool big, uint8_t word)
{
	struct debug_frame_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->section = section;
	index->big = big;
	index->word = word;
	if (read_index(index))
		return index;
	debug_frame_index_free(index);
	return NULL;
}

void debug_frame_index_free(struct debug_frame_index *index)
{
	if (!index)
		return;
	free(index->list);
	free(index);
}

bool debug_frame_index_find(const struct debug_frame_index *index, uint64_t va, uint64_t *fde)
{
	const size_t next = SORTED_UP_TO(index->list, index->count, low, va);

	if (next == 0 || va >= index->list[next - 1].high)
		return false;
	*fde = index->list[next - 1].fde;
	return true;
}

static enum cairn_status read_entry(const struct cfi_memory *view, uint8_t *buffer,
                                    struct ehframe_source *source, struct ehframe_entry *entry,
                                    struct cairn_fault *fault)
{
	uint64_t pc = cfi_memory_pc(view, source->address);
	size_t size = memory_read_some(view->target, pc, buffer, FDE_READER_READ_FIRST);

	source->bytes = (struct cairn_bytes){ buffer, size };
	enum cairn_status status =
		ehframe_read_entry(source->bytes, source->address, source->big, entry);
	if (status != CAIRN_OK)
		return fault_set_at(fault, size ? status : CAIRN_UNREADABLE,
		                    source->address - source->section,
		                    "a CIE or FDE cannot be read");
	if (entry->size > FDE_READER_ENTRY_MAX)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, source->address - source->section,
		                    "a CIE or FDE is too large");
	if (size == FDE_READER_READ_FIRST && entry->size > size)
		size += memory_read_some(view->target, pc + size, buffer + size,
		                         (size_t)entry->size - size);
	source->bytes.size = size;
	return CAIRN_OK;
}

enum cairn_status fde_reader_read(struct fde_reader *entries, const struct cfi_memory *view,
                                  const struct fde_reader_query *question,
                                  struct cairn_fault *fault)
{
	struct ehframe_source fde = { .address = question->fde,
		                      .section = question->section,
		                      .big = view->big,
		                      .word = view->word };
	struct ehframe_source cie = fde;
	struct ehframe_entry entry;
	enum cairn_status status = read_entry(view, entries->fde_bytes, &fde, &entry, fault);

	if (status != CAIRN_OK)
		return status;
	cie.address = entry.cie;
	status = read_entry(view, entries->cie_bytes, &cie, &entry, fault);
	if (status == CAIRN_OK)
		status = ehframe_read_cie(&cie, &entries->cie, fault);
	if (status == CAIRN_OK)
		status = ehframe_read_fde(&fde, &entries->cie, &entries->fde, fault);
	return status;
}

enum cairn_status fde_reader_read_row(struct fde_reader *entries, const struct cfi_memory *view,
                                      const struct fde_reader_query *question, struct cfi_row *row,
                                      struct cairn_fault *fault)
{
	enum cairn_status status = fde_reader_read(entries, view, question, fault);

	if (status == CAIRN_OK)
		status = cfi_rules_find(&entries->cie, &entries->fde, question->va, row, fault);
	return status;
}

/*
 * Return the index of the first of the two slots in which the row may be cached. The index of the
 * other slot differs only in the lowest bit.
 */
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
