/* SPDX-License-Identifier: MIT */
/*
 * Copies FDEs from .eh_frame to .debug_frame. Instructions are copied verbatim, addresses and
 * locations are converted to plain numbers, and exception-handling data is dropped.
 */
#include "eh_frames.h"

#include "base/memory.h"
#include "cfi_encoder.h"
#include "formats/ehframe/cfi.h"
#include "formats/elf/elf.h"
#include "unwind/tables/cfi_coverage.h"
#include "unwind/tables/unwind_tables.h"

#include <stdlib.h>

enum {
	CIE_SLOTS = 64, /* size of the cache of written CIEs; compilers generate only a few */
	STUB = 16,
};

struct written_cie {
	uint64_t va; /* 0 if the slot is empty */
	size_t at;
};

struct copier {
	const struct program_image *image;
	struct frame_table *table;
	const struct cfi_memory view;
	struct cfi_coverage *cfi;
	struct fde_reader *entries;
	struct elf_stubs stubs;
	bool has_stubs;
	uint64_t budget;          /* bytes of entries that may still be read or written */
	uint64_t reached;         /* end of the last function */
	struct cairn_fault fault; /* reason why instructions could not be copied */
	struct written_cie cie[CIE_SLOTS];
};

static void finish_copier(struct copier *c)
{
	free(c->entries);
}

bool eh_frames_are_hidden(struct program_image *image)
{
	struct elf_section section;

	if (elf_find_section(&image->elf, ".eh_frame", &section) && section.size > 0)
		return false;
	return module_cfi(image->space, image->module) != NULL;
}

/*
 * Return true if the instructions were copied completely, otherwise set c->fault with an offset in
 * .eh_frame.
 */
static bool check_copied(struct copier *c, const struct cfi_instructions *all)
{
	c->fault = all->in.fault;
	c->fault.offset += all->source->address - all->source->section;
	return reader_ok(&all->in);
}

/* Copy the instructions of a CIE, which do not advance the location. */
static bool copy_initial_program(struct copier *c, const struct ehframe_cie *cie)
{
	struct cfi_instructions all = cfi_instructions_open(cie, &cie->source, cie->program, 0);
	struct cfi_instruction is;

	while (cfi_instructions_next(&all, &is))
		if (!is.moves)
			byte_buffer_bytes(&c->table->section, is.bytes.data, is.bytes.size);
	return check_copied(c, &all);
}

/*
 * Copy the instructions for `range`, which may be a part of the FDE. Instructions for earlier
 * locations take effect at its start. Return false if the instructions are invalid.
 */
static bool copy_program(struct copier *c, struct cairn_range range)
{
	const struct ehframe_fde *fde = &c->entries->fde;
	struct cfi_instructions all =
		cfi_instructions_open(&c->entries->cie, &fde->source, fde->program, fde->start);
	struct cfi_instruction is;
	uint64_t written = range.low;

	while (cfi_instructions_next(&all, &is) && all.location < range.high) {
		if (is.moves)
			continue;
		if (all.location > written) {
			cfi_encoder_advance(&c->table->section, all.location - written);
			written = all.location;
		}
		byte_buffer_bytes(&c->table->section, is.bytes.data, is.bytes.size);
	}
	return check_copied(c, &all);
}

static struct cfi_encoder_cie describe_cie(const struct copier *c)
{
	const struct ehframe_cie *cie = &c->entries->cie;

	return (struct cfi_encoder_cie){ (cie->signal ? 1u : 0u) | (cie->key_b ? 2u : 0u),
		                         c->view.word, cie->data_align, cie->ra };
}

static bool place_cie(struct copier *c, const struct cfi_encoder_cie *head, size_t *at)
{
	struct byte_buffer *out = &c->table->section;
	const uint64_t va = c->entries->cie.source.address;
	struct written_cie *slot = &c->cie[va / 4 % CIE_SLOTS];

	if (slot->va != va) {
		*slot = (struct written_cie){ 0, cfi_encoder_begin_cie(out, head) };
		if (!copy_initial_program(c, &c->entries->cie)) {
			out->size = slot->at;
			return false;
		}
		cfi_encoder_finish_entry(out, slot->at, head->word);
		slot->va = va;
	}
	*at = slot->at;
	return true;
}

