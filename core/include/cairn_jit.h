/* SPDX-License-Identifier: MIT */
/*
 * For programs that generate machine code at run time (JIT compilers). One call registers a
 * function with its name, its lines and its unwind rules. Afterwards GDB, LLDB, perf, `cairn bt`
 * and the process's own unwinder (`backtrace()`, exceptions) can symbolize and unwind the code, in
 * the process and in its core.
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
 * While no debugger is attached, a call takes less than a microsecond and about 300 bytes of
 * memory: the function is appended to an ELF object in memory, which debuggers read when they
 * attach. An attached debugger is notified of each function or, at much lower cost, of each batch.
 *
 * The library allocates memory, but starts no threads. It writes files only if the program or the
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
 * and `__jit_debug_register_code` by name, so statically linked programs must keep both symbols
 * when they are stripped (link with -rdynamic, or keep the symbol table).
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

/* Assigns the code that starts at `offset` to a line in the function's file. */
struct cairn_jit_line {
	uint32_t offset; /* offset from the beginning of the code in bytes */
	uint32_t line;   /* counted from 1 */
};

/* A register whose value in the caller is saved in memory at CFA + offset. */
struct cairn_jit_saved {
	uint16_t reg;   /* DWARF register number */
	int32_t offset; /* in bytes; a multiple of 8, and usually negative */
};

/*
 * Unwind rule for the code from `offset` to the next row. The CFA (canonical frame address) is the
 * stack pointer's value before the call instruction; on aarch64, at the function's entry. Registers
 * that are not in `saved` still have the caller's values. On amd64 the return address (register 16)
 * is at CFA - 8 unless it is in `saved`; on aarch64 it is in x30 unless x30 is in `saved`.
 */
struct cairn_jit_row {
	uint32_t offset; /* offset from the beginning of the code in bytes */
	/* DWARF number of the register to which the CFA is relative: CFA = register + cfa_offset */
	uint16_t cfa_register;
	int32_t cfa_offset;
	const struct cairn_jit_saved *saved;
	size_t saved_count; /* at most CAIRN_JIT_SAVED_MAX */
};

enum {
	CAIRN_JIT_SAVED_MAX = 32, /* maximum number of registers that one row can save */
};

/* ways to describe the code's unwind rules */
enum cairn_jit_frame_kind {
	/*
	 * No unwind rules: only names and lines. Debuggers guess, and the process's own unwinder
	 * stops here.
	 */
	CAIRN_JIT_UNKNOWN_FRAME,

	/* The stack pointer does not change after the entry: leaf functions, stubs, thunks. */
	CAIRN_JIT_NO_FRAME,

	/*
	 * The frame was set up before the code begins, and remains: code inside an interpreter's or
	 * a trampoline's frame. `rows` has one row, which applies everywhere.
	 */
	CAIRN_JIT_SET_UP,

	/*
	 * The function has a frame pointer. amd64: at `prologue`, `push rbp; mov rbp, rsp`, then
	 * pushes of `saves` in this order. Each exit is a `ret` (or a jump that replaces it),
	 * before which rbp has been popped and the stack pointer is as at the entry. aarch64: at
	 * `prologue`, `stp x29, x30, [sp, #-frame_size]!; mov x29, sp`, then `saves` in pairs,
	 * stored by `stp` in consecutive 16 bytes starting at sp + 16; an odd last register is
	 * stored by `str`. Each exit is a `ret`.
	 */
	CAIRN_JIT_FRAME_POINTER,

	/*
	 * The function has a frame of fixed size, without a frame pointer. amd64: at `prologue`,
	 * pushes of `saves` in this order, then `sub rsp, frame_size` (no instruction if it is 0).
	 * Each exit is the beginning of an epilogue: `add rsp, frame_size` (or `lea`), the pops,
	 * and `ret`, with nothing between them. aarch64: like CAIRN_JIT_FRAME_POINTER, without the
	 * `mov`.
	 */
	CAIRN_JIT_FIXED_FRAME,

	/*
	 * All other frames and machines: `rows` has one row for each change of the unwind rule,
	 * starting with a row for offset 0.
	 */
	CAIRN_JIT_ROWS,
};

/*
 * A function's unwind rules. The DWARF register numbers are: on amd64 rax 0, rdx 1, rcx 2, rbx 3,
 * rsi 4, rdi 5, rbp 6, rsp 7, r8 to r15 8 to 15, the return address 16; on aarch64 x0 to x30 0 to
 * 30, sp 31.
 */
