/* SPDX-License-Identifier: MIT */
/*
 * Writes a core file: header, program headers, notes, and the contents of all segments. File
 * offsets are not congruent to addresses modulo the page size. This saves a page per small segment,
 * and debuggers do not require it.
 */
#include "core_writer.h"

#include "base/error.h"

#include "core_notes.h"
#include "formats/elf/elf.h"

enum {
	HEADER = 64,
	SEGMENT = ELF_SEGMENT_WIDE,
	SECTION = ELF_SECTION_WIDE,
	OSABI_LINUX = 3, /* EI_OSABI; with another value LLDB asks for the program's file */
	MANY = 0xffff,   /* PN_XNUM: the number of segments is in section 0 */
	NOTES_MAX = 1 << 30,
};

struct core_writing {
	const struct core_draft *draft;
	struct core_output *output;
	struct byte_buffer head, notes;
	uint64_t size;
};

static uint16_t find_elf_machine(const struct snapshot *snapshot)
{
	if (snapshot->big_endian)
		return 0;
	return snapshot->machine == CAIRN_MACHINE_AMD64     ? ELF_EM_X86_64
	       : snapshot->machine == CAIRN_MACHINE_AARCH64 ? ELF_EM_AARCH64
	                                                    : 0;
}

static uint64_t count_core_segments(const struct core_writing *w)
{
	return w->draft->segment_count + 1;
}

static void put_header(struct core_writing *w)
{
	static const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, OSABI_LINUX };
	const uint64_t count = count_core_segments(w);
	const bool many = count >= MANY;
	struct byte_buffer *out = &w->head;

	byte_buffer_bytes(out, ident, sizeof(ident));
	byte_buffer_number(out, ELF_TYPE_CORE, 2);
	byte_buffer_number(out, find_elf_machine(w->draft->snapshot), 2);
	byte_buffer_number(out, 1, 4);
	byte_buffer_number(out, 0, 8);
	byte_buffer_number(out, many ? HEADER + SECTION : HEADER, 8);
	byte_buffer_number(out, many ? HEADER : 0, 8);
	byte_buffer_number(out, 0, 4);
	byte_buffer_number(out, HEADER, 2);
	byte_buffer_number(out, SEGMENT, 2);
	byte_buffer_number(out, many ? MANY : count, 2);
	byte_buffer_number(out, many ? SECTION : 0, 2);
	byte_buffer_number(out, many, 2);
	byte_buffer_number(out, 0, 2);
	if (!many)
		return;
	/* sh_info has the number of segments; word 8 is the low half of sh_size. */
	for (size_t i = 0; i < SECTION / 4; i++)
		byte_buffer_number(out, i == 11 ? count : i == 8 ? 1 : 0, 4);
}

static void put_segment(struct core_writing *w, uint32_t type, uint32_t flags, uint64_t offset,
                        const struct core_segment *segment)
{
	struct byte_buffer *out = &w->head;

	byte_buffer_number(out, type, 4);
	byte_buffer_number(out, flags, 4);
	byte_buffer_number(out, offset, 8);
	byte_buffer_number(out, segment->low, 8);
	byte_buffer_number(out, 0, 8);
	byte_buffer_number(out, segment->bytes.size, 8);
	byte_buffer_number(out, segment->high - segment->low, 8);
	byte_buffer_number(out, type == ELF_PT_NOTE ? 4 : 1, 8);
}

static uint32_t translate_flags(unsigned access)
{
	return (access & SNAPSHOT_READ ? ELF_PF_READ : 0u) |
	       (access & SNAPSHOT_WRITE ? ELF_PF_WRITE : 0u) |
	       (access & SNAPSHOT_EXECUTE ? ELF_PF_EXECUTE : 0u);
}

static void put_head(struct core_writing *w)
{
	const struct core_draft *draft = w->draft;
	const struct core_segment notes = { 0, 0, 0, { w->notes.data, w->notes.size } };
	uint64_t at;

	put_header(w);
	at = w->head.size + count_core_segments(w) * SEGMENT;
	put_segment(w, ELF_PT_NOTE, 0, at, &notes);
	at += w->notes.size;
	for (size_t i = 0; i < draft->segment_count; i++) {
		const struct core_segment *segment = &draft->segments[i];
		put_segment(w, ELF_PT_LOAD, translate_flags(segment->access), at, segment);
		at += segment->bytes.size;
	}
	w->size = at;
}

static void pass_bytes(struct core_writing *w, struct cairn_bytes bytes)
{
	if (bytes.size > 0 && w->output->error == 0)
		w->output->error = w->output->write(w->output->context, bytes.data, bytes.size);
}

static enum cairn_status write_core(struct core_writing *w, struct cairn_fault *fault)
{
	if (core_notes_put(&w->notes, w->draft) == 0)
		return fault_set(fault, CAIRN_NOT_FOUND, "no registers of any thread are in it");
	put_head(w);
	if (w->notes.failed || w->head.failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	pass_bytes(w, (struct cairn_bytes){ w->head.data, w->head.size });
	pass_bytes(w, (struct cairn_bytes){ w->notes.data, w->notes.size });
	for (size_t i = 0; i < w->draft->segment_count; i++)
		pass_bytes(w, w->draft->segments[i].bytes);
	return w->output->error ? fault_set(fault, CAIRN_UNREADABLE, "it cannot be written")
	                        : CAIRN_OK;
}

enum cairn_status core_write(const struct core_draft *draft, struct core_output *output,
                             uint64_t *size, struct cairn_fault *fault)
{
	struct core_writing w = { .draft = draft,
		                  .output = output,
		                  .head = { .limit = NOTES_MAX },
		                  .notes = { .limit = NOTES_MAX } };

	output->error = 0;
	if (find_elf_machine(draft->snapshot) == 0)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "cores are written of amd64 and aarch64 alone");
	const enum cairn_status status = write_core(&w, fault);
	*size = w.size;
	byte_buffer_finish(&w.head);
	byte_buffer_finish(&w.notes);
	return status;
}
