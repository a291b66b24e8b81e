/* SPDX-License-Identifier: MIT */
/*
 * For programs that make machine code at run time (JIT compilers): one call registers a function with its
 * name, its lines and how to unwind it.  Then GDB and LLDB, perf, the unwinder of the process
 * (`backtrace()`, exceptions) and `cairn bt` know the code, in the process and in its core.
 *
 *	static const struct cairn_jit_line lines[] = { { 0, 1 }, { 8, 2 } };
 *	struct cairn_jit_function function = {
 *		.code = code, .size = size, .name = "sum", .file = "sum.js",
 *		.lines = lines, .line_count = 2,
 *		.frame = { .kind = CAIRN_JIT_NO_FRAME },
 *	};
 *	cairn_jit_code *sum = cairn_jit_add(&function);
 *	...
 *	cairn_jit_remove(sum);
 *
 * While no debugger is there, a call costs less than a microsecond and some 300 bytes: the function is
 * appended to an ELF object in memory that a debugger reads when it attaches.  A debugger that is there
 * is told of each function, or of each batch, which is much cheaper for it.
 *
 * What the library does by itself: it allocates memory.  It starts no thread.  It opens no file and
 * writes nothing unless the program or the user asks for perf's files; only when a debugger has come, it
 * looks into /proc which one it is.
 *
 * The environment decides over the program; a set-user-ID program ignores it:
 *	CAIRN_JIT=off                   nothing is registered
 *	CAIRN_JIT=events                a debugger is told always, also one that the library cannot notice
 *	CAIRN_JIT=debugger,backtrace,perf-map,jitdump
 *	                                some of these: exactly these consumers, whatever cairn_jit_use() says
 *	CAIRN_JIT_DIRECTORY=DIR         where the jitdump is written; without it in /tmp
 *
 * The library is libcairn-jit (`pkg-config cairn-jit`), or the one file cairn_jit.c to copy beside this
 * header; it needs the C library and POSIX threads.  Debuggers find `__jit_debug_descriptor` and
 * `__jit_debug_register_code` by name, so a program that links the library statically must not be
 * stripped of them (link with -rdynamic, or keep the symbol table).
 */
#ifndef CAIRN_JIT_H
#define CAIRN_JIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CAIRN_JIT_API
#define CAIRN_JIT_API __attribute__((visibility("default")))
#endif

/* From `offset` on, the code belongs to this line of the function's file. */
struct cairn_jit_line {
	uint32_t offset; /* bytes from the beginning of the code */
	uint32_t line;   /* from 1 */
};

/* Where the caller's value of a register is: in memory, at CFA + offset. */
struct cairn_jit_saved {
	uint16_t reg;   /* its DWARF number */
	int32_t offset; /* bytes; a multiple of 8, and mostly below 0 */
};

/*
 * How to find the caller from `offset` on, up to the next row.  The CFA (canonical frame address) is the
 * value that the stack pointer had before the call instruction; on aarch64, at the function's entry.
 * Registers that `saved` does not name keep the values of the caller.  On amd64 the return address
 * (register 16) is at CFA - 8 unless it is named; on aarch64 it is in x30 unless that is named.
 */
struct cairn_jit_row {
	uint32_t offset;       /* bytes from the beginning of the code */
	uint16_t cfa_register; /* CFA = this register (its DWARF number) + cfa_offset */
	int32_t cfa_offset;    /* bytes */
	const struct cairn_jit_saved *saved;
	size_t saved_count; /* at most CAIRN_JIT_SAVED_MAX */
};

enum {
	CAIRN_JIT_SAVED_MAX = 32, /* registers that one row saves */
};

/* Which of the rules below describes the code. */
enum cairn_jit_frame_kind {
	/* No rule: names and lines alone.  Debuggers guess, and the process's own unwinder stops here. */
	CAIRN_JIT_UNKNOWN_FRAME,

	/* The stack pointer stays as it is at the entry: leaves, stubs, thunks. */
	CAIRN_JIT_NO_FRAME,

	/*
	 * The frame was set up before the code begins, and stays: code inside of an interpreter's or a
	 * trampoline's frame.  `rows` is one row, which holds everywhere.
	 */
	CAIRN_JIT_SET_UP,

	/*
	 * A frame pointer.
	 * amd64: at `prologue`, `push rbp; mov rbp, rsp`, then pushes of `saves` in this order.  Each exit is a
	 * `ret` (or a jump that replaces it), before which rbp was popped and the stack pointer is as at the entry.
	 * aarch64: at `prologue`, `stp x29, x30, [sp, #-frame_size]!; mov x29, sp`, then `saves` in pairs, each
	 * `stp` at the next 16 bytes from sp + 16 on, an odd last one by `str`.  Each exit is a `ret`.
	 */
	CAIRN_JIT_FRAME_POINTER,