struct cairn_jit_frame {
	enum cairn_jit_frame_kind kind;
	/*
	 * offset of the first instruction that changes the stack pointer, for example 4 after
	 * `endbr64`
	 */
	uint32_t prologue;
	uint32_t frame_size; /* size of the frame in bytes; what it includes depends on `kind` */
	/* DWARF numbers of the saved registers, in the order in which the code saves them */
	const uint16_t *saves;
	size_t save_count; /* at most CAIRN_JIT_SAVED_MAX - 2 */
	/* offsets of the function's exits, ascending; their exact meaning depends on `kind` */
	const uint32_t *exits;
	size_t exit_count;
	const struct cairn_jit_row *rows; /* sorted by offset */
	size_t row_count;
};

/* A function. All data is copied except the code itself, whose address is stored. */
struct cairn_jit_function {
	const void *code; /* the finished code, at the address where it runs */
	size_t size;      /* size of the code in bytes, from 1 to UINT32_MAX */
	const char *name; /* name for debuggers; NULL selects "jit" and the address */
	/* path of the source file; if NULL, `lines` is ignored */
	const char *file;
	const struct cairn_jit_line *lines; /* sorted by offset */
	size_t line_count;
	struct cairn_jit_frame frame;
};

/* A registered function. */
typedef struct cairn_jit_code cairn_jit_code;

/*
 * Register a function and return its handle, which must be passed to cairn_jit_remove().
 * Unregisters earlier functions that overlap its code; their handles stay valid, and
 * cairn_jit_remove() only frees them. On failure, returns NULL, sets errno and changes nothing:
 * ECANCELED if registration is disabled (CAIRN_JIT=off), EINVAL if *function breaks a rule in this
 * header (see cairn_jit_problem()), ENOMEM if allocation fails. Safe to call from any thread, but
 * not from signal handlers.
 */
CAIRN_JIT_API cairn_jit_code *cairn_jit_add(const struct cairn_jit_function *function);

/*
 * Describe the first rule in this header that *function breaks, with a constant lower-case phrase
 * without a full stop. Returns NULL if it breaks none; cairn_jit_add() then fails only with
 * ECANCELED or ENOMEM. Registers nothing. Safe to call from the same places as cairn_jit_add().
 */
CAIRN_JIT_API const char *cairn_jit_problem(const struct cairn_jit_function *function);

/*
 * Unregister a function and free its handle. Call this before the code's memory is reused. NULL is
 * allowed.
 */
CAIRN_JIT_API void cairn_jit_remove(cairn_jit_code *code);

/*
 * Begin and end a batch of additions and removals in the calling thread. Debuggers are notified
 * only once, at the end of the outermost batch, at about the cost of one function. Batches can be
 * nested. Without a debugger these functions do nothing.
 */
CAIRN_JIT_API void cairn_jit_begin(void);
CAIRN_JIT_API void cairn_jit_end(void);

/*
 * Publish the functions in unfinished batches of all threads immediately. Safe to call from crash
 * handlers, because it takes no lock and allocates nothing.
 */
CAIRN_JIT_API void cairn_jit_publish(void);

/* consumers to notify of each function that is added from now on */
enum cairn_jit_consumer {
	CAIRN_JIT_DEBUGGER = 1, /* GDB, LLDB and `cairn bt`, also when they read a core */
	CAIRN_JIT_BACKTRACE =
		2, /* the process's own unwinder: backtrace(), exceptions, pthread_cancel() */
	CAIRN_JIT_PERF_MAP =
		4, /* /tmp/perf-PID.map for perf, with names only, also of removed functions */
	CAIRN_JIT_JITDUMP =
		8, /* jit-PID.dump for `perf inject --jit`, with names, lines, frames and code */
};

/* Set the consumers, a combination of the flags above. The default is CAIRN_JIT_DEBUGGER. */
CAIRN_JIT_API void cairn_jit_use(unsigned consumers);

/* Return the size in bytes of the memory that the library has allocated. */
CAIRN_JIT_API size_t cairn_jit_memory(void);

/*
 * Copy the unwind rules of the function at `pc` to `buffer`: a CIE and an FDE in the format of
 * .eh_frame, with absolute addresses. Returns their size in bytes, or 0 if no function with rules
 * is registered at `pc` or the buffer is too small; most functions need less than 100 bytes. Sets
 * *removed to the number of functions removed so far: while it is unchanged, rules copied earlier
 * are valid. Async-signal-safe. For unwinders such as cairn_backtrace().
 */
CAIRN_JIT_API size_t cairn_jit_rules(uint64_t pc, void *buffer, size_t capacity, uint64_t *removed);

#ifdef __cplusplus
}
#endif

#endif
