/* SPDX-License-Identifier: MIT */
/* Finds the FDEs of an object, and writes each as an .eh_frame of its own with absolute addresses. */
#include "jit_object.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "base/order.h"
#include "formats/ehframe/debug_frame.h"
#include "formats/ehframe/ehframe.h"

#include <stdlib.h>

enum {
	RECORD_FRAMES = 4,
	WORD = 8,
};

static bool add_fde(struct jit_object_frames *frames, uint64_t start, uint64_t size, size_t at,
                    size_t cie)
{
	if (size == 0 || frames->count >= JIT_OBJECT_FRAMES)
		return false;
	return ARRAY_APPEND(frames->fde, frames->count, frames->room,
	                    (struct jit_object_fde){ start, size, at, cie });
}

static void read_debug_frame(struct jit_object_frames *frames)
{
	struct debug_frame all = debug_frame_open(frames->section, frames->big, WORD);
	struct cairn_fault fault;
	uint64_t start, size;

	while (debug_frame_next(&all, &start, &size, &fault) == CAIRN_OK)
		add_fde(frames, start, size, all.fde, 0);
}

/* The entry at an offset of an .eh_frame, alone. */
static bool read_frame_part(const struct jit_object_frames *frames, uint64_t at,
                            struct ehframe_source *source, struct ehframe_entry *entry)
{
	if (at >= frames->section.size)
		return false;
	*source = (struct ehframe_source){ { frames->section.data + at,
		                             frames->section.size - (size_t)at },
		                           frames->address + at,
		                           frames->address,
		                           frames->big,
		                           WORD };
	if (ehframe_read_entry(source->bytes, source->address, frames->big, entry) != CAIRN_OK ||
	    entry->size == 0 || entry->size > source->bytes.size)
		return false;
	source->bytes.size = (size_t)entry->size;
	return true;
}

static bool read_pair(const struct jit_object_frames *frames, size_t at, size_t cie_at,
                      struct ehframe_cie *cie, struct ehframe_fde *fde)
{
	struct ehframe_source source;
	struct ehframe_entry entry;
	struct cairn_fault fault;

	if (frames->debug)
		return debug_frame_read(frames->section, frames->big, WORD, at, cie, fde, &fault) ==
		       CAIRN_OK;
	return read_frame_part(frames, cie_at, &source, &entry) && entry.is_cie &&
	       ehframe_read_cie(&source, cie, &fault) == CAIRN_OK &&
	       read_frame_part(frames, at, &source, &entry) && !entry.is_cie &&
	       ehframe_read_fde(&source, cie, fde, &fault) == CAIRN_OK;
}

static void read_eh_frame(struct jit_object_frames *frames)
{
	struct ehframe_source source;
	struct ehframe_entry entry;
	struct ehframe_cie cie;
	struct ehframe_fde fde;

	for (uint64_t at = 0; read_frame_part(frames, at, &source, &entry); at += entry.size)
		if (!entry.is_cie && entry.cie - frames->address < frames->section.size &&
		    read_pair(frames, (size_t)at, (size_t)(entry.cie - frames->address), &cie,
		              &fde))
			add_fde(frames, fde.start, fde.size, (size_t)at,
			        (size_t)(entry.cie - frames->address));
}

static int compare_fdes(const void *left, const void *right)
{
	const struct jit_object_fde *a = left, *b = right;

	return ORDER_BY(a->start, b->start, ORDER_BY(a->at, b->at, 0));
}

void jit_object_frames_read(struct jit_object_frames *frames, const struct elf *elf)
{
	struct elf_section section;

	*frames = (struct jit_object_frames){ .big = elf->big, .debug = true };
	if (!elf_find_section(elf, ".debug_frame", &section)) {
		frames->debug = false;
		if (!elf_find_section(elf, ".eh_frame", &section))
			return;
	}
	frames->section = elf_section_bytes(elf, &section);
	frames->address = section.va;
	if (frames->debug)
		read_debug_frame(frames);
	else
		read_eh_frame(frames);
	if (frames->count > 0)
		qsort(frames->fde, frames->count, sizeof(*frames->fde), compare_fdes);
}

void jit_object_frames_finish(struct jit_object_frames *frames)
{
	free(frames->fde);
}

/* The instructions of an entry end it. */
static void end_entry(const struct ehframe_source *source, size_t program, size_t begin,
                      struct byte_buffer *dump)
{
	byte_buffer_bytes(dump, source->bytes.data + program, source->bytes.size - program);
	byte_buffer_align(dump, WORD);
	byte_buffer_overwrite(dump, begin, dump->size - begin - 4, 4);
}

static void append_cie(const struct ehframe_cie *cie, struct byte_buffer *dump)
{
	const size_t begin = dump->size;

	byte_buffer_number(dump, 0, 4);
	byte_buffer_number(dump, 0, 4);
	byte_buffer_u8(dump, 1);
	byte_buffer_bytes(dump, cie->signal ? "zRS" : "zR", cie->signal ? 4 : 3);
	byte_buffer_uleb(dump, cie->code_align);
	byte_buffer_sleb(dump, cie->data_align);
	byte_buffer_u8(dump, (uint8_t)cie->ra);
	byte_buffer_uleb(dump, 1);
	byte_buffer_u8(dump, 0); /* DW_EH_PE_absptr */
	end_entry(&cie->source, cie->program, begin, dump);
}

static void append_fde(const struct ehframe_fde *fde, size_t cie, struct byte_buffer *dump)
{
	const size_t begin = dump->size;

	byte_buffer_number(dump, 0, 4);
	byte_buffer_number(dump, begin + 4 - cie, 4);
	byte_buffer_number(dump, fde->start, 8);
	byte_buffer_number(dump, fde->size, 8);
	byte_buffer_uleb(dump, 0);
	end_entry(&fde->source, fde->program, begin, dump);
}

void jit_object_frames_append(const struct jit_object_frames *frames, uint64_t start,
                              struct byte_buffer *dump)
{
	const size_t at = SORTED_BELOW(frames->fde, frames->count, start, start);
	struct ehframe_cie cie;
	struct ehframe_fde fde;

	if (at == frames->count || frames->fde[at].start != start ||
	    !read_pair(frames, frames->fde[at].at, frames->fde[at].cie, &cie, &fde))
		return;
	const size_t begin = jit_record_begin(dump, RECORD_FRAMES);
	byte_buffer_number(dump, 0, 8);
	byte_buffer_number(dump, 0, 8); /* no .eh_frame_hdr */
	byte_buffer_number(dump, 0, 8);
	const size_t table = dump->size;
	append_cie(&cie, dump);
	append_fde(&fde, table, dump);
	byte_buffer_number(dump, 0, 4);
	byte_buffer_overwrite(dump, table - 24, dump->size - table, 8);
	jit_record_end(dump, begin);
}
