/* SPDX-License-Identifier: MIT */
/*
 * Sets of registers as ptrace gives them of the programs that this machine runs: what kind of program
 * one is of, and what the capture of stacks needs of it.
 */
#ifndef CAIRN_PROCESS_RUNNING_PROCESS_REGISTERS_H
#define CAIRN_PROCESS_RUNNING_PROCESS_REGISTERS_H

#include "formats/corenotes/corenotes.h"
#include "os/process/thread_capture.h"

/* Is this machine big-endian? */
bool process_registers_are_big(void);

/*
 * Of the program that a set of so many bytes is of: on amd64 a 32-bit one is known by its short set. Machine NONE:
 * stacks of this machine's programs are not unwound.
 */
struct corenotes_layout process_registers_layout(size_t size);

/* Machine NONE when the set is that of another kind of program. */
struct cairn_registers process_registers_decode(const void *bytes, size_t size);

/* That of the functions that keep one; 0: not known. */
uint64_t process_registers_frame_pointer(const struct cairn_registers *registers);

/* Where things are in the ucontext_t that the kernel puts on a stack for a handler of signals. */
struct process_context {
	unsigned word;
	size_t size; /* of the part that is looked at; 0: not known of this machine */
	size_t link; /* the kernel writes 0 there */
	size_t stack_low, stack_flags, stack_size; /* the alternate stack that was in use */
	size_t sp, frame;                          /* registers that were interrupted */
};

struct process_context process_registers_context(enum cairn_machine machine);

/* Near the outermost end of the stack of a thread, except the first one; 0: not known. */
uint64_t process_registers_thread_pointer(const struct os_captured_thread *thread);

const char *process_registers_machine_name(enum cairn_machine machine);

#endif
