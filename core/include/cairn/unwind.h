/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: frames, and the step from each frame to its caller.
 */
#ifndef CAIRN_INCLUDE_UNWIND_H
#define CAIRN_INCLUDE_UNWIND_H

#include <cairn/base.h>
#include <cairn/rules.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kind of a frame in a stack or a recorded backtrace. */
enum cairn_frame_kind {
	/* an instruction of the innermost frame, or one that a signal interrupted */
	CAIRN_FRAME_PC = 1,
	CAIRN_FRAME_RETURN,  /* a return address; the call is before it */
	CAIRN_FRAME_ASYNC,   /* the address where an async function will resume */
	CAIRN_FRAME_OMITTED, /* frames that the recording program left out */
};

/*
 * A run of equal frames. cairn keeps them together because a few bytes of a recorded backtrace can
 * stand for 2^64 frames; the caller decides how many lines to print for a run.
 */
struct cairn_frame {
	enum cairn_frame_kind kind;
	uint64_t value; /* pc; with CAIRN_FRAME_OMITTED the number of frames left out */
	uint64_t times; /* at least 1 */
};

/*
 * Return the address with which to look up symbols. A return address may be the first byte of the
 * next function, if the call was the last instruction of its own, so symbols are looked up one byte
 * before it.
 */
CAIRN_API uint64_t cairn_frame_lookup_address(const struct cairn_frame *frame);

/* Return how many frames the run stands for, at most 2^64 - 1. */
CAIRN_API uint64_t cairn_frame_count(const struct cairn_frame *frame);

/* Reason why there is no caller, or why its values are not plausible. */
enum cairn_stop {
	CAIRN_STOP_NONE,
	CAIRN_STOP_OUTERMOST,   /* according to the table or the entry point there is no caller */
	CAIRN_STOP_NO_MODULE,   /* no module contains the pc */
	CAIRN_STOP_NO_TABLE,    /* its module has no usable .sframe */
	CAIRN_STOP_NO_ROW,      /* the table does not cover the pc */
	CAIRN_STOP_BAD_TABLE,   /* the table is damaged there */
	CAIRN_STOP_MACHINE,     /* the module and the registers belong to different machines */
	CAIRN_STOP_CFA_UNKNOWN, /* memory or a register that the CFA depends on cannot be read */
	CAIRN_STOP_CFA_IMPLAUSIBLE, /* the CFA does not move up the stack, or is not aligned */
	CAIRN_STOP_LINK_UNKNOWN,    /* the return address was in a register whose value is lost */
	CAIRN_STOP_RA_UNREADABLE,   /* the return address cannot be read */
	CAIRN_STOP_RA_IMPLAUSIBLE,  /* the return address is not a code address */
};

/* Return a lower-case phrase for the reason, without a full stop; the string is a constant. */
CAIRN_API const char *cairn_stop_text(enum cairn_stop stop);

/*
 * Return the name of the reason for scripts and --json, such as "no-row"; the string is a constant.
 */
CAIRN_API const char *cairn_stop_name(enum cairn_stop stop);

/* Method by which the caller of a frame was found. */
enum cairn_unwind_method {
	CAIRN_UNWIND_METHOD_NONE,
	CAIRN_UNWIND_METHOD_SFRAME,
	CAIRN_UNWIND_METHOD_CFI,           /* .eh_frame */
	CAIRN_UNWIND_METHOD_FRAME_POINTER, /* a guess that passed the checks */
	CAIRN_UNWIND_METHOD_SIGNAL,        /* a signal trampoline, known by its code or its CFI */
	/* the pc is not in code, or in a stub: return to the call that led there */
	CAIRN_UNWIND_METHOD_CALL,
	CAIRN_UNWIND_METHOD_STACK_CFI, /* STACK CFI records of a Breakpad file */
	CAIRN_UNWIND_METHOD_GO,        /* frame sizes in the function table of a Go program */
	/* a return address found by scanning the stack (`cairn bt` of minidumps) */
	CAIRN_UNWIND_METHOD_SCAN,
	CAIRN_UNWIND_METHOD_LINK, /* the link register of a frame whose code cannot be read */
};

/*
 * Return the method name for scripts: "none", "sframe", "cfi", "frame-pointer", "signal", "call",
 * "stack-cfi", "go", "scan", "link". The string is a constant.
 */
CAIRN_API const char *cairn_unwind_method_name(enum cairn_unwind_method method);

/* Result of a step from a frame to its caller. */
struct cairn_step {
	enum cairn_stop stop; /* CAIRN_STOP_NONE if there is a caller */
	/* fault in the section if stop is CAIRN_STOP_BAD_TABLE */
	struct cairn_fault fault;
	struct cairn_registers caller;     /* valid as the functions below describe */
	enum cairn_frame_kind caller_kind; /* CAIRN_FRAME_PC or CAIRN_FRAME_RETURN */
	uint64_t cfa;                      /* CFA of the frame itself, not of its caller */
	uint64_t function;                 /* pc of the first byte of the frame's function */
	enum cairn_unwind_method method;   /* method whose rule was used */
	bool signal;                       /* the frame is a signal trampoline */
	bool at_entry; /* the program starts in this function, so it has no caller */
	bool guessed;  /* nothing proves that this is the caller; always true with SCAN and LINK */
	struct cairn_rule rule; /* addresses are va: add the bias of the module */
};

