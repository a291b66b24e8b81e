/* SPDX-License-Identifier: MIT */
/*
 * The notes of an ELF core file of Linux: threads with their registers, the process, the signal,
 * the auxiliary vector, and which files were mapped.
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
 * Faults count from the first byte of what was given. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_CORENOTES_H
#define CAIRN_FORMATS_CORENOTES_H

#include <cairn.h>

#include "base/reader.h"

enum {
	CORENOTE_PRSTATUS = 1, /* of each thread, before its other notes */
	CORENOTE_FPREGSET = 2,
	CORENOTE_PRPSINFO = 3,
	CORENOTE_AUXV = 6,
	CORENOTE_386_TLS = 0x200, /* segments of a thread of i386, the thread pointer among them */
	CORENOTE_ARM_TLS = 0x401, /* the thread pointer of aarch64 */
	CORENOTE_ARM_PAC_MASK = 0x406, /* where aarch64 has the signature of a pointer */
	CORENOTE_SIGINFO = 0x53494749,
	CORENOTE_FILE = 0x46494c45,
};

/* What decides how the structures are laid out: from the header of the file. */
struct corenotes_layout {
	enum cairn_machine machine; /* NONE: registers are not read */
	bool wide, big;             /* 64-bit; big-endian */
};

struct corenotes {
	struct reader in;
	const char *foreign; /* of a note that was passed over, as below */
};

struct corenote {
	uint32_t type;
	struct cairn_bytes body;
	size_t offset; /* of the body, in the notes */
};

struct corenote_thread {
	uint64_t tid;
	uint32_t signal;                  /* pr_cursig */
	struct cairn_registers registers; /* machine NONE: not known for this machine */
	uint64_t thread_pointer;          /* near the outermost end of its stack; 0: not known */
	struct cairn_bytes
		set; /* the general registers, as PTRACE_GETREGSET has them; 64-bit programs only */
};

struct corenote_process {
	uint64_t pid;
	struct cairn_bytes name;      /* comm, 15 bytes at most */
	struct cairn_bytes arguments; /* joined by blanks, 79 bytes at most */
};

struct corenote_signal {
	uint32_t signal;
	int32_t code;
	uint64_t address;             /* of a fault */
	uint32_t sender, sender_user; /* of a signal that somebody sent */
};

struct corenote_files {
	struct reader entries, names;
	uint64_t left, page;
	bool wide;
};

struct corenote_file {
	uint64_t low, high, offset; /* in bytes of the file */
	struct cairn_bytes path;
};

struct corenotes corenotes_open(struct cairn_bytes notes, bool big);

/* What else than a program under Linux a dump is of, by the owner of a note, its NUL counted; NULL: nothing else. */
const char *corenotes_name_foreign(struct cairn_bytes owner);

/* The next note of the owners "CORE" and "LINUX"; false at the end, and where they are damaged. */
bool corenotes_next(struct corenotes *notes, struct corenote *note);

CAIRN_MUST_USE enum cairn_status corenote_thread(const struct corenotes_layout *layout,
                                                 struct cairn_bytes body,
                                                 struct corenote_thread *thread,
                                                 struct cairn_fault *fault);

/*
 * The thread pointer that a note of type 386_TLS or ARM_TLS has, or a set of PTRACE_GETREGSET of that number; 0: the machine
 * has no such note, or it is not there.
 */
uint64_t corenote_tls_thread_pointer(const struct corenotes_layout *layout,
                                     struct cairn_bytes body);

/* Returns which bits of a code address hold its signature, from a note of type ARM_PAC_MASK; 0: it is cut, or no such. */
uint64_t corenote_signature_bits(const struct corenotes_layout *layout, struct cairn_bytes body);

/* Registers of floating point that hold others' values across calls (s390x): into *registers. */
void corenote_fp_registers(const struct corenotes_layout *layout, struct cairn_bytes body,
                           struct cairn_registers *registers);

/*
 * The general registers alone, as PTRACE_GETREGSET has them; false when the set is not as long as that
 * of the machine, or the machine is not known.
 */
bool corenote_registers(const struct corenotes_layout *layout, struct cairn_bytes set,
                        struct cairn_registers *registers);

/* The thread pointer in such a set; 0: it is not in it, or not known of the machine. */
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

/* The mapped files; MALFORMED when more are claimed than there are bytes for. */
CAIRN_MUST_USE enum cairn_status corenote_files_open(const struct corenotes_layout *layout,
                                                     struct cairn_bytes body,
                                                     struct corenote_files *files,
                                                     struct cairn_fault *fault);

/* One after the other, false at the end; a path that is cut off is empty. */
bool corenote_files_next(struct corenote_files *files, struct corenote_file *file);

#endif
