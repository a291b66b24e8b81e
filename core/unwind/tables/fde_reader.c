/* SPDX-License-Identifier: MIT */
/* Reads an FDE and its CIE from target memory and runs their call frame instructions. */
#include "fde_reader.h"

#include "base/error.h"
#include "unwind/target/memory.h"

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
		                    "a frame entry cannot be read");
	if (entry->size > FDE_READER_ENTRY_MAX)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, source->address - source->section,
		                    "a frame entry is too large");
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
