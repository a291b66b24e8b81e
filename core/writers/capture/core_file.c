/* SPDX-License-Identifier: MIT */
/*
 * Writes a core file: header, program headers, notes, and the contents of all segments. File
 * offsets are not congruent to addresses modulo the page size, because debuggers do not require
 * that and it would cost up to a page per segment. The notes for amd64 or aarch64 are in the order
 * of the kernel's fs/binfmt_elf.c:
 *
 *	note     = owner size:4 body size:4 type:4 "CORE" NUL padding body
 *	notes    = status process signal auxv files floats mask, for the first thread;
 *	           (status floats mask)*, for the others
 *	status   = signo:4 code:4 errno:4 cursig:2 gap:2 pending:8 held:8 pid:4 ppid:4 pgrp:4 sid:4
 *	           times:64 registers valid:4 gap:4
 *	mask     = data mask:8 code mask:8 of signed pointers; the owner is "LINUX"
 *	process  = state:1 name:1 zombie:1 nice:1 gap:4 flags:8 uid:4 gid:4 pid:4 ppid:4 pgrp:4
 *	           sid:4 name:16 arguments:80
 *	files    = count:8 page:8 (low:8 high:8 offset in pages:8)* (path NUL)*
 */
#include "core_file.h"

#include "writers/elf/elf_builder.h"

#include "base/error.h"
#include "base/linux_sets.h"

#include <string.h>

enum {
	NOTE_STATUS = 1,
	NOTE_FLOATS = 2,
	NOTE_PROCESS = 3,
	NOTE_AUXV = 6,
	NOTE_SIGNAL = 0x53494749,
	NOTE_FILES = 0x46494c45,
	NOTE_MASK = 0x406,

	OWNER_SIZE = 8,
	PAGE = 4096,
	SIGNAL_SIZE = 128,
	NAME_SIZE = 16,
	ARGUMENTS_SIZE = 80,
	NONE = 0xff,
	PC = 0xfe,
};

/*
 * DWARF register numbers in the order of user_regs_struct: r15 r14 r13 r12 rbp rbx r11 r10 r9 r8
 * rax rcx rdx rsi rdi orig_rax rip cs eflags rsp
 */
static const uint8_t amd64_order[] = { 15, 14, 13, 12, 6, 3,    11, 10,   9,    8,
	                               0,  2,  1,  4,  5, NONE, PC, NONE, NONE, 7 };

static size_t begin_owned_note(struct byte_buffer *out, const char owner[OWNER_SIZE], uint32_t type)
{
	byte_buffer_number(out, strlen(owner) + 1, 4);
	byte_buffer_number(out, 0, 4);
	byte_buffer_number(out, type, 4);
	byte_buffer_bytes(out, owner, OWNER_SIZE);
	return out->size;
}

static size_t begin_note(struct byte_buffer *out, uint32_t type)
{
	static const char owner[OWNER_SIZE] = "CORE";

	return begin_owned_note(out, owner, type);
}

static void end_note(struct byte_buffer *out, size_t body)
{
	if (out->failed)
		return;
	byte_buffer_overwrite(out, body - 16, out->size - body, 4);
	byte_buffer_align(out, 4);
}

static void put_zeros(struct byte_buffer *out, size_t size)
{
	uint8_t *bytes = byte_buffer_extend(out, size);

	if (bytes)
		memset(bytes, 0, size);
}

static uint64_t take_register(const struct cairn_registers *registers, uint8_t number)
{
	if (number == PC)
		return registers->pc;
	return registers->known >> number & 1 ? registers->value[number] : 0;
}

/*
 * Write the captured register set, but take the general registers and the pc from
 * thread->registers, because a thread's registers at the crash can differ from the captured set.
 */
