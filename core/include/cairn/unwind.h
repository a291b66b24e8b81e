/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: frames, and unwinding from a frame to its caller.
 *
 *	struct cairn_step step;
 *	enum cairn_frame_kind kind = CAIRN_FRAME_PC;
 *	for (; cairn_unwind(space, &frame, kind, NULL, &step); kind = step.caller_kind)
 *		frame = step.caller;
 */
#ifndef CAIRN_INCLUDE_UNWIND_H
#define CAIRN_INCLUDE_UNWIND_H

#include <cairn/base.h>
#include <cairn/rules.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* kinds of frames in a stack or a recorded backtrace */
enum cairn_frame_kind {
	/* an instruction in the innermost frame, or one that a signal has interrupted */
	CAIRN_FRAME_PC = 1,
	CAIRN_FRAME_RETURN,  /* a return address; the call instruction is before it */
	CAIRN_FRAME_ASYNC,   /* the address where an async function will resume */
	CAIRN_FRAME_OMITTED, /* frames that the program omitted when it recorded the backtrace */
};

/*
 * A run of equal frames. cairn does not expand runs because a few bytes of a recorded backtrace can
 * represent 2^64 frames; the caller decides how many lines to print.
 */
struct cairn_frame {
	enum cairn_frame_kind kind;
	uint64_t value; /* a pc; for CAIRN_FRAME_OMITTED, the number of omitted frames */
	uint64_t times; /* number of frames in the run, at least 1 */
};

/*
 * Return the address to use for symbol lookups. If a call is a function's last instruction, its
 * return address is already in the next function. Therefore the byte before a return address is
 * looked up.
 */
CAIRN_API uint64_t cairn_frame_lookup_address(const struct cairn_frame *frame);

/* Return the number of frames that the run represents, at most 2^64 - 1. */
CAIRN_API uint64_t cairn_frame_count(const struct cairn_frame *frame);

/* reasons why a frame has no caller, or why its caller is not plausible */
enum cairn_stop {
	CAIRN_STOP_NONE,
	/* according to the unwind table or the entry point, there is no caller */
	CAIRN_STOP_OUTERMOST,
	CAIRN_STOP_NO_MODULE,
	CAIRN_STOP_NO_TABLE,    /* the module that contains the pc has no usable .sframe */
	CAIRN_STOP_NO_ROW,      /* the unwind table does not cover the pc */
	CAIRN_STOP_BAD_TABLE,   /* the unwind table is damaged where it covers the pc */
	CAIRN_STOP_MACHINE,     /* the module and the registers belong to different machines */
	CAIRN_STOP_CFA_UNKNOWN, /* the CFA depends on memory or a register that cannot be read */
	/* the CFA is not higher on the stack than the previous frame's, or not aligned */
	CAIRN_STOP_CFA_IMPLAUSIBLE,
	CAIRN_STOP_LINK_UNKNOWN, /* the return address was in a register whose value is unknown */
	CAIRN_STOP_RA_UNREADABLE,
	CAIRN_STOP_RA_IMPLAUSIBLE, /* the return address is not a code address */
};

/* Return a lower-case phrase for the reason, without a full stop; the string is a constant. */
CAIRN_API const char *cairn_stop_text(enum cairn_stop stop);

/* Return the reason's name for scripts and --json, such as "no-row"; the string is a constant. */
CAIRN_API const char *cairn_stop_name(enum cairn_stop stop);

/* methods by which a frame's caller is found */
enum cairn_unwind_method {
	CAIRN_UNWIND_METHOD_NONE,
	CAIRN_UNWIND_METHOD_SFRAME,
	CAIRN_UNWIND_METHOD_CFI, /* .eh_frame */
	/* a frame-pointer chain, which is a guess that has passed the plausibility checks */
	CAIRN_UNWIND_METHOD_FRAME_POINTER,
	CAIRN_UNWIND_METHOD_SIGNAL, /* a signal trampoline, recognized by its code or its CFI */
	/*
	 * the pc is in a stub or not in code, so the caller is at the return address of the call
	 * that led to the pc
	 */
	CAIRN_UNWIND_METHOD_CALL,
	CAIRN_UNWIND_METHOD_STACK_CFI, /* STACK CFI records in a Breakpad file */
	CAIRN_UNWIND_METHOD_GO,        /* frame sizes in a Go program's function table */
	/* a return address found by scanning the stack (`cairn bt` for minidumps) */
	CAIRN_UNWIND_METHOD_SCAN,
	CAIRN_UNWIND_METHOD_LINK, /* link register of a frame whose code cannot be read */
};

