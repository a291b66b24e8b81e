/* SPDX-License-Identifier: MIT */
/*
 * For programs that make machine code at run time (JIT compilers): one call registers a function
 * with its name, its lines and how to unwind it. Afterwards GDB, LLDB, perf, the unwinder of the
 * process (`backtrace()`, exceptions) and `cairn bt` know the code, in the process and in its core.
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
 * While no debugger is attached, a call costs less than a microsecond and some 300 bytes: the
 * function is appended to an ELF object in memory that a debugger reads when it attaches. An
 * attached debugger is notified of each function, or of each batch, which is much cheaper for it.
 *
 * The library allocates memory, but starts no thread. It writes files only if the program or the
 * user requests perf's files, and reads /proc only to identify a debugger that has attached.
 *
 * The environment overrides the program; a set-user-ID program ignores it:
 *	CAIRN_JIT=off                   nothing is registered
 *	CAIRN_JIT=events                debuggers are always notified, also undetected ones
 *	CAIRN_JIT=debugger,backtrace,perf-map,jitdump
 *	                                exactly the listed consumers, whatever cairn_jit_use() set
 *	CAIRN_JIT_DIRECTORY=DIR         directory of the jitdump; /tmp by default
 *
 * The library is libcairn-jit (`pkg-config cairn-jit`), or the one file cairn_jit.c to copy beside
 * this header; it needs the C library and POSIX threads. Debuggers find `__jit_debug_descriptor`
 * and `__jit_debug_register_code` by name, so a statically linked program must keep both symbols
 * when it is stripped (link with -rdynamic, or keep the symbol table).
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

/* The code from `offset` on belongs to this line of the function's file. */
struct cairn_jit_line {
	uint32_t offset; /* bytes from the beginning of the code */
	uint32_t line;   /* counted from 1 */
};

/* Memory that holds the caller's value of a register, at CFA + offset. */
struct cairn_jit_saved {
	uint16_t reg;   /* DWARF number */
	int32_t offset; /* bytes; a multiple of 8, and usually negative */
};

/*
 * Rule for finding the caller from `offset` on, up to the next row. The CFA (canonical frame
 * address) is the value that the stack pointer had before the call instruction; on aarch64, at the
 * function's entry. Registers that `saved` does not name keep the values of the caller. On amd64
 * the return address (register 16) is at CFA - 8 unless it is named; on aarch64 it is in x30 unless
 * that is named.
 */
struct cairn_jit_row {
	uint32_t offset;       /* bytes from the beginning of the code */
	uint16_t cfa_register; /* CFA = this register (its DWARF number) + cfa_offset */
	int32_t cfa_offset;    /* bytes */
	const struct cairn_jit_saved *saved;
	size_t saved_count; /* at most CAIRN_JIT_SAVED_MAX */
};

enum {
	CAIRN_JIT_SAVED_MAX = 32, /* registers that one row can save */
};

/* Kind of rule that describes the code. */
enum cairn_jit_frame_kind {
	/*
	 * No rule: names and lines alone. Debuggers guess, and the process's own unwinder stops
	 * here.
	 */
	CAIRN_JIT_UNKNOWN_FRAME,

	/* The stack pointer stays as at the entry: leaves, stubs, thunks. */
	CAIRN_JIT_NO_FRAME,

	/*
	 * The frame was set up before the code begins, and stays: code inside the frame of an
	 * interpreter or a trampoline. `rows` is one row, which applies everywhere.
	 */
	CAIRN_JIT_SET_UP,

	/*
	 * A frame pointer. amd64: at `prologue`, `push rbp; mov rbp, rsp`, then pushes of `saves`
	 * in this order. Each exit is a `ret` (or a jump that replaces it), before which rbp was
	 * popped and the stack pointer is as at the entry. aarch64: at `prologue`, `stp x29, x30,
	 * [sp, #-frame_size]!; mov x29, sp`, then `saves` in pairs, each `stp` at the next 16 bytes
	 * from sp + 16 on, an odd last one by `str`. Each exit is a `ret`.
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

	/*
	 * For all other frames and machines: one row for each change. The first row is for offset
	 * 0.
	 */
	CAIRN_JIT_ROWS,
};

