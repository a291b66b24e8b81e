/* SPDX-License-Identifier: MIT */
/* Creates a file with an SFrame table from the call frame information of a program. */
#include "entries.h"
#include "object_file.h"
#include "side_file.h"
#include "table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "formats/ehframe/cfi.h"

#include <stdlib.h>

enum {
	POLL_ENTRIES = 1 << 8,
	DATA_TIMES = 16,      /* limit of the table per byte of the file; programs need 0.1 */
	DATA_LEAST = 1 << 20, /* added to the limit for any file */
};

const char *cairn_sframe_loss_name(enum cairn_sframe_loss loss)
{
	static const char texts[][TEXT_ROOM] = {
		[CAIRN_SFRAME_LOSS_CFA] = "cfa",
		[CAIRN_SFRAME_LOSS_RA] = "ra",
		[CAIRN_SFRAME_LOSS_FP] = "fp",
		[CAIRN_SFRAME_LOSS_SP] = "sp",
		[CAIRN_SFRAME_LOSS_OFFSET] = "offset",
		[CAIRN_SFRAME_LOSS_OUTERMOST] = "outermost",
		[CAIRN_SFRAME_LOSS_SIGNAL] = "signal",
		[CAIRN_SFRAME_LOSS_OVERLAP] = "overlap",
		[CAIRN_SFRAME_LOSS_OUTSIDE] = "outside",
		[CAIRN_SFRAME_LOSS_DISTANCE] = "distance",
		[CAIRN_SFRAME_LOSS_DAMAGED] = "damaged",
		[CAIRN_SFRAME_LOSS_DISCARDED] = "discarded",
	};

	return TEXT_AT(texts, loss, "?");
}

struct making {
	struct sframe_work work;
	struct frame_entries entries;
	struct cfi_walk walk;
};

static void finish_making(struct making **making)
{
	struct making *m = *making;

	if (!m)
		return;
	frame_entries_finish(&m->entries);
	sframe_work_finish(&m->work);
	free(m);
}

static void leave_out(struct making *m, enum cairn_sframe_loss loss, uint64_t low, uint64_t high)
{
	m->work.made.left_out[loss] += high - low;
}

static void add_rule(struct making *m, const struct ehframe_cie *cie, const struct cfi_row *row)
{
	const struct places places = places_find(&m->work.draft.format, cie, row);

	if (places.rows == 0)
		leave_out(m, places.loss, row->start, row->end);
	else if (!sframe_draft_add(&m->work.draft, row->start, row->end, &places))
		leave_out(m, CAIRN_SFRAME_LOSS_DISTANCE, row->start, row->end);
	else
		m->work.made.written += row->end - row->start;
}

/*
 * Add the rules of one entry. If its instructions are damaged, the rules before that point are kept
 * and the rest is lost. A debugger behaves in the same way, because it runs them up to the pc.
 */
static void add_rules(struct making *m, const struct frame_entry *entry)
{
	const struct ehframe_cie *cie = NULL;
	struct cairn_fault fault;
	struct ehframe_fde fde;
	uint64_t reached = entry->low;
	enum cairn_status status = frame_entries_read(&m->entries, entry, &cie, &fde, &fault);

	if (status == CAIRN_OK &&
	    !allowance_draw(&m->entries.work, cie->source.bytes.size - cie->program)) {
		fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, entry->at,
			                      "CIEs take more work to run than is allowed" };
		status = fault.status;
	}
	if (status == CAIRN_OK)
		status = cfi_walk_open(&m->walk, cie, &fde, &fault);
	if (status == CAIRN_OK)
		sframe_draft_begin(&m->work.draft, cie->signal, cie->key_b);
	while (status == CAIRN_OK && (status = cfi_walk_next(&m->walk, &fault)) == CAIRN_OK) {
		reached = m->walk.row.end;
		add_rule(m, cie, &m->walk.row);
	}
	sframe_draft_end(&m->work.draft);
	if (status != CAIRN_NOT_FOUND) {
		sframe_work_damage(&m->work.made, &fault);
		leave_out(m, CAIRN_SFRAME_LOSS_DAMAGED, reached, entry->high);
	}
}