/*
 * Return a method's name for scripts: "none", "sframe", "cfi", "frame-pointer", "signal", "call",
 * "stack-cfi", "go", "scan" or "link". The string is a constant.
 */
CAIRN_API const char *cairn_unwind_method_name(enum cairn_unwind_method method);

/* Result of a step from a frame to its caller. */
struct cairn_step {
	enum cairn_stop stop; /* CAIRN_STOP_NONE if there is a caller */
	/* fault in the unwind table if `stop` is CAIRN_STOP_BAD_TABLE */
	struct cairn_fault fault;
	/* the caller's registers; see cairn_unwind() for when they are valid */
	struct cairn_registers caller;
	enum cairn_frame_kind caller_kind; /* CAIRN_FRAME_PC or CAIRN_FRAME_RETURN */
	/* CFA of the frame that has been unwound, not of its caller */
	uint64_t cfa;
	uint64_t function;               /* pc of the first byte of the unwound frame's function */
	enum cairn_unwind_method method; /* method that was used */
	/* the frame that has been unwound is a signal trampoline */
	bool signal;
	bool at_entry; /* the program starts in this function, so there is no caller */
	bool guessed;  /* nothing proves that this is the caller; always true for SCAN and LINK */
	/* rule that has been used; its addresses are va, so add the module's bias */
	struct cairn_rule rule;
};

/* sources of unwind rules that a step may use */
enum cairn_unwind_by {
	/*
	 * Use all methods. This is for hosts without their own unwinder. step->method is the method
	 * that has found the caller. The methods are tried in this order:
	 *   - the module's .eh_frame, which restores all registers that a call preserves (DWARF 5,
	 *     section 6.4, and the machine's ABI);
	 *   - the module's .sframe;
	 *   - the frame-pointer chain (amd64, aarch64), if it leads up the stack and to code.
	 * If the pc is not in code, as after a call through a null or garbage pointer, the caller
	 * is at the return address of that call, provided that a call instruction precedes it.
	 *
	 * A method is skipped if it has no rule, or if its rule cannot be evaluated. A return
	 * address of 0 means OUTERMOST. With the frame pointer alone, step->function is 0 and
	 * step->rule is empty; on aarch64 the caller's stack pointer is unknown in that case, and
	 * step->cfa is the end of the frame record. BAD_TABLE may refer to either .eh_frame or
	 * .sframe.
	 */
	CAIRN_UNWIND_BY_ANY,
	/* Use only the module's .sframe. This is for hosts that have their own unwinder. */
	CAIRN_UNWIND_BY_SFRAME,
	/*
	 * Use only the machine code, and only for functions that no unwind table covers. This is
	 * for hosts that would otherwise assume that the word at the top of the stack is the return
	 * address. Only amd64 is supported; steps on other machines stop with MACHINE. The
	 * function's code is followed to a return instruction. If that fails and `kind` is
	 * CAIRN_FRAME_RETURN, the frame-pointer chain is used. In both cases the caller's frame
	 * must be higher on the stack and aligned as the ABI requires after a call, and its pc must
	 * follow a call instruction. step->function is 0.
	 */
	CAIRN_UNWIND_BY_CODE,
};

/* Options for cairn_unwind(). Initialize with CAIRN_UNWIND_OPTIONS. */
struct cairn_unwind_options {
	size_t size;
	enum cairn_unwind_by by;
	/*
	 * Used with CAIRN_UNWIND_BY_SFRAME: do not check whether the return address is code, which
	 * may require searching memory for a module. This is for hosts that show any return
	 * address, plausible or not. RA_IMPLAUSIBLE then does not occur.
	 */
	bool accept_any_return;
};
#define CAIRN_UNWIND_OPTIONS CAIRN_SIZED(struct cairn_unwind_options)

