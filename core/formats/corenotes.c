/* SPDX-License-Identifier: MIT */
/*
 * Decodes the notes in Linux core files (docs/formats/corenotes.md). The layouts are from the
 * kernel's fs/binfmt_elf.c and elfcore.h:
 *
 *	prstatus = signo:4 code:4 errno:4 cursig:2 pad pending:W held:W pid:4 ppid:4 pgrp:4 sid:4
 *	           times:2W[4] registers
 *	prpsinfo = state:1 name:1 zombie:1 nice:1 pad flags:W uid gid pid:4 ppid:4 pgrp:4 sid:4
 *	           name[16] arguments[80]
 *	siginfo  = signo:4 errno:4 code:4 pad (address:W | pid:4 uid:4) ...
 *	386_tls  = (entry:4 base:4 limit:4 flags:4)[3]; the C library uses the first
 *	files    = count:W page:W (low:W high:W offset:W)[count] path[count], each ended by a zero
 *
 * W is a machine word. Registers are words, but x32 has 8-byte registers. uid and gid have 4 bytes,
 * or 2 bytes in most 32-bit programs.
 */
#include "corenotes.h"

#include "base/bytes.h"
#include "base/machine.h"

#include <string.h>

enum {
	NAME_SIZE = 16,
	ARGUMENTS_SIZE = 80,
	PAGE_MAX = 1 << 24, /* maximum page size in bytes, the unit of file offsets in NT_FILE */
	FLOATS_AT = 8,      /* offset of the registers in the NT_FPREGSET note of s390x */
	REGISTERS_AT = 112, /* offset of the general registers in a 64-bit prstatus */
	STATUS_END = 8, /* size of pr_fpvalid, which follows the registers in a 64-bit program */
	NARROW_REGISTERS_AT = 72, /* offset of the general registers in a 32-bit prstatus */
	/*
	 * size of prpsinfo in 32-bit programs with 4-byte uid and gid; with 2-byte fields, it is
	 * 124
	 */
	NARROW_PROCESS = 128,
};

struct corenotes corenotes_open(struct cairn_bytes notes, bool big)
{
	return (struct corenotes){ .in = reader_open(notes, big) };
}

static size_t pad_to_word(uint32_t size)
{
	return (-(size_t)size) & 3;
}

static bool is_owner(struct cairn_bytes name)
{
	return (name.size == 5 && memcmp(name.data, "CORE", 5) == 0) ||
	       (name.size == 6 && memcmp(name.data, "LINUX", 6) == 0);
}

const char *corenotes_name_foreign(struct cairn_bytes owner)
{
	static const struct {
		const char *owner, *what;
	} systems[] = {
		{ "VMCOREINFO", "they are from a kernel dump, which cairn does not unwind" },
		{ "QEMU", "they are from a virtual machine dump, which cairn does not unwind" },
		{ "Xen", "they are from a virtual machine dump, which cairn does not unwind" },
		{ "FreeBSD", "they are from FreeBSD and are not read" },
		{ "NetBSD-CORE", "they are from NetBSD and are not read" },
		{ "OpenBSD", "they are from OpenBSD and are not read" },
	};

	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++)
		if (bytes_continue_after(owner, systems[i].owner))
			return systems[i].what;
	return NULL;
}

bool corenotes_next(struct corenotes *notes, struct corenote *note)
{
	struct reader *in = &notes->in;

	while (reader_ok(in) && reader_left(in) > 0) {
		uint32_t name_size = reader_u32(in);
		uint32_t size = reader_u32(in);
		uint32_t type = reader_u32(in);
		struct cairn_bytes name = reader_bytes(in, name_size);
		reader_skip(in, pad_to_word(name_size));
		size_t offset = in->at;
		struct cairn_bytes body = reader_bytes(in, size);
		/* the last note may lack padding */
		reader_skip(in, pad_to_word(size) < reader_left(in) ? pad_to_word(size)
		                                                    : reader_left(in));
		if (!reader_ok(in))
			return false;
		if (!is_owner(name)) {
			const char *foreign = corenotes_name_foreign(name);
			notes->foreign = foreign ? foreign : notes->foreign;
			continue;
		}
		*note = (struct corenote){ type, body, offset };
		return true;
	}
	return false;
}

static void read_registers(struct reader *in, const struct corenotes_layout *layout,
                           struct cairn_registers *registers)
{
	const struct arch *arch = arch_of(layout->machine);

	*registers =
		(struct cairn_registers){ .machine = layout->machine, .big_endian = layout->big };
	for (size_t i = 0; arch && i < arch->note.count; i++) {
		const uint64_t value = reader_word(in, arch->word == 8);
		const uint8_t number = arch->note.numbers[i];
		if (number == REGISTER_HOLDS_PC)
			registers->pc = value & ~arch->pc_tag;
		else if (number != REGISTER_NOT_HELD)
			register_set(registers, number, value);
	}
}

bool corenote_registers(const struct corenotes_layout *layout, struct cairn_bytes set,
                        struct cairn_registers *registers)
{
	struct reader in = reader_open(set, layout->big);

	read_registers(&in, layout, registers);
	return reader_ok(&in) && arch_of(layout->machine);
}

static enum cairn_status finish_reading(const struct reader *in, struct cairn_fault *fault)
{
	if (!reader_ok(in))
		*fault = in->fault;
	return in->fault.status;
}

uint64_t corenote_registers_thread_pointer(const struct corenotes_layout *layout,
                                           struct cairn_bytes set)
{
	const struct arch *arch = arch_of(layout->machine);
	const size_t at = arch ? arch->thread_pointer_at : 0;
	const size_t size = arch ? arch->thread_pointer_size : 0;

