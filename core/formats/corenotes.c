/* SPDX-License-Identifier: MIT */
/*
 * Decodes the notes of Linux core files (docs/formats/corenotes.md). The layouts are from the
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
 * in most 32-bit programs 2.
 */
#include "corenotes.h"

#include "base/bytes.h"
#include "base/machine.h"

#include <string.h>

enum {
	NAME_SIZE = 16,
	ARGUMENTS_SIZE = 80,
	PAGE_MAX = 1 << 24, /* maximum unit of file offsets in bytes */
	NOT_HELD = 0xff,    /* a register that is not stored */
	HOLDS_PC = 0xfe,
	S390X_FLOATS_AT = 8,       /* after the control word */
	REGISTERS_AT = 112,        /* offset in the prstatus of a 64-bit program */
	AMD64_FS_BASE_AT = 21 * 8, /* offset in the registers */
	S390X_ACCESS_AT = 18 * 8,  /* offset of access registers 0 and 1 */
	S390_ACCESS_AT = 18 * 4,
	STATUS_END = 8, /* size of the pr_fpvalid field after the registers of a 64-bit program */
	NARROW_REGISTERS_AT = 72, /* offset in the prstatus of a 32-bit program */
	/* size of the prpsinfo of a 32-bit program with 4-byte ids, otherwise 124 */
	NARROW_PROCESS = 128,
	PPC_LINK = 32, /* index of the link register in struct cairn_registers */
};

#define S390_ADDRESS UINT64_C(0x7fffffff) /* address mask; the highest bit selects 31-bit mode */

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
		{ "VMCOREINFO", "they are of the dump of a kernel, which is not unwound" },
		{ "QEMU", "they are of the dump of a virtual machine, which is not unwound" },
		{ "Xen", "they are of the dump of a virtual machine, which is not unwound" },
		{ "FreeBSD", "they are of FreeBSD, and not read" },
		{ "NetBSD-CORE", "they are of NetBSD, and not read" },
		{ "OpenBSD", "they are of OpenBSD, and not read" },
	};

	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++)
		if (bytes_go_on_after(owner, systems[i].owner))
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
		/* the last note may lack its padding */
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

/* DWARF numbers in the order of the structure. */
static const uint8_t amd64_order[] = {
	15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5, NOT_HELD, HOLDS_PC, NOT_HELD, NOT_HELD, 7
};
static const uint8_t aarch64_order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                                 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	                                 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, HOLDS_PC };
static const uint8_t s390x_order[] = { NOT_HELD, HOLDS_PC, 0, 1,  2,  3,  4,  5,  6,
	                               7,        8,        9, 10, 11, 12, 13, 14, 15 };
/* DWARF numbers of f0 to f15. */
static const uint8_t s390x_floats[] = { 16, 20, 17, 21, 18, 22, 19, 23,
	                                24, 28, 25, 29, 26, 30, 27, 31 };

static const uint8_t i386_order[] = { 3,        1,        2,        6,        7,        5,
	                              0,        NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD,
	                              HOLDS_PC, NOT_HELD, NOT_HELD, 4 };
/* The general registers are followed by nip, msr, orig_gpr3, ctr and the link register. */
static const uint8_t ppc64_order[] = { 0,        1,        2,        3,        4,       5,  6,  7,
	                               8,        9,        10,       11,       12,      13, 14, 15,
	                               16,       17,       18,       19,       20,      21, 22, 23,
	                               24,       25,       26,       27,       28,      29, 30, 31,
	                               HOLDS_PC, NOT_HELD, NOT_HELD, NOT_HELD, PPC_LINK };
static const uint8_t arm_order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, HOLDS_PC };
static const uint8_t riscv64_order[] = { HOLDS_PC, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                                 11,       12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	                                 22,       23, 24, 25, 26, 27, 28, 29, 30, 31 };

static const struct order {
	const uint8_t *numbers;
	size_t count;
} orders[] = {
	[CAIRN_MACHINE_AMD64] = { amd64_order, sizeof(amd64_order) },
	[CAIRN_MACHINE_X32] = { amd64_order, sizeof(amd64_order) },
	[CAIRN_MACHINE_AARCH64] = { aarch64_order, sizeof(aarch64_order) },
	[CAIRN_MACHINE_S390X] = { s390x_order, sizeof(s390x_order) },
	[CAIRN_MACHINE_S390] = { s390x_order, sizeof(s390x_order) },
	[CAIRN_MACHINE_I386] = { i386_order, sizeof(i386_order) },
	[CAIRN_MACHINE_PPC64] = { ppc64_order, sizeof(ppc64_order) },
	[CAIRN_MACHINE_PPC] = { ppc64_order, sizeof(ppc64_order) },
	[CAIRN_MACHINE_RISCV64] = { riscv64_order, sizeof(riscv64_order) },
	[CAIRN_MACHINE_ARM] = { arm_order, sizeof(arm_order) },
};