static void put_amd64(struct byte_buffer *out, const struct snapshot_thread *thread)
{
	uint8_t set[LINUX_AMD64_WORDS * LINUX_WORD] = { 0 };

	if (thread->general.size >= sizeof(set)) {
		memcpy(set, thread->general.data, sizeof(set));
	} else {
		linux_set_word(set, LINUX_AMD64_CS, LINUX_USER_CODE);
		linux_set_word(set, LINUX_AMD64_SS, LINUX_USER_DATA);
		linux_set_word(set, LINUX_AMD64_SYSTEM_CALL, UINT64_MAX); /* not in a system call */
	}
	for (size_t i = 0; i < sizeof(amd64_order); i++)
		if (amd64_order[i] != NONE)
			linux_set_word(set, i, take_register(&thread->registers, amd64_order[i]));
	byte_buffer_bytes(out, set, sizeof(set));
}

static void put_arm64(struct byte_buffer *out, const struct snapshot_thread *thread)
{
	uint8_t set[LINUX_ARM64_WORDS * LINUX_WORD] = { 0 };

	if (thread->general.size >= sizeof(set))
		memcpy(set, thread->general.data, sizeof(set));
	for (uint8_t i = 0; i < LINUX_ARM64_PC; i++)
		linux_set_word(set, i, take_register(&thread->registers, i));
	linux_set_word(set, LINUX_ARM64_PC, thread->registers.pc);
	byte_buffer_bytes(out, set, sizeof(set));
}

static void put_status(struct byte_buffer *out, const struct core_draft *draft,
                       const struct snapshot_thread *thread)
{
	const size_t body = begin_note(out, NOTE_STATUS);

	byte_buffer_number(out, thread->signal, 4);
	put_zeros(out, 8);
	byte_buffer_number(out, thread->signal, 2);
	put_zeros(out, 2 + 16);
	byte_buffer_number(out, thread->tid, 4);
	put_zeros(out, 12 + 64);
	if (draft->snapshot->machine == CAIRN_MACHINE_AMD64)
		put_amd64(out, thread);
	else
		put_arm64(out, thread);
	byte_buffer_number(out, thread->floats.size > 0, 4);
	put_zeros(out, 4);
	end_note(out, body);
}

static void put_floats(struct byte_buffer *out, const struct snapshot_thread *thread)
{
	if (thread->floats.size == 0)
		return;
	const size_t body = begin_note(out, NOTE_FLOATS);
	byte_buffer_bytes(out, thread->floats.data, thread->floats.size);
	end_note(out, body);
}

static void put_mask(struct byte_buffer *out, const struct core_draft *draft)
{
	static const char owner[OWNER_SIZE] = "LINUX";

	if (draft->signature_bits == 0)
		return;
	const size_t body = begin_owned_note(out, owner, NOTE_MASK);
	byte_buffer_number(out, draft->signature_bits, 8);
	byte_buffer_number(out, draft->signature_bits, 8);
	end_note(out, body);
}

static void put_string(struct byte_buffer *out, struct cairn_bytes string, size_t size)
{
	const size_t used = string.size < size - 1 ? string.size : size - 1;

	byte_buffer_bytes(out, string.data, used);
	put_zeros(out, size - used);
}

static void put_process(struct byte_buffer *out, const struct core_draft *draft)
{
	const size_t body = begin_note(out, NOTE_PROCESS);
	const struct snapshot *snapshot = draft->snapshot;

	put_zeros(out, 24);
	byte_buffer_number(out, snapshot->pid, 4);
	put_zeros(out, 12);
	put_string(out, draft->name, NAME_SIZE);
	put_string(out, snapshot->command_line, ARGUMENTS_SIZE);
	end_note(out, body);
}

static void put_signal(struct byte_buffer *out, const struct snapshot_crash *crash)
{
	const size_t body = begin_note(out, NOTE_SIGNAL);

	byte_buffer_number(out, crash->signal, 4);
	put_zeros(out, 4);
	byte_buffer_number(out, (uint32_t)crash->code, 4);
	put_zeros(out, 4);
	byte_buffer_number(out, crash->has_address ? crash->fault_address : 0, 8);
	put_zeros(out, SIGNAL_SIZE - 24);
	end_note(out, body);
}