static bool is_in_segment(const struct elf *elf, const struct frame_entry *entry)
{
	struct elf_segment s;

	if (elf->type == ELF_TYPE_REL)
		return object_file_has_code(elf, entry->low, entry->high);
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.flags & ELF_PF_EXECUTE &&
		    entry->low - s.va < s.memory_size &&
		    entry->high - entry->low <= s.memory_size - (entry->low - s.va))
			return true;
	return false;
}

static void add_entries(struct making *m)
{
	for (size_t i = 0; i < m->entries.count && !m->work.draft.failed; i++) {
		const struct frame_entry *entry = &m->entries.list[i];
		if (m->work.options->poll && i % POLL_ENTRIES == 0)
			m->work.options->poll(m->work.options->poll_context);
		if (!is_in_segment(&m->work.elf, entry)) {
			leave_out(m, CAIRN_SFRAME_LOSS_OUTSIDE, entry->low, entry->high);
			continue;
		}
		m->work.made.described += entry->high - entry->low;
		if (entry->overlapped)
			leave_out(m, CAIRN_SFRAME_LOSS_OVERLAP, entry->low, entry->high);
		else
			add_rules(m, entry);
	}
}

/* Open the file and set the limits, which depend on its size. */
static enum cairn_status prepare_making(struct making *m, struct cairn_bytes file,
                                        struct cairn_fault *fault)
{
	struct sframe_draft *draft = &m->work.draft;
	const uint64_t most = (uint64_t)DATA_TIMES * file.size + DATA_LEAST;
	enum cairn_status status = elf_open(file, &m->work.elf, fault);

	if (status != CAIRN_OK)
		return status;
	draft->format = (struct sframe_format){ (uint8_t)m->work.options->version,
		                                m->work.options->by_section, m->work.elf.big,
		                                elf_machine(&m->work.elf) };
	sframe_work_begin(&m->work, side_file_address(&m->work.elf), most);
	draft->relocatable = m->work.elf.type == ELF_TYPE_REL;
	if (draft->relocatable && m->work.options->rows)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "relocatable: a row table has addresses, which a linker chooses");
	return draft->relocatable ? object_file_check(&m->work.elf, &draft->format, fault)
	                          : side_file_check(&m->work.elf, &draft->format, fault);
}

static enum cairn_status make_table(struct making *m, struct cairn_fault *fault)
{
	const struct cairn_sframe_options *options = m->work.options;

	if (frame_entries_open(&m->work.elf, options->debug_frame, &m->entries) != CAIRN_OK)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	m->work.made.cfi = m->entries.eh_frame.size + m->entries.debug_frame.size;
	m->work.made.code = m->work.draft.relocatable ? object_file_code(&m->work.elf)
	                                              : side_file_code(&m->work.elf);
	m->work.made.damaged = m->entries.damaged;
	m->work.made.fault = m->entries.fault;
	add_entries(m);
	if (m->work.draft.records == 0 && !m->work.draft.failed)
		return fault_set(fault, CAIRN_NOT_FOUND,
		                 m->entries.count ? "SFrame can express none of its rules"
		                                  : "no .eh_frame and no .debug_frame");
	const enum cairn_status status = m->work.draft.relocatable
	                                         ? object_file_write(&m->work, fault)
	                                         : side_file_write(&m->work, fault);
	return status == CAIRN_OK && options->rows ? rows_make(&m->work.made, options, fault)
	                                           : status;
}

enum cairn_status cairn_sframe_file_make(struct cairn_bytes file,
                                         const struct cairn_sframe_options *options,
                                         struct cairn_sframe_file *made, struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_making) struct making *m = calloc(1, sizeof(*m));

	if (!m)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	m->work.options = options;
	enum cairn_status status = prepare_making(m, file, fault);
	if (status == CAIRN_OK)
		status = make_table(m, fault);
	return sframe_work_give(&m->work, status, made);
}