_Static_assert(sizeof(orders) / sizeof(orders[0]) == ARCH_MACHINES, "each has a row");

static struct order find_order(enum cairn_machine machine)
{
	return (size_t)machine < sizeof(orders) / sizeof(orders[0]) ? orders[machine]
	                                                            : (struct order){ NULL, 0 };
}

static void read_registers(struct reader *in, const struct corenotes_layout *layout,
                           struct cairn_registers *registers)
{
	const struct order order = find_order(layout->machine);
	const bool wide = layout->wide || layout->machine == CAIRN_MACHINE_X32;

	*registers =
		(struct cairn_registers){ .machine = layout->machine, .big_endian = layout->big };
	for (size_t i = 0; i < order.count; i++) {
		uint64_t value = reader_word(in, wide);
		uint8_t number = order.numbers[i];
		if (number == HOLDS_PC)
			registers->pc = value;
		else if (number != NOT_HELD) {
			registers->value[number] = value;
			registers->known |= (uint64_t)1 << number;
		}
	}
	if (layout->machine == CAIRN_MACHINE_S390)
		registers->pc &= S390_ADDRESS;
}

bool corenote_registers(const struct corenotes_layout *layout, struct cairn_bytes set,
                        struct cairn_registers *registers)
{
	struct reader in = reader_open(set, layout->big);

	read_registers(&in, layout, registers);
	return reader_ok(&in) && find_order(layout->machine).count > 0;
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
	static const struct {
		enum cairn_machine machine;
		uint8_t at, size;
	} places[] = {
		{ CAIRN_MACHINE_AMD64, AMD64_FS_BASE_AT, 8 },
		{ CAIRN_MACHINE_X32, AMD64_FS_BASE_AT, 8 },
		{ CAIRN_MACHINE_S390X, S390X_ACCESS_AT, 8 },
		{ CAIRN_MACHINE_S390, S390_ACCESS_AT, 4 },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const size_t at = places[i].at, size = places[i].size;
		if (places[i].machine == layout->machine && at <= set.size && set.size - at >= size)
			return bytes_unsigned(set.data + at, size, layout->big);
	}
	return 0;
}

uint64_t corenote_tls_thread_pointer(const struct corenotes_layout *layout, struct cairn_bytes body)
{
	struct reader in = reader_open(body, layout->big);

	if (layout->machine == CAIRN_MACHINE_AARCH64)
		return reader_u64(&in);
	if (layout->machine != CAIRN_MACHINE_I386)
		return 0;
	reader_skip(&in, 4);
	return reader_u32(&in);
}

uint64_t corenote_signature_bits(const struct corenotes_layout *layout, struct cairn_bytes body)
{
	struct reader in = reader_open(body, layout->big);

	if (layout->machine != CAIRN_MACHINE_AARCH64)
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

	reader_skip(&in, 12); /* siginfo, which the kernel leaves mostly empty */
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
	if (layout->machine != CAIRN_MACHINE_S390X ||
	    body.size < S390X_FLOATS_AT + 8 * sizeof(s390x_floats))
		return;
	for (size_t i = 0; i < sizeof(s390x_floats); i++) {
		registers->value[s390x_floats[i]] =
			bytes_u64(body.data + S390X_FLOATS_AT + 8 * i, layout->big);
		registers->known |= (uint64_t)1 << s390x_floats[i];
	}
}

enum cairn_status corenote_process(const struct corenotes_layout *layout, struct cairn_bytes body,
                                   struct corenote_process *process, struct cairn_fault *fault)
{
	struct reader in = reader_open(body, layout->big);
	struct corenote_process read = { .pid = 0 };

	/* skip to pid: four characters, the flags and both ids */
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
		reader_fail_at(&in, 0, CAIRN_MALFORMED, "more mapped files than bytes");
	if (reader_ok(&in) && (read.page == 0 || read.page > PAGE_MAX))
		reader_fail(&in, CAIRN_MALFORMED, "an impossible page size");
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
