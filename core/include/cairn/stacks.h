/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the stacks of a program at one moment, from a core file, a minidump or a running
 * process, with names. It is what `cairn bt` shows, without the symbols that only DWARF has.
 */
#ifndef CAIRN_INCLUDE_STACKS_H
#define CAIRN_INCLUDE_STACKS_H

#include <cairn/base.h>
#include <cairn/space.h>
#include <cairn/symbols.h>
#include <cairn/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program at one moment:
 *
 *	struct cairn_stacks *stacks;
 *	struct cairn_stack_frame frame;
 *	if (cairn_stacks_open_process(1234, &stacks, &fault) == CAIRN_OK) {
 *		for (size_t i = 0; i < cairn_stacks_threads(stacks); i++)
 *			for (bool more = cairn_stacks_begin(stacks, i); more; more = cairn_stacks_next(stacks)) {
 *				cairn_stacks_frame(stacks, &frame);
 *				...
 *			}
 *		cairn_stacks_close(stacks);
 *	}
 *
 * Memory that the source does not have comes from the files of the program's modules, found where the
 * program had them (of a process as it sees them) or in /usr/lib/debug/.build-id. A file serves only if its
 * build ID, or without one its headers, are those of the module.
 */
struct cairn_stacks;

/*
 * Opens a core file of Linux or a minidump. It is read as a stream, so that a core costs at most 32 MB and 64 MB
 * for stacks, whatever its size; a minidump is copied. Returns UNREADABLE if the file cannot be opened;
 * MALFORMED or UNSUPPORTED if it is neither, or compressed; NO_MEMORY. *fault has the details. The caller
 * closes *stacks. A core that is cut or damaged gives what could be read: see cairn_stacks_problems().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_file(const char *path,
                                                                  struct cairn_stacks **stacks,
                                                                  struct cairn_fault *fault);

/*
 * The same of an open descriptor, from where it stands: a file, or a pipe, whose bytes are read as they come. The
 * caller closes it. A packed core is opened by the pipe of a program or thread that unpacks it
 * (`zstd -dc core.zst`), so that the library needs no library for that.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_descriptor(
	int fd, struct cairn_stacks **stacks, struct cairn_fault *fault);

/*
 * Interrupts all threads of a running process for as long as it takes to copy their registers and stacks (at
 * most 8 MiB of each and 512 MiB of all; 500 threads stand still for some 10 ms), and lets them go on. The
 * calling process must be allowed to trace it, and may not be that process itself. A thread of the library
 * does the work, and has ended when the function returns. Returns NOT_FOUND if there is no such process;
 * UNREADABLE if it may not be traced; UNSUPPORTED on machines other than amd64 (with its 32-bit programs), aarch64
 * and s390x; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_process(uint64_t pid,
                                                                     struct cairn_stacks **stacks,
                                                                     struct cairn_fault *fault);

/* Frees the stacks, and all that the functions below lent. NULL is allowed. */
CAIRN_API void cairn_stacks_close(struct cairn_stacks *stacks);

/*
 * Returns how many things were wrong with the source, of at most 64; *fault, which may be NULL, becomes the
 * first of them.
 */
CAIRN_API size_t cairn_stacks_problems(const struct cairn_stacks *stacks,
                                       struct cairn_fault *fault);

struct cairn_thread {
	uint64_t tid;
	struct cairn_bytes name;   /* empty: not known; it lives as long as the stacks */
	bool crashed;              /* the program ended in it; one thread at most */
	bool stack_cut;            /* more of its stack was in use than was kept */
	uint32_t signal;           /* that it stopped with; 0: none */
	uint64_t stop_nanoseconds; /* how long it stood still; 0: not known, or not a process */
	struct cairn_registers registers; /* machine NONE: not known */
};

/* Returns the number of threads; of a core the thread that crashed is the first. */
CAIRN_API size_t cairn_stacks_threads(const struct cairn_stacks *stacks);

/* Fills *thread; false if there is no thread of this number. */
CAIRN_API bool cairn_stacks_thread(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_thread *thread);

/* One frame. Inlined calls have no frames of their own: they are names of this one. */
struct cairn_stack_frame {
	uint64_t level; /* 0: innermost */
	uint64_t pc;
	uint64_t lookup;                /* pc to look up names with; before a return address */
	uint64_t cfa;                   /* 0: not known */
	enum cairn_unwind_method found; /* how; NONE: it is what the registers have */
	bool signal;                    /* a signal handler returns to it */
	struct cairn_bytes module;      /* path of the module; empty: not known */
	struct cairn_bytes build_id;    /* empty: none */
	uint64_t module_offset;         /* from the module's first byte in memory */
};

/*
 * Goes to the innermost frame of a thread; false if its registers are not known. There is one walk at a time:
 * this one ends the one before.
 */
CAIRN_API bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number);

/* Goes to the caller; false at the end of the stack, which is reached after 2^20 frames at the latest. */
CAIRN_API bool cairn_stacks_next(struct cairn_stacks *stacks);

/* Fills *frame, with what lives as long as the stacks. Only after begin() or next() returned true. */
CAIRN_API void cairn_stacks_frame(struct cairn_stacks *stacks, struct cairn_stack_frame *frame);

/* Returns whether the walk ended at the outermost frame of the stack, rather than before it. */
CAIRN_API bool cairn_stacks_complete(const struct cairn_stacks *stacks);

/* Returns why the walk ended, one lower-case phrase; the text is a constant. */
CAIRN_API const char *cairn_stacks_end(const struct cairn_stacks *stacks);

/*
 * Finds what is at a pc: the innermost inlined call first, and the function last. Returns how many of at most
 * `room` locations were filled; 0: nothing is known. The first that knows it: GSYM and other files, as
 * cairn_symbol_file_find() finds them, then the symbol tables of the separate debug file (in
 * /usr/lib/debug/.build-id) and of the module's file, and the stubs of its PLT ("puts@plt"): these have no lines.
 * Texts are good until the next call.
 */
CAIRN_API size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                                    struct cairn_location *locations, size_t room);

#ifdef __cplusplus
}
#endif

#endif
