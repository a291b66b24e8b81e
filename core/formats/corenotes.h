/* SPDX-License-Identifier: MIT */
/*
 * Reads the notes in a Linux core file: threads with their registers, the process, the signal, the
 * auxiliary vector, and the mapped files.
 *
 *	struct corenotes notes = corenotes_open(bytes, layout.big);
 *	struct corenote note;
 *	while (corenotes_next(&notes, &note))
 *		switch (note.type) {
 *		case CORENOTE_PRSTATUS:
 *			status = corenote_thread(&layout, note.body, &thread, &fault);
 *			...
 *		}
 *	if (notes.in.fault.status != CAIRN_OK)
 *		... a note is truncated or damaged; earlier notes are good
 *
 * Fault offsets are relative to the bytes passed to each function. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_CORENOTES_H
#define CAIRN_FORMATS_CORENOTES_H

#include "base/reader.h"

#include <cairn.h>

enum {
	CORENOTE_PRSTATUS = 1, /* registers of a thread; precedes the thread's other notes */
	CORENOTE_FPREGSET = 2,
	CORENOTE_PRPSINFO = 3,
	CORENOTE_AUXV = 6,
	/* segment descriptors of an i386 thread, including the thread pointer */
	CORENOTE_386_TLS = 0x200,
	CORENOTE_ARM_TLS = 0x401,      /* thread pointer on aarch64 */
	CORENOTE_ARM_PAC_MASK = 0x406, /* mask of the signature bits in aarch64 pointers */
	CORENOTE_SIGINFO = 0x53494749,
	CORENOTE_FILE = 0x46494c45,
};

/* Properties from the ELF header that determine the layout of the notes. */
struct corenotes_layout {
	/* CAIRN_MACHINE_NONE if the machine is not supported; registers are then not read */
	enum cairn_machine machine;
	bool wide, big;
};

struct corenotes {
	struct reader in;
	/* reason why notes are skipped, from corenotes_name_foreign(), or NULL */
	const char *foreign;
};

struct corenote {
	uint32_t type;
	struct cairn_bytes body;
	size_t offset; /* offset of `body` in the segment */
};

struct corenote_thread {
	uint64_t tid;
	uint32_t signal;
	/* registers.machine is CAIRN_MACHINE_NONE if the machine is not supported */
	struct cairn_registers registers;
	/* thread pointer, usually near the outermost end of the stack; 0 if unknown */
	uint64_t thread_pointer;
	/* general registers in the layout of PTRACE_GETREGSET; only for 64-bit programs */
	struct cairn_bytes set;
};

struct corenote_process {
	uint64_t pid;
	struct cairn_bytes name; /* comm, up to 15 bytes */
	/* command line, up to 79 bytes, with spaces between arguments */
	struct cairn_bytes arguments;
};

struct corenote_signal {
	uint32_t signal;
	int32_t code;
	uint64_t address;
	uint32_t sender, sender_user;
};

struct corenote_files {
	struct reader entries, names;
	uint64_t left, page;
	bool wide;
};

struct corenote_file {
	uint64_t low, high, offset;
	struct cairn_bytes path;
};

struct corenotes corenotes_open(struct cairn_bytes notes, bool big);

/*
 * Return the reason why notes with this owner are skipped, such as "they are from FreeBSD and are
 * not read", or NULL for an unknown owner. `owner` includes its NUL.
 */
const char *corenotes_name_foreign(struct cairn_bytes owner);

/*
 * Read the next note with owner "CORE" or "LINUX". Return false at the end or if the notes are
 * damaged.
 */
bool corenotes_next(struct corenotes *notes, struct corenote *note);

CAIRN_MUST_USE enum cairn_status corenote_thread(const struct corenotes_layout *layout,
                                                 struct cairn_bytes body,
                                                 struct corenote_thread *thread,
                                                 struct cairn_fault *fault);

/*
 * Return the thread pointer in a 386_TLS or ARM_TLS note, or in a register set from
 * PTRACE_GETREGSET that has the same layout. Return 0 if the machine has no such note or the note
 * is too short.
 */
uint64_t corenote_tls_thread_pointer(const struct corenotes_layout *layout,
                                     struct cairn_bytes body);

/*
 * Return the mask of the signature bits in code addresses from an ARM_PAC_MASK note. Return 0 if
 * the note is truncated or the machine is not aarch64.
 */
uint64_t corenote_signature_bits(const struct corenotes_layout *layout, struct cairn_bytes body);

/*
 * Read the floating-point registers into *registers. Does nothing except on s390x, where functions
 * save general registers in floating-point registers.
 */
void corenote_fp_registers(const struct corenotes_layout *layout, struct cairn_bytes body,
                           struct cairn_registers *registers);

/*
 * Read general registers in the layout of PTRACE_GETREGSET. Return false if the machine is not
 * supported or the register set is too short for the machine.
 */
bool corenote_registers(const struct corenotes_layout *layout, struct cairn_bytes set,
                        struct cairn_registers *registers);

/*
 * Return the thread pointer in a set of general registers, or 0 if the set does not contain it or
 * its location in the set is unknown.
 */
uint64_t corenote_registers_thread_pointer(const struct corenotes_layout *layout,
                                           struct cairn_bytes set);

CAIRN_MUST_USE enum cairn_status corenote_process(const struct corenotes_layout *layout,
                                                  struct cairn_bytes body,
                                                  struct corenote_process *process,
                                                  struct cairn_fault *fault);
CAIRN_MUST_USE enum cairn_status corenote_signal(const struct corenotes_layout *layout,
                                                 struct cairn_bytes body,
                                                 struct corenote_signal *signal,
                                                 struct cairn_fault *fault);

/*
 * Open the list of mapped files. Return CAIRN_MALFORMED if the count exceeds the available bytes.
 */
CAIRN_MUST_USE enum cairn_status corenote_files_open(const struct corenotes_layout *layout,
                                                     struct cairn_bytes body,
                                                     struct corenote_files *files,
                                                     struct cairn_fault *fault);

/* Read the next file. Return false at the end. A truncated path is empty. */
bool corenote_files_next(struct corenote_files *files, struct corenote_file *file);

#endif