/*
 * Rule for a function. DWARF numbers: on amd64 rax 0, rdx 1, rcx 2, rbx 3, rsi 4, rdi 5, rbp 6, rsp
 * 7, r8 to r15 as in their names, the return address 16; on aarch64 x0 to x30 as in their names, sp
 * 31.
 */
struct cairn_jit_frame {
	enum cairn_jit_frame_kind kind;
	/* offset of the first instruction that changes the stack; 4 after `endbr64` */
	uint32_t prologue;
	uint32_t frame_size; /* bytes; its meaning depends on `kind` */
	/* DWARF numbers of the saved registers, in the order in which they are saved */
	const uint16_t *saves;
	size_t save_count;     /* at most CAIRN_JIT_SAVED_MAX - 2 */
	const uint32_t *exits; /* offsets, ascending; their meaning depends on `kind` */
	size_t exit_count;
	const struct cairn_jit_row *rows; /* ascending by offset */
	size_t row_count;
};

/* A function. Everything is copied except the code, whose address is stored. */
struct cairn_jit_function {
	const void *code; /* the finished code, in the memory where it runs */
	size_t size;      /* bytes; from 1 to UINT32_MAX */
	const char *name; /* name as debuggers should show it; NULL for "jit" and the address */
	/* path of the source file; if NULL, `lines` is ignored */
	const char *file;
	const struct cairn_jit_line *lines; /* ascending by offset */
	size_t line_count;
	struct cairn_jit_frame frame;
};

/* A registered function. */
typedef struct cairn_jit_code cairn_jit_code;

/*
 * Register a function, and return its handle, which the caller passes to cairn_jit_remove().
 * Functions that were registered for some of these addresses before are removed; their handles stay
 * valid, and cairn_jit_remove() only frees them. Returns NULL and sets errno if registration is
 * disabled (CAIRN_JIT=off: ECANCELED), if the function contradicts this header (EINVAL), or if
 * memory is short (ENOMEM); then nothing has changed. Safe in any thread, but not in signal
 * handlers.
 */
CAIRN_JIT_API cairn_jit_code *cairn_jit_add(const struct cairn_jit_function *function);

/*
 * Remove a function, and free the handle. Call it before the code's memory is reused. NULL is
 * allowed.
 */
CAIRN_JIT_API void cairn_jit_remove(cairn_jit_code *code);

/*
 * Begin and end a batch of this thread's additions and removals. A debugger is notified once, at
 * the end, which costs it as little as a notification of one function. Batches nest; the outermost
 * counts. Without a debugger these functions do nothing.
 */
CAIRN_JIT_API void cairn_jit_begin(void);
CAIRN_JIT_API void cairn_jit_end(void);

/*
 * Make the functions in unfinished batches of all threads visible at once. Safe in crash handlers:
 * it takes no lock and allocates nothing.
 */
CAIRN_JIT_API void cairn_jit_publish(void);

/* Consumers to notify of each function that is added from now on. */
enum cairn_jit_consumer {
	CAIRN_JIT_DEBUGGER = 1, /* GDB, LLDB, `cairn bt`; also in a core */
	CAIRN_JIT_BACKTRACE =
		2, /* the unwinder of this process: backtrace(), exceptions, pthread_cancel() */
	CAIRN_JIT_PERF_MAP =
		4, /* /tmp/perf-PID.map, for perf: names only; the file is never shortened */
	CAIRN_JIT_JITDUMP =
		8, /* jit-PID.dump, for `perf inject --jit`: names, lines, frames, code */
};

/* Set the consumers, any of the bits above. The default is CAIRN_JIT_DEBUGGER. */
CAIRN_JIT_API void cairn_jit_use(unsigned consumers);

/* Return the number of bytes that the library has allocated. */
CAIRN_JIT_API size_t cairn_jit_memory(void);

#ifdef __cplusplus
}
#endif

#endif