/* The sources of unwind rules that a step may use. */
enum cairn_unwind_by {
	/*
	 * Every method, for a host without an unwinder of its own; step->method reports the one
	 * that found the caller. They are tried in this order:
	 *   - the .eh_frame of the module, which restores all registers that a call preserves
	 *     (DWARF 5, section 6.4, and the ABI of the machine);
	 *   - its .sframe;
	 *   - the chain of frame pointers (amd64, aarch64), if it leads up the stack and to code.
	 * If the pc is not in code, as after a call through a null or garbage pointer, the caller
	 * is at the return address of that call, provided that a call instruction precedes it.
	 *
	 * A method that has no rule, or a rule that cannot be computed, leaves the step to the next
	 * method. A return address of 0 means OUTERMOST. With the frame pointer alone,
	 * step->function is 0 and step->rule is empty; on aarch64 the stack pointer of the caller
	 * is then unknown, and cfa is the end of the frame record. BAD_TABLE may refer to either
	 * table.
	 */
	CAIRN_UNWIND_BY_ANY,
	/* The .sframe of the module alone, for a host that has an unwinder of its own. */
	CAIRN_UNWIND_BY_SFRAME,
	/*
	 * Use only the code, and only if no table describes the function, for a host that would
	 * otherwise take the word at the top of the stack for the return address. Supports amd64;
	 * other machines stop with MACHINE. It follows the code of the function to a return
	 * instruction. If that fails and `kind` is CAIRN_FRAME_RETURN, it follows the chain of
	 * frame pointers. Either result must be higher on the stack, aligned as calls leave the
	 * stack, and at an address that a call returns to. step->function is 0.
	 */
	CAIRN_UNWIND_BY_CODE,
};

/* Options of cairn_unwind(). Begin with CAIRN_UNWIND_OPTIONS. */
struct cairn_unwind_options {
	size_t size; /* sizeof(struct cairn_unwind_options) */
	enum cairn_unwind_by by;
	/*
	 * With CAIRN_UNWIND_BY_SFRAME: do not check whether the return address is code, for a host
	 * that shows whatever the stack holds. The check may search memory for a module.
	 * RA_IMPLAUSIBLE does not occur then.
	 */
	bool unchecked;
};
#define CAIRN_UNWIND_OPTIONS                                                    \
	{                                                                       \
		sizeof(struct cairn_unwind_options), CAIRN_UNWIND_BY_ANY, false \
	}

/*
 * Find the caller of `frame`. `kind` is the kind of frame->pc: CAIRN_FRAME_PC or
 * CAIRN_FRAME_RETURN. `options` may be NULL. Returns true if there is a caller: step->caller is
 * filled and step->stop is CAIRN_STOP_NONE. Otherwise it returns false, and step->stop is the
 * reason. With OUTERMOST, with RA_IMPLAUSIBLE and with step->at_entry, cfa and function are valid
 * nevertheless; with RA_IMPLAUSIBLE the caller is, too. Registers whose values are unknown are
 * absent from step->caller.known. cairn recognizes a signal trampoline by its code or by its CFI.
 * `frame` must not be inside *step.
 */
CAIRN_API bool cairn_unwind(struct cairn_space *space, const struct cairn_registers *frame,
                            enum cairn_frame_kind kind, const struct cairn_unwind_options *options,
                            struct cairn_step *step);

/*
 * Find only the return address, by the rules of .sframe. Returns false if it cannot be found. *pc
 * is stored without authentication bits. Only the base registers of the rule have to be known: the
 * stack pointer, and the frame pointer if the CFA depends on it.
 */
CAIRN_API bool cairn_return_address(struct cairn_space *space, const struct cairn_registers *frame,
                                    enum cairn_frame_kind kind, uint64_t *pc);

/*
 * Return true if frame->pc is in a signal trampoline, which cairn recognizes by its instructions;
 * *start is the pc of the first one.
 */
CAIRN_API bool cairn_find_signal_trampoline(struct cairn_space *space,
                                            const struct cairn_registers *frame, uint64_t *start);

/*
 * Guess whether the pc of this frame is a return address, for a host whose frames do not record it.
 * The guess is CAIRN_FRAME_RETURN if the word that a call leaves behind (below the stack pointer,
 * or in the link register) equals the pc, else CAIRN_FRAME_PC. A wrong CAIRN_FRAME_RETURN just
 * after a call is harmless.
 */
CAIRN_API enum cairn_frame_kind cairn_guess_frame_kind(struct cairn_space *space,
                                                       const struct cairn_registers *frame);

/*
 * Return false if no call instruction ends at `pc`, which therefore is not a return address.
 * Returns true if that cannot be determined. Negative results are remembered for each module.
 */
CAIRN_API bool cairn_space_follows_call(struct cairn_space *space, uint64_t pc);

#ifdef __cplusplus
}
#endif

#endif
