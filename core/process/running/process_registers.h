/* SPDX-License-Identifier: MIT */
/*
 * Register sets in the format of ptrace, for the kinds of programs that this machine runs: their
 * layout, and the values that are needed to capture stacks.
 */
#ifndef CAIRN_PROCESS_RUNNING_PROCESS_REGISTERS_H
#define CAIRN_PROCESS_RUNNING_PROCESS_REGISTERS_H

#include "formats/corenotes.h"
#include "os/process/thread_capture.h"

bool process_registers_are_big(void);

/*
 * Return the layout of a register set with `size` bytes; on amd64 a short set belongs to a 32-bit
 * program. The machine is NONE if stacks of this machine's programs cannot be unwound.
 */
struct corenotes_layout process_registers_layout(size_t size);

/* Decode a register set. The machine is NONE if the set belongs to another kind of program. */
struct cairn_registers process_registers_decode(const void *bytes, size_t size);

/* Return the frame pointer, which is valid in functions that keep one, or 0 if unknown. */
uint64_t process_registers_frame_pointer(const struct cairn_registers *registers);

/* Offsets in the ucontext_t that the kernel puts on the stack for a signal handler. */
struct process_context {
	unsigned word;
	size_t size; /* size of the part that is examined; 0 if unknown for this machine */
	size_t link; /* uc_link, which the kernel sets to 0 */
	size_t stack_low, stack_flags, stack_size; /* alternate stack in use */
	size_t sp, frame;                          /* interrupted registers */
};

struct process_context process_registers_context(enum cairn_machine machine);

/*
 * Return an address near the outermost end of a thread's stack, or 0 if unknown. Not valid for the
 * first thread.
 */
uint64_t process_registers_thread_pointer(const struct os_captured_thread *thread);

const char *process_registers_machine_name(enum cairn_machine machine);

#endif