	/*
	 * A frame of fixed size, without a frame pointer.
	 * amd64: at `prologue`, pushes of `saves` in this order, then `sub rsp, frame_size` (nothing if that is 0).
	 * Each exit is the beginning of an epilogue: `add rsp, frame_size` (`lea` will do), the pops, and
	 * `ret`; nothing between them.
	 * aarch64: as CAIRN_JIT_FRAME_POINTER, without the `mov`.
	 */
	CAIRN_JIT_FIXED_FRAME,

	/* Everything else, and other machines: a row for each change. The first is for offset 0. */
	CAIRN_JIT_ROWS,
};

/*
 * The rule for a function.  DWARF numbers: amd64 has rax 0, rdx 1, rcx 2, rbx 3, rsi 4, rdi 5, rbp 6, rsp 7, r8 to
 * r15 as they are called, the return address 16; aarch64 has x0 to x30 as they are called, sp 31.
 */
struct cairn_jit_frame {
	enum cairn_jit_frame_kind kind;
	uint32_t
		prologue; /* offset of the first instruction that changes the stack; 4 after `endbr64` */
	uint32_t frame_size;   /* bytes, as the kinds say */
	const uint16_t *saves; /* registers by DWARF number, in the order in which they are saved */
	size_t save_count;     /* at most CAIRN_JIT_SAVED_MAX - 2 */
	const uint32_t *exits; /* offsets, ascending; what they are, the kinds say */
	size_t exit_count;
	const struct cairn_jit_row *rows; /* ascending by offset */
	size_t row_count;
};

/* A function.  Everything is copied, but for the code, of which the library stores the address. */
struct cairn_jit_function {
	const void *code; /* the finished code, in memory where it runs */
	size_t size;      /* bytes; from 1 to UINT32_MAX */
	const char *name; /* as debuggers shall show it; NULL: "jit" and the address */
	const char *file; /* the path of its source; NULL: none, and then `lines` do not count */
	const struct cairn_jit_line *lines; /* ascending by offset */
	size_t line_count;
	struct cairn_jit_frame frame;
};

/* A registered function. */
typedef struct cairn_jit_code cairn_jit_code;

/*
 * Registers a function, and returns its handle, which the caller gives to cairn_jit_remove().  A function
 * that was registered for some of these addresses before is forgotten: its handle stays valid, and has nothing
 * to remove any more.  Returns NULL and sets errno if nothing is to be registered (CAIRN_JIT=off: ECANCELED), if the
 * function contradicts this header (EINVAL), or if memory is short (ENOMEM); then nothing happened.  Any thread may call
 * it; no signal handler may.
 */
CAIRN_JIT_API cairn_jit_code *cairn_jit_add(const struct cairn_jit_function *function);

/* Forgets a function, and frees the handle.  Call it before the memory of the code is used otherwise.  NULL is allowed. */
CAIRN_JIT_API void cairn_jit_remove(cairn_jit_code *code);

/*
 * Between these two, what this thread adds and removes is one batch: a debugger is told once, at the end, which costs it
 * as little as telling it of one function.  Batches nest; the outermost counts.  Without a debugger they do nothing.
 */
CAIRN_JIT_API void cairn_jit_begin(void);
CAIRN_JIT_API void cairn_jit_end(void);

/*
 * Makes what waits in unfinished batches, of all threads, visible at once.  For a handler of crashes, which may call it:
 * it takes no lock and allocates nothing.
 */
CAIRN_JIT_API void cairn_jit_publish(void);

/* A consumer is told of the functions that are added from now on. */
enum cairn_jit_consumer {
	CAIRN_JIT_DEBUGGER = 1, /* GDB, LLDB, `cairn bt`; also in a core */
	CAIRN_JIT_BACKTRACE =
		2, /* the unwinder of this process: backtrace(), exceptions, pthread_cancel() */
	CAIRN_JIT_PERF_MAP =
		4, /* /tmp/perf-PID.map, for perf: names only; the file is never shortened */
	CAIRN_JIT_JITDUMP =
		8, /* jit-PID.dump, for `perf inject --jit`: names, lines, frames, code */
};

/* Sets the consumers, any of the bits above; without a call it is CAIRN_JIT_DEBUGGER. */
CAIRN_JIT_API void cairn_jit_use(unsigned consumers);

/* Returns how many bytes the library has allocated. */
CAIRN_JIT_API size_t cairn_jit_memory(void);

#ifdef __cplusplus
}
#endif

#endif