static void put_files(struct byte_buffer *out, const struct core_draft *draft)
{
	const size_t body = begin_note(out, NOTE_FILES);

	byte_buffer_number(out, draft->file_count, 8);
	byte_buffer_number(out, PAGE, 8);
	for (size_t i = 0; i < draft->file_count; i++) {
		byte_buffer_number(out, draft->files[i].low, 8);
		byte_buffer_number(out, draft->files[i].high, 8);
		byte_buffer_number(out, draft->files[i].offset / PAGE, 8);
	}
	for (size_t i = 0; i < draft->file_count; i++) {
		byte_buffer_bytes(out, draft->files[i].path.data, draft->files[i].path.size);
		byte_buffer_u8(out, 0);
	}
	end_note(out, body);
}

static void put_program(struct byte_buffer *out, const struct core_draft *draft)
{
	put_process(out, draft);
	if (draft->snapshot->crash.known)
		put_signal(out, &draft->snapshot->crash);
	const size_t body = begin_note(out, NOTE_AUXV);
	byte_buffer_bytes(out, draft->auxv.data, draft->auxv.size);
	end_note(out, body);
	put_files(out, draft);
}

bool core_next_thread(const struct snapshot *snapshot, size_t *at, size_t *number)
{
	const size_t count = snapshot->thread_count;

	while (*at < 2 * count) {
		const size_t candidate = *at % count;
		const struct snapshot_thread *thread = &snapshot->threads[candidate];
		const bool first = (*at)++ < count;
		if (thread->crashed != first || thread->registers.machine != snapshot->machine)
			continue;
		*number = candidate;
		return true;
	}
	return false;
}

static size_t put_notes(struct byte_buffer *out, const struct core_draft *draft)
{
	size_t count = 0, at = 0, number;

	for (; core_next_thread(draft->snapshot, &at, &number); count++) {
		put_status(out, draft, &draft->snapshot->threads[number]);
		if (count == 0)
			put_program(out, draft);
		put_floats(out, &draft->snapshot->threads[number]);
		put_mask(out, draft);
	}
	return count;
}

enum {
	OSABI_LINUX = 3, /* EI_OSABI; for other values LLDB requires the program's file */
	MANY = 0xffff,   /* PN_XNUM: the number of segments is stored in section header 0 */
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
	const uint64_t count = count_core_segments(w);
	const bool many = count >= MANY;
	struct byte_buffer *out = &w->head;

	elf_file_header(out, true, find_elf_machine(w->draft->snapshot), 0,
	                many ? MANY : (uint32_t)count);
	byte_buffer_overwrite(out, 7, OSABI_LINUX, 1);
	byte_buffer_overwrite(out, 16, ELF_TYPE_CORE, 2);
	byte_buffer_overwrite(out, 58, many ? ELF_SECTION_WIDE : 0, 2);
	if (!many)
		return;
	byte_buffer_overwrite(out, 32, ELF_FILE_HEADER + ELF_SECTION_WIDE, 8);
	byte_buffer_overwrite(out, 40, ELF_FILE_HEADER, 8);
	byte_buffer_overwrite(out, 60, 1, 2);
	elf_file_section(out, true, 0, &(struct elf_section){ .size = 1, .info = (uint32_t)count });
}

static void put_segment(struct core_writing *w, uint32_t type, uint32_t flags, uint64_t offset,
                        const struct core_segment *segment)
{
	elf_file_segment(&w->head, true,
	                 &(struct elf_segment){ .type = type,
	                                        .flags = flags,
	                                        .offset = offset,
	                                        .va = segment->low,
	                                        .file_size = segment->bytes.size,
	                                        .memory_size = segment->high - segment->low,
	                                        .align = type == ELF_PT_NOTE ? 4 : 1 });
	/* p_paddr is 0, as in the kernel's core files */
	byte_buffer_overwrite(&w->head, w->head.size - 32, 0, 8);
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
	at = w->head.size + count_core_segments(w) * ELF_SEGMENT_WIDE;
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
	if (put_notes(&w->notes, w->draft) == 0)
		return fault_set(fault, CAIRN_NOT_FOUND, "contains no thread registers");
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
		                 "cores can be written for amd64 and aarch64 only");
	const enum cairn_status status = write_core(&w, fault);
	*size = w.size;
	byte_buffer_finish(&w.head);
	byte_buffer_finish(&w.notes);
	return status;
}