static bool copy_part(struct copier *c, struct cairn_range range)
{
	struct byte_buffer *out = &c->table->section;
	const struct cfi_encoder_cie head = describe_cie(c);
	const size_t before = out->size;
	size_t cie;

	if (!place_cie(c, &head, &cie))
		return false;
	const size_t at = cfi_encoder_begin_fde(out, &head, cie, range);
	if (!copy_program(c, range)) {
		out->size = at;
		return false;
	}
	cfi_encoder_finish_entry(out, at, head.word);
	const uint64_t wrote = out->size - before;
	c->budget -= wrote < c->budget ? wrote : c->budget;
	return true;
}

static bool is_stub(const struct copier *c, uint64_t va)
{
	uint8_t code[STUB];

	return c->has_stubs &&
	       c->view.target->read_memory(c->view.target->context, va, code, STUB) == CAIRN_OK &&
	       elf_stubs_name_code(&c->stubs, va, (struct cairn_bytes){ code, STUB }).size > 0;
}

/*
 * Return true if the FDE covers a PLT. It covers all stubs, but to a debugger they are separate
 * functions; LLDB applies an FDE relative to the start of the function.
 */
static bool is_plt(const struct copier *c, struct cairn_range range)
{
	const struct ehframe_fde *fde = &c->entries->fde;
	const uint64_t size = range.high - range.low;

	return size >= STUB && size % STUB == 0 &&
	       fde->source.bytes.size <= EH_FRAMES_STUB_PROGRAM &&
	       (is_stub(c, range.low) || (size > STUB && is_stub(c, range.low + STUB)));
}

static bool copy_stubs(struct copier *c, struct cairn_range range)
{
	for (uint64_t va = range.low; va < range.high && c->budget > 0; va += STUB) {
		const struct cairn_range stub = { va, va + STUB };
		if (copy_part(c, stub) && !frame_table_add(c->table, stub, FRAME_FUNCTION_STUB))
			return false;
	}
	return true;
}

static void count_damage(struct frame_table *table, const struct cairn_fault *fault)
{
	if (table->damaged++ == 0)
		table->fault = *fault;
}

static bool copy_fde(struct copier *c, const struct cfi_range *range)
{
	const struct fde_reader_query query = { c->cfi->frames, range->fde, range->low };
	/* limit the range to code that is in the file */
	const uint64_t room = program_image_code_size(c->image, range->low),
		       size = range->high - range->low;
	const struct cairn_range code = { range->low, range->low + (size < room ? size : room) };
	struct cairn_fault fault;

	if (code.low == code.high || code.high - code.low > UINT32_MAX)
		return true;
	if (fde_reader_read(c->entries, &c->view, &query, &fault) != CAIRN_OK) {
		count_damage(c->table, &fault);
		return true;
	}
	const uint64_t read = c->entries->cie.source.bytes.size + c->entries->fde.source.bytes.size;
	c->budget -= read < c->budget ? read : c->budget;
	c->reached = code.high;
	if (is_plt(c, code))
		return copy_stubs(c, code);
	if (copy_part(c, code))
		return frame_table_add(c->table, code, FRAME_FUNCTION);
	count_damage(c->table, &c->fault);
	return true;
}

static bool copy_fdes(struct copier *c, const struct frame_writer_options *options)
{
	struct cfi_range range;

	for (size_t i = 0; c->budget > 0 && cfi_coverage_fde(c->cfi, &c->view, i, &range); i++) {
		if (options->poll && i % EH_FRAMES_POLL == 0)
			options->poll(options->poll_context);
		if (range.covered && range.low >= c->reached && range.high > range.low &&
		    !copy_fde(c, &range))
			return false;
	}
	return !c->table->section.failed;
}

bool eh_frames_write(struct program_image *image, const struct frame_writer_options *options,
                     struct frame_table *table)
{
	WITH_CLEANUP(finish_copier)
	struct copier c = {
		.image = image,
		.table = table,
		.view = module_cfi_memory(image->space, image->module),
		.cfi = module_cfi(image->space, image->module),
		.entries = malloc(sizeof(*c.entries)),
		.budget = (uint64_t)EH_FRAMES_TIMES * image->elf.bytes.size,
	};

	c.has_stubs = elf_stubs_open(&image->elf, &c.stubs);
	return c.entries && (!c.cfi || copy_fdes(&c, options));
}
