/* SPDX-License-Identifier: MIT */
/* Part of <cairn.h>: the stack of the calling thread. */
#ifndef CAIRN_INCLUDE_BACKTRACE_H
#define CAIRN_INCLUDE_BACKTRACE_H

#include <cairn/base.h>
#include <cairn/stack_source.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program's own stacks, for crash handlers and profilers. The signal handler only captures
 * addresses; they are named later, outside the handler:
 *
 *	struct cairn_backtrace_frame frames[64];
 *	struct cairn_stacks *self;
 *	struct cairn_location names[CAIRN_STACK_NAMES];
 *	size_t depth = cairn_backtrace(NULL, frames, 64);
 *	if (cairn_stacks_open_self(&self, NULL) == CAIRN_OK) {
 *		for (size_t i = 0; i < depth; i++)
 *			cairn_stacks_names(self, frames[i].lookup, names, CAIRN_STACK_NAMES);
 *		cairn_stacks_close(self);
 *	}
 */

/* A frame of a captured stack. */
struct cairn_backtrace_frame {
	uint64_t pc;
	/* pc for looking up names, which is inside the call if `pc` is a return address */
	uint64_t lookup;
};

/*
 * Capture the stack of the calling thread, innermost frame first, and return the number of frames,
 * at most `capacity`. `ucontext` is the third argument of a signal handler that was installed with
 * SA_SIGINFO; the first frame is then the interrupted instruction. With NULL, the first frame is
 * the caller of this function. The walk continues through signal handlers, so a stack captured in a
 * handler with NULL also contains the interrupted functions.
 *
 * This function is async-signal-safe: it takes no locks, does not call malloc(), and preserves
 * errno. It may be called in any thread and on any stack with 4 KiB left. Damaged stacks end the
 * walk early, but never cause a fault, because the stack is read only if the kernel confirms that
 * it is readable. The tables of loaded modules are trusted to be readable: while this function
 * runs, no thread may unload a library whose functions are on the stack, and no process may
 * truncate the library's file.
 *
 * The unwind rules come from .eh_frame, found through .eh_frame_hdr, and for JIT code from
 * libcairn-jit (cairn_jit.h), if the program is linked with it. The walk ends at code without
 * rules, whose address is the last frame. Rules that have been used are cached for all threads in a
 * table of fixed size. Modules are found by _dl_find_object() of the C library. C libraries without
 * it (glibc before 2.35, musl) require dl_iterate_phdr(), which takes a lock: a signal handler that
 * interrupts dlopen() or dlclose() may then deadlock. Link a static program with
 * -Wl,--eh-frame-hdr,-z,now,-u,_dl_find_object, because it otherwise lacks .eh_frame_hdr, and binds
 * functions in the signal handler.
 *
 * Supported on Linux on amd64 and aarch64; on other machines, this function returns 0.
 */
CAIRN_API size_t cairn_backtrace(const void *ucontext, struct cairn_backtrace_frame *frames,
                                 size_t capacity);

/*
 * Open the calling process to name its addresses with cairn_stacks_names(), in the same way as
 * `cairn bt`, and to describe its modules. JIT code and the vDSO are included. Threads are not
 * stopped and cannot be walked. If modules are loaded later, open the process again to include
 * them. To choose symbol sources, such as cairn_dwarf_source(), call cairn_stacks_open() with the
 * ID of the calling process. Not async-signal-safe. Fails like cairn_stacks_open_process().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_self(struct cairn_stacks **stacks,
                                                                  struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
