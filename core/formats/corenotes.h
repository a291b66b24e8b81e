/* SPDX-License-Identifier: MIT */
/*
 * Reads the notes of a Linux ELF core file: threads with their registers, the process, the signal,
 * the auxiliary vector, and the mapped files.
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
 *		... the notes are cut or damaged there; the ones before are good
 *
 * Fault offsets are relative to the bytes passed to each function. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_CORENOTES_H
#define CAIRN_FORMATS_CORENOTES_H

#include "base/reader.h"

#include <cairn.h>

enum {
	CORENOTE_PRSTATUS = 1, /* one per thread, before the thread's other notes */
	CORENOTE_FPREGSET = 2,
	CORENOTE_PRPSINFO = 3,
	CORENOTE_AUXV = 6,
	CORENOTE_386_TLS = 0x200, /* segments of an i386 thread, including the thread pointer */
	CORENOTE_ARM_TLS = 0x401, /* thread pointer on aarch64 */
	CORENOTE_ARM_PAC_MASK = 0x406, /* bits of a pointer that hold its signature on aarch64 */
	CORENOTE_SIGINFO = 0x53494749,
	CORENOTE_FILE = 0x46494c45,
};

/* Properties from the ELF header that determine the layout of the notes. */
struct corenotes_layout {
	enum cairn_machine machine; /* if CAIRN_MACHINE_NONE, registers are not read */
	bool wide, big;
};

struct corenotes {
	struct reader in;
	/* name for the owner of a skipped note, from corenotes_name_foreign(), or NULL */
	const char *foreign;
};

struct corenote {
	uint32_t type;
	struct cairn_bytes body;
	size_t offset; /* offset of the body in the notes */
};

struct corenote_thread {
	uint64_t tid;
	uint32_t signal; /* pr_cursig */
	/* machine is CAIRN_MACHINE_NONE if the registers are not supported */
	struct cairn_registers registers;
	uint64_t thread_pointer; /* close to the outermost end of the stack; 0 if unknown */
	/* general registers in the form of PTRACE_GETREGSET; only for 64-bit programs */
	struct cairn_bytes set;
};

struct corenote_process {
	uint64_t pid;
	struct cairn_bytes name;      /* comm, at most 15 bytes */
	struct cairn_bytes arguments; /* separated by spaces, at most 79 bytes */
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
 * Return a name for the kind of dump that a note's owner indicates, or NULL if it is a program
 * under Linux. `owner` includes its NUL.
 */
const char *corenotes_name_foreign(struct cairn_bytes owner);

/*
 * Read the next note of the owners "CORE" and "LINUX". Return false at the end or if the notes are
 * damaged.
 */
bool corenotes_next(struct corenotes *notes, struct corenote *note);

CAIRN_MUST_USE enum cairn_status corenote_thread(const struct corenotes_layout *layout,
                                                 struct cairn_bytes body,
                                                 struct corenote_thread *thread,
                                                 struct cairn_fault *fault);

/*
 * Return the thread pointer from a 386_TLS or ARM_TLS note, or from the corresponding set of
 * PTRACE_GETREGSET. Return 0 if the machine does not have such a note or the pointer is missing.
 */
uint64_t corenote_tls_thread_pointer(const struct corenotes_layout *layout,
                                     struct cairn_bytes body);

/*
 * Return the mask of the signature bits of a code address from an ARM_PAC_MASK note, or 0 if the
 * note is truncated or the machine is not aarch64.
 */
uint64_t corenote_signature_bits(const struct corenotes_layout *layout, struct cairn_bytes body);

/*
 * Read the floating-point registers into *registers (s390x only, where functions save other
 * registers in them).
 */
void corenote_fp_registers(const struct corenotes_layout *layout, struct cairn_bytes body,
                           struct cairn_registers *registers);

/*
 * Read general registers in the form of PTRACE_GETREGSET. Return false if the set is too short for
 * the machine or the machine is not supported.
 */
bool corenote_registers(const struct corenotes_layout *layout, struct cairn_bytes set,
                        struct cairn_registers *registers);

/*
 * Return the thread pointer in such a set, or 0 if it is not in the set or its location is unknown
 * for the machine.
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
