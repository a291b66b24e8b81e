/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: frames, and the way from each to the next.
 */
#ifndef CAIRN_INCLUDE_UNWIND_H
#define CAIRN_INCLUDE_UNWIND_H

#include <cairn/base.h>
#include <cairn/rules.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one frame of a stack or a recorded backtrace is. */
enum cairn_frame_kind {
	CAIRN_FRAME_PC = 1, /* an instruction: of the innermost frame, or interrupted by a signal */
	CAIRN_FRAME_RETURN, /* a return address: the call lies before it */
	CAIRN_FRAME_ASYNC,  /* where an async function will go on */
	CAIRN_FRAME_OMITTED, /* frames that were left out */
};

/*
 * A run of equal frames.  They stay together, because a few bytes may ask for 2^64 of them; who
 * prints decides how many lines that makes.
 */
struct cairn_frame {
	enum cairn_frame_kind kind;
	uint64_t value; /* the address; of CAIRN_FRAME_OMITTED the number of frames left out */
	uint64_t times; /* at least 1 */
};

/*
 * The address to look symbols up with.  A return address may already be the first byte of the
 * next function, when the call was the last instruction, so it is looked up one byte earlier.
 */
CAIRN_API uint64_t cairn_frame_lookup_address(const struct cairn_frame *frame);

/* By how much the numbers of frames grow over this run, at most to 2^64 - 1. */
CAIRN_API uint64_t cairn_frame_count(const struct cairn_frame *frame);

/* Why there is no next frame, or why it is not to be trusted. */
enum cairn_stop {
	CAIRN_STOP_NONE,
	CAIRN_STOP_OUTERMOST,   /* the table or the entry point says that there is no caller */
	CAIRN_STOP_NO_MODULE,   /* the pc lies in no module */
	CAIRN_STOP_NO_TABLE,    /* its module has no .sframe that can be used */
	CAIRN_STOP_NO_ROW,      /* the table does not cover the pc */
	CAIRN_STOP_BAD_TABLE,   /* the table is damaged there */
	CAIRN_STOP_MACHINE,     /* the module is of another machine than the registers */
	CAIRN_STOP_CFA_UNKNOWN, /* the register it counts from is not known, or unreadable memory */
	CAIRN_STOP_CFA_IMPLAUSIBLE, /* does not move up the stack, or is not aligned */
	CAIRN_STOP_LINK_UNKNOWN,  /* the return address should be in a register that is long lost */
	CAIRN_STOP_RA_UNREADABLE, /* the return address cannot be read */
	CAIRN_STOP_RA_IMPLAUSIBLE, /* the return address is no code address */
};

/* One lower-case phrase, and a name for scripts ("no-row"). */
CAIRN_API const char *cairn_stop_text(enum cairn_stop stop);
CAIRN_API const char *cairn_stop_name(enum cairn_stop stop);

/* By what a step was made. */
enum cairn_unwind_method {
	CAIRN_UNWIND_METHOD_NONE,
	CAIRN_UNWIND_METHOD_SFRAME,
	CAIRN_UNWIND_METHOD_CFI,           /* .eh_frame */
	CAIRN_UNWIND_METHOD_FRAME_POINTER, /* a guess that looks right */
	CAIRN_UNWIND_METHOD_SIGNAL, /* what a signal handler returns to, by its code or its CFI */
	CAIRN_UNWIND_METHOD_CALL,   /* where no code is: back to the call that led there */
};

/* A name for scripts: "none", "sframe", "cfi", "frame-pointer", "signal", "call". */
CAIRN_API const char *cairn_unwind_method_name(enum cairn_unwind_method rung);

/* One step from a frame to its caller. */
struct cairn_step {
	enum cairn_stop stop;
	struct cairn_fault fault;          /* with CAIRN_STOP_BAD_TABLE: where in the section */
	struct cairn_registers caller;     /* valid unless stop says otherwise */
	enum cairn_frame_kind caller_kind; /* CAIRN_FRAME_PC or CAIRN_FRAME_RETURN */
	uint64_t cfa;                      /* of the frame that was asked about */
	uint64_t function;                 /* pc of its function's first byte */
	enum cairn_unwind_method rung;     /* whose rule it was */
	bool signal;                       /* the frame is a signal trampoline */
	bool at_entry;          /* the program begins in this function: nobody called it */
	struct cairn_rule rule; /* as linked: add the module's bias */
};

/*
 * From `frame`, whose pc is of `kind` (CAIRN_FRAME_PC or CAIRN_FRAME_RETURN), to its caller.
 * Returns true when there is one: step->caller is filled and step->stop is CAIRN_STOP_NONE.
 * Otherwise step->stop says why; with OUTERMOST, RA_IMPLAUSIBLE and step->at_entry the cfa and
 * function are valid all the same, and with RA_IMPLAUSIBLE the caller is too.  Registers that
 * cannot be known are absent from step->caller.known.  `frame` must not lie in *step.
 */
CAIRN_API bool cairn_unwind(struct cairn_space *space, const struct cairn_registers *frame,
                            enum cairn_frame_kind kind, struct cairn_step *step);

/*
 * The return address alone, by the same rules.  Of the registers only those need be known that the
 * rule counts from: the stack pointer, and the frame pointer where the CFA is counted from it.
 */
CAIRN_API bool cairn_return_address(struct cairn_space *space, const struct cairn_registers *frame,
                                    enum cairn_frame_kind kind, uint64_t *pc);

/*
 * What cairn_unwind() does, by whatever is there, for a host without an unwinder of its own: the .eh_frame of the
 * module, which restores all registers that a call keeps, else its .sframe, else the chain of frame
 * pointers (amd64, aarch64), if it leads up the stack and to code.  step->rung says which.  Signal
 * trampolines are known by their code, or by their CFI.  From a pc without code, after a call through a
 * null or garbage pointer, it goes to where that call returns to, if there is a call.
 *
 * A rung that has no rule, or one that cannot be worked out, leaves the step to the next.  A return
 * address of 0 means OUTERMOST.  By the frame pointer alone step->function is 0 and there is no
 * rule; on aarch64 the caller's stack pointer is not known then, and cfa is where the frame record
 * ends.  BAD_TABLE may mean either table.
 */
CAIRN_API bool cairn_unwind_any(struct cairn_space *space, const struct cairn_registers *frame,
                                enum cairn_frame_kind kind, struct cairn_step *step);

/*
 * From `frame` to its caller where no table describes the function, for a host that would else take
 * the top of the stack for the return address (amd64; MACHINE elsewhere).  The function's code is
 * followed to a return; else, for a caller, the chain of frame pointers.  Either must lead up
 * the stack, be aligned as calls leave it, and to an address that a call returns to.  step->function is 0.
 */
CAIRN_API bool cairn_unwind_bare(struct cairn_space *space, const struct cairn_registers *frame,
                                 enum cairn_frame_kind kind, struct cairn_step *step);

/*
 * Is the frame at a signal trampoline, known by its instructions?  *start: pc of the first one.
 */
CAIRN_API bool cairn_find_signal_trampoline(struct cairn_space *space,
                                            const struct cairn_registers *frame, uint64_t *start);

/*
 * Is the pc of this frame a return address?  For hosts that hand out frames without saying so:
 * true when the word that a call leaves behind (below the stack pointer, or in the link
 * register) equals the pc.  A wrong "yes" just after a call is harmless.
 */
CAIRN_API enum cairn_frame_kind cairn_guess_frame_kind(struct cairn_space *space,
                                                       const struct cairn_registers *frame);

#ifdef __cplusplus
}
#endif

#endif