	return size > 0 && at <= set.size && set.size - at >= size
	               ? bytes_unsigned(set.data + at, size, layout->big)
	               : 0;
}

uint64_t corenote_tls_thread_pointer(const struct corenotes_layout *layout, struct cairn_bytes body)
{
	const struct arch *arch = arch_of(layout->machine);
	struct reader in = reader_open(body, layout->big);

	if (!arch || arch->tls_size == 0)
		return 0;
	reader_skip(&in, arch->tls_at);
	return reader_word(&in, arch->tls_size == 8);
}

uint64_t corenote_signature_bits(const struct corenotes_layout *layout, struct cairn_bytes body)
{
	const struct arch *arch = arch_of(layout->machine);
	struct reader in = reader_open(body, layout->big);

	if (!arch || !arch->signs)
		return 0;
	reader_skip(&in, 8); /* mask for data addresses */
	return reader_u64(&in);
}

enum cairn_status corenote_thread(const struct corenotes_layout *layout, struct cairn_bytes body,
                                  struct corenote_thread *thread, struct cairn_fault *fault)
{
	const size_t word = layout->wide ? 8 : 4;
	const size_t at = layout->wide ? REGISTERS_AT : NARROW_REGISTERS_AT;
	struct reader in = reader_open(body, layout->big);
	struct corenote_thread read = { .tid = 0 };

	reader_skip(&in, 12); /* skip siginfo, which the kernel leaves mostly empty */
	read.signal = reader_u16(&in);
	reader_skip(&in, 2 + 2 * word);
	read.tid = reader_u32(&in);
	reader_skip(&in, 12 + 8 * word);
	read_registers(&in, layout, &read.registers);
	if (reader_ok(&in)) {
		*thread = read;
		if (body.size > at)
			thread->thread_pointer = corenote_registers_thread_pointer(
				layout, (struct cairn_bytes){ body.data + at, body.size - at });
		if (layout->wide && body.size > at + STATUS_END)
			thread->set =
				(struct cairn_bytes){ body.data + at, body.size - at - STATUS_END };
	}
	return finish_reading(&in, fault);
}

void corenote_fp_registers(const struct corenotes_layout *layout, struct cairn_bytes body,
                           struct cairn_registers *registers)
{
	const struct arch *arch = arch_of(layout->machine);
	const size_t count = arch ? arch->floats.count : 0;

	if (body.size < FLOATS_AT + 8 * count)
		return;
	for (size_t i = 0; i < count; i++)
		register_set(registers, arch->floats.numbers[i],
		             bytes_u64(body.data + FLOATS_AT + 8 * i, layout->big));
}

enum cairn_status corenote_process(const struct corenotes_layout *layout, struct cairn_bytes body,
                                   struct corenote_process *process, struct cairn_fault *fault)
{
	struct reader in = reader_open(body, layout->big);
	struct corenote_process read = { .pid = 0 };

	/* skip state, name, zombie, nice, flags, uid and gid */
	reader_skip(&in, layout->wide                  ? 4 + 4 + 8 + 8
	                 : body.size >= NARROW_PROCESS ? 4 + 4 + 8
	                                               : 4 + 4 + 4);
	read.pid = reader_u32(&in);
	reader_skip(&in, 12);
	read.name = bytes_before(reader_bytes(&in, NAME_SIZE), '\0');
	read.arguments = bytes_trim(bytes_before(reader_bytes(&in, ARGUMENTS_SIZE), '\0'), "", " ");
	if (reader_ok(&in))
		*process = read;
	return finish_reading(&in, fault);
}

enum cairn_status corenote_signal(const struct corenotes_layout *layout, struct cairn_bytes body,
                                  struct corenote_signal *signal, struct cairn_fault *fault)
{
	struct reader in = reader_open(body, layout->big);
	struct corenote_signal read = { .signal = reader_u32(&in) };

	reader_skip(&in, 4);
	read.code = reader_s32(&in);
	reader_skip(&in, layout->wide ? 4 : 0);
	const struct reader fields = in;
	read.address = reader_word(&in, layout->wide);
	if (!reader_ok(&in))
		return finish_reading(&in, fault);
	in = fields;
	read.sender = reader_u32(&in);
	read.sender_user = reader_u32(&in);
	if (reader_ok(&in))
		*signal = read;
	return finish_reading(&in, fault);
}

enum cairn_status corenote_files_open(const struct corenotes_layout *layout,
                                      struct cairn_bytes body, struct corenote_files *files,
                                      struct cairn_fault *fault)
{
	const size_t size = layout->wide ? 24 : 12;
	struct reader in = reader_open(body, layout->big);
	struct corenote_files read = { .left = reader_word(&in, layout->wide),
		                       .wide = layout->wide };

	read.page = reader_word(&in, layout->wide);
	if (reader_ok(&in) && !reader_fits(&in, read.left, size))
		reader_fail_at(&in, 0, CAIRN_MALFORMED,
		               "the note is too short for the number of mapped files");
	if (reader_ok(&in) && (read.page == 0 || read.page > PAGE_MAX))
		reader_fail(&in, CAIRN_MALFORMED, "invalid page size");
	read.entries = in;
	if (reader_ok(&in))
		reader_skip(&in, (size_t)read.left * size);
	read.names = in;
	if (reader_ok(&in))
		*files = read;
	return finish_reading(&in, fault);
}

bool corenote_files_next(struct corenote_files *files, struct corenote_file *file)
{
	struct reader *in = &files->entries;

	if (files->left == 0)
		return false;
	files->left--;
	file->low = reader_word(in, files->wide);
	file->high = reader_word(in, files->wide);
	file->offset = reader_word(in, files->wide) * files->page;
	file->path = reader_string(&files->names);
	return true;
}