/*
 * Find the caller of `frame`. `kind` is the kind of frame->pc: CAIRN_FRAME_PC or
 * CAIRN_FRAME_RETURN. `options` may be NULL. Returns true if there is a caller: step->caller is
 * filled and step->stop is CAIRN_STOP_NONE. Otherwise returns false, and step->stop is the reason.
 * Even then, step->cfa and step->function are valid if the reason is OUTERMOST or RA_IMPLAUSIBLE or
 * step->at_entry is set, and step->caller is valid if the reason is RA_IMPLAUSIBLE. Registers with
 * unknown values are absent from step->caller.known. cairn recognizes a signal trampoline by its
 * code or by its CFI. `frame` must not point into *step.
 */
CAIRN_API bool cairn_unwind(struct cairn_space *space, const struct cairn_registers *frame,
                            enum cairn_frame_kind kind, const struct cairn_unwind_options *options,
                            struct cairn_step *step);

/*
 * Find only the return address, with .sframe. Returns false if it cannot be found. *pc is stored
 * without pointer authentication bits. Only the registers to which the rule refers must be known:
 * the stack pointer, and the frame pointer if the CFA depends on it.
 */
CAIRN_API bool cairn_return_address(struct cairn_space *space, const struct cairn_registers *frame,
                                    enum cairn_frame_kind kind, uint64_t *pc);

/*
 * Return true if frame->pc is in a signal trampoline, which is recognized by its instructions. Sets
 * *start to the pc of the trampoline's first instruction.
 */
CAIRN_API bool cairn_find_signal_trampoline(struct cairn_space *space,
                                            const struct cairn_registers *frame, uint64_t *start);

/*
 * Guess whether a frame's pc is a return address, for hosts that do not record this. Returns
 * CAIRN_FRAME_RETURN if the word that a call would have left behind (below the stack pointer, or in
 * the link register) equals the pc, otherwise CAIRN_FRAME_PC. If the guess is wrong, the pc
 * directly follows a call, so that CAIRN_FRAME_RETURN is harmless.
 */
CAIRN_API enum cairn_frame_kind cairn_guess_frame_kind(struct cairn_space *space,
                                                       const struct cairn_registers *frame);

/*
 * Return false if no call instruction ends at `pc`, which is therefore not a return address.
 * Returns true if this cannot be determined. Negative results are cached per module.
 */
CAIRN_API bool cairn_space_follows_call(struct cairn_space *space, uint64_t pc);

/* Callers of an async Swift function. They are contexts in memory instead of frames on a stack. */
struct cairn_async_callers {
	/*
	 * addresses at which the callers resume, innermost first, to be looked up as they are;
	 * valid until the next call of cairn_find_async_callers() with the space
	 */
	const uint64_t *pc;
	size_t count;
	uint64_t task; /* address of the task that the frame runs */
};

/*
 * Find the async callers of a frame that cairn_unwind() has unwound: `frame` and `kind` are its
 * arguments, and `step` is its result. `inner_task` is the `task` of an inner frame of the same
 * stack, or 0, because a stack has only one async frame for each task. Returns NOT_FOUND if the
 * frame is not in an async function, or if no list of contexts ends in the memory of a live task,
 * and NO_MEMORY. Returns UNSUPPORTED if cairn does not know the layout of the tasks.
 *
 * An async function is called by libswift_Concurrency (Swift 6.1 or newer; amd64, aarch64), so
 * other frames cost nothing. cairn_space_wants_async() says whether the space needs the files of
 * the frame's module first, to tell async functions from others. A function without a symbol is
 * assumed to be async if its context is found.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_find_async_callers(
	struct cairn_space *space, const struct cairn_registers *frame, enum cairn_frame_kind kind,
	const struct cairn_step *step, uint64_t inner_task, struct cairn_async_callers *callers);

/*
 * Return true if the frame may be in an async function, and cairn_space_give_files() has not yet
 * supplied the async functions of its module (cairn_files_want_async()).
 */
CAIRN_API bool cairn_space_wants_async(struct cairn_space *space,
                                       const struct cairn_registers *frame,
                                       enum cairn_frame_kind kind, const struct cairn_step *step);

#ifdef __cplusplus
}
#endif

#endif
