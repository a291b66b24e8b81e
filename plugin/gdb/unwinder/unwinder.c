/* SPDX-License-Identifier: MIT */
/*
 * Decides which frames cairn unwinds, and returns their callers' registers to GDB.
 *
 * With the policy `auto`, cairn declines frames for which GDB has call frame information, so that
 * everything that works in GDB stays unchanged. There are two exceptions in which GDB is known to
 * fail. First, aarch64 return addresses may be signed, and GDB can strip the signature only if the
 * target describes its pointer authentication. Second, GDB identifies some signal trampolines only
 * by name: a program's own, and some in the kernel's code page.
 */
#include "unwinder.h"

#include "registers.h"

#include "common/session/sources.h"
#include "common/session/trace.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Caches target memory in lines until GDB's next query. GDB may throw an exception during a read,
 * so a line is added to the cache only after all of its bytes have been read.
 */

void memory_lines_forget(struct memory_lines *lines)
{
	lines->count = lines->next = 0;
}

static bool read_target(gdb_target_read *target_read, uint64_t address, void *buffer, size_t size)
{
	return size <= INT_MAX && target_read(address, buffer, (int)size) == GDB_SUCCESS;
}

static const struct memory_line *find_line(const struct memory_lines *lines, uint64_t at)
{
	for (unsigned i = 0; i < lines->count; i++)
		if (lines->line[i].at == at)
			return &lines->line[i];
	return NULL;
}

/* Return the line at `at`, or NULL if it cannot be read. A new line replaces the oldest one. */
static const struct memory_line *fetch_line(struct memory_lines *lines,
                                            gdb_target_read *target_read, uint64_t at)
{
	const struct memory_line *known = find_line(lines, at);
	uint8_t bytes[MEMORY_LINE];

	if (known || !read_target(target_read, at, bytes, sizeof(bytes)))
		return known;
	struct memory_line *line = &lines->line[lines->next];
	lines->next = (lines->next + 1) % MEMORY_LINES;
	lines->count += lines->count < MEMORY_LINES;
	line->at = at;
	memcpy(line->bytes, bytes, sizeof(bytes));
	return line;
}

/* Read through the cache. Also fails if a line extends beyond readable memory. */
static bool read_in_lines(struct memory_lines *lines, gdb_target_read *target_read,
                          uint64_t address, uint8_t *out, size_t size)
{
	while (size > 0) {
		size_t into = address % MEMORY_LINE;
		size_t part = MEMORY_LINE - into < size ? MEMORY_LINE - into : size;
		const struct memory_line *line = fetch_line(lines, target_read, address - into);
		if (!line)
			return false;
		memcpy(out, line->bytes + into, part);
		address += part;
		out += part;
		size -= part;
	}
	return true;
}

bool memory_lines_read(struct memory_lines *lines, gdb_target_read *target_read, uint64_t address,
                       void *buffer, size_t size)
{
	bool small = size <= MEMORY_LINE_READ && address % MEMORY_LINE_PAGE != 0;

	return (small && read_in_lines(lines, target_read, address, buffer, size)) ||
	       read_target(target_read, address, buffer, size);
}

/*
 * Recognizes signal trampolines that belong to the program itself, and adjusts the pc that GDB
 * receives for them.
 */

enum {
	/*
	 * maximum distance in bytes between a trampoline that belongs to the program and code with
	 * SFrame data
	 */
	NEAR = 65,
	NEAR_STEP = 16,
};

/*
 * Return true if cairn unwinds the trampoline at `start`. GDB recognizes common trampolines and
 * shows them as <signal handler called>, whereas frames from a JIT reader are always ordinary
 * frames. Therefore GDB handles trampolines in the C library, and cairn handles trampolines that
 * are outside all modules or next to the program's code with SFrame data.
 */
static bool trampoline_starts_own(struct unwinder *u, uint64_t start)
{
	struct cairn_module module;

	if (cairn_space_has_cfi(u->space, start))
		return false;
	/*
	 * GDB looks up the byte before the pc and would use the preceding function's rule, so cairn
	 * must unwind the trampoline
	 */
	if (cairn_space_has_cfi(u->space, start - 1))
		return true;
	if (cairn_space_module(u->space, start, &module) != CAIRN_OK)
		return true;
	for (uint64_t away = 1; away <= NEAR; away += NEAR_STEP)
		if (cairn_space_has_sframe(u->space, start - away) ||
		    cairn_space_has_sframe(u->space, start + away))
			return true;
	return false;
}

static bool trampoline_is_own(struct unwinder *u, const struct cairn_registers *frame)
{
	uint64_t start;

	return cairn_find_signal_trampoline(u->space, frame, &start) &&
	       trampoline_starts_own(u, start);
}

/*
 * Undo the adjustment of a pc at a trampoline's first byte, for which GDB has received the address
 * of the second byte. GDB assumes that an ordinary frame's pc is a return address and looks up the
 * function one byte before it. Without the adjustment, it would find the preceding function.
 */
static void trampoline_restore_pc(struct unwinder *u, struct cairn_registers *frame)
{
	struct cairn_registers before = *frame;

	before.pc--;
	if (frame->machine == CAIRN_MACHINE_AMD64 && trampoline_is_own(u, &before))
		*frame = before;
}

static void trampoline_advance_pc(struct unwinder *u, struct cairn_registers *caller)
{
	if (caller->machine == CAIRN_MACHINE_AMD64 && trampoline_is_own(u, caller))
		caller->pc++;
}

static const struct cairn_unwind_options by_sframe = { sizeof(by_sframe), CAIRN_UNWIND_BY_SFRAME,
	                                               true };
static const struct cairn_unwind_options by_code = { sizeof(by_code), CAIRN_UNWIND_BY_CODE, false };

enum {
	/* maximum size in bytes of the code that kernels map into each process */
	KERNEL_PAGES = 0x10000,
	/* last major version of GDB that keeps the architecture beyond signal frames */
	ONE_ARCHITECTURE = 13,
	AMD64_FP = 6,
	AMD64_SP = 7,
};

/*
 * Return true if GDB stops calling its JIT reader beyond signal frames. A remote target describes
 * its registers itself. On aarch64 the vector length may differ beyond a signal frame, so GDB
 * versions later than ONE_ARCHITECTURE replace the target's description with an architecture of
 * their own. That architecture lacks the JIT reader and has different register numbers for signed
 * return addresses. A GDB that runs on aarch64 is not affected: it usually debugs its own machine,
 * for which both descriptions are the same.
 */
static bool signals_lose_reader(const struct unwinder *u, const struct cairn_registers *frame)
{
#ifdef __aarch64__
	(void)u;
	(void)frame;
	return false;
#else
	return frame->machine == CAIRN_MACHINE_AARCH64 &&
	       (u->gdb_major == 0 || u->gdb_major > ONE_ARCHITECTURE);
#endif
}

/* Return true if the frame is at a trampoline beyond which GDB would not call the reader. */
static bool at_losing_trampoline(struct unwinder *u, const struct cairn_registers *frame)
{
	struct cairn_module module;
	uint64_t start;

	return signals_lose_reader(u, frame) &&
	       cairn_space_module(u->space, frame->pc, &module) == CAIRN_OK &&
	       module.high - module.low <= KERNEL_PAGES &&
	       cairn_find_signal_trampoline(u->space, frame, &start);
}

/*
 * Return true if cairn has found the caller or the end of the stack. In the outermost frame, set
 * the caller's pc to 0, which ends the stack in GDB.
 */
static bool accept_step(struct cairn_step *step, const struct cairn_registers *frame, bool stepped)
{
	if (!stepped && step->stop != CAIRN_STOP_OUTERMOST && !step->at_entry)
		return false;
	if (!stepped) {
		step->caller = *frame;
		step->caller.pc = 0;
	}
	return true;
}

static void find_coverage(struct unwinder *u, uint64_t pc, struct cairn_coverage *coverage)
{
	enum cairn_status status = cairn_space_coverage(u->space, pc, coverage);

	if (status == CAIRN_OK && !coverage->cfi && !coverage->table &&
	    side_files_give(u->side_files, u->space, pc, *u->directories)) {
		frame_chain_reset(&u->chain); /* earlier plans were made without this table */
		status = cairn_space_coverage(u->space, pc, coverage);
	}
	if (status != CAIRN_OK)
		*coverage = (struct cairn_coverage){ .cfi = false };
}

/*
 * Return true if the pc alone shows that GDB must unwind the frame, because GDB has call frame
 * information for the pc, both as an instruction and as a return address, and there is no SFrame
 * data. A function's first address can be a return address only if a call precedes it. Trampolines
 * need no check, because no trampoline has call frame information from its second instruction on.
 */
static bool is_for_gdb(struct unwinder *u, uint64_t pc)
{
	struct cairn_coverage here, before;

	if (!cairn_space_has_cfi(u->space, pc))
		return false;
	find_coverage(u, pc, &here);
	if (here.row || !cairn_space_has_cfi(u->space, pc - 1))
		return !here.row && !cairn_space_follows_call(u->space, pc);
	find_coverage(u, pc - 1, &before);
	return !before.row;
}

/*
 * Return true if GDB would fail despite its call frame information, because the return address is
 * signed or points to a trampoline.
 */
static bool is_gdb_wrong(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                         const struct cairn_coverage *c, enum cairn_frame_kind kind,
                         struct cairn_registers *frame)
{
	struct cairn_registers caller = { .machine = frame->machine,
		                          .big_endian = frame->big_endian };

	if (!c->row || c->rule.mangled)
		return c->row;
	registers_read_base(cb, frame, &c->rule.cfa);
	return cairn_return_address(u->space, frame, kind, &caller.pc) &&
	       trampoline_is_own(u, &caller);
}

/*
 * Look up the pc in the module's files. Files are searched once and their data is kept as long as
 * the module is loaded, because a frame's unwind method must not change while the program is
 * stopped.
 */
static struct cairn_in_files ask_files(struct unwinder *u, uint64_t pc, bool symbols)
{
	struct cairn_in_files told = cairn_space_in_files(u->space, pc);
	struct cairn_module module;
	struct cairn_files *files;

	if ((told.given && told.symbols >= symbols) ||
	    cairn_space_module(u->space, pc, &module) != CAIRN_OK)
		return told;
	files = cairn_files_new(symbols);
	if (!files)
		return told;
	cairn_files_find(files, &module);
	cairn_space_give_files(u->space, pc, files);
	return cairn_space_in_files(u->space, pc);
}

/*
 * Return true if GDB has no information about the pc. Assemblers omit from .sframe the functions
 * that SFrame cannot describe. GDB needs a symbol to analyze a function's prologue; if the function
 * has neither a symbol nor call frame information, GDB mistakes the word at the top of the stack
 * for the return address.
 */
static bool is_bare(struct unwinder *u, uint64_t pc)
{
	struct cairn_in_files told = ask_files(u, pc, true);

	return told.program && !told.cfi && !told.function;
}

/*
 * Return true if no unwind table describes the code, as in programs linked with musl. For such code
 * GDB assumes that the function keeps a frame pointer or has pushed nothing.
 */
static bool is_without_tables(struct unwinder *u, const struct cairn_coverage *c,
                              const struct cairn_registers *frame, uint64_t pc)
{
	if (frame->machine != CAIRN_MACHINE_AMD64 || c->cfi || c->table)
		return false;
	const struct cairn_in_files told = ask_files(u, pc, true);
	return told.program && !told.cfi;
}

static bool is_wanted(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                      enum cairn_frame_kind kind, struct cairn_registers *frame)
{
	const struct cairn_frame asked = { kind, frame->pc, 1 };
	struct cairn_coverage c;

	find_coverage(u, cairn_frame_lookup_address(&asked), &c);
	if (at_losing_trampoline(u, frame))
		return true;
	if (c.cfi && is_gdb_wrong(u, cb, &c, kind, frame))
		return true;
	if (c.cfi && c.row && kind == CAIRN_FRAME_RETURN)
		frame_chain_pass(u, frame, &c.rule, false);
	if (c.cfi)
		return false;
	if (c.table) {
		const struct cairn_in_files told =
			ask_files(u, cairn_frame_lookup_address(&asked), false);
		if (told.other || (c.row && told.cfi))
			return false;
	}
	return c.table || trampoline_is_own(u, frame) ||
	       is_without_tables(u, &c, frame, cairn_frame_lookup_address(&asked));
}

/*
 * Return true if GDB lacks information about the interrupted frame or cannot strip its return
 * address.
 */
static bool is_interrupted_ours(struct unwinder *u, const struct cairn_step *step)
{
	struct cairn_coverage c;

	find_coverage(u, step->caller.pc, &c);
	return c.row && (c.rule.mangled || !(c.cfi || ask_files(u, step->caller.pc, false).cfi));
}

/*
 * Return true if cairn unwinds the frame, judged by data that is cheap to get. If so, read all
 * registers.
 */
static bool is_ours(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                    struct cairn_registers *frame, enum cairn_frame_kind *kind)
{
	if (u->policy == UNWIND_POLICY_AUTO && is_for_gdb(u, frame->pc) &&
	    !at_losing_trampoline(u, frame)) {
		frame_chain_pass_ordinary(u, cb, frame);
		return false;
	}
	trampoline_restore_pc(u, frame);
	registers_read_stack(cb, frame);
	*kind = cairn_guess_frame_kind(u->space, frame);
	if (u->policy == UNWIND_POLICY_AUTO && !is_wanted(u, cb, *kind, frame))
		return false;
	if (!u->chain.follows || !u->chain.complete)
		registers_read(cb, frame);
	return true;
}

/*
 * Find the caller from unwind tables, or through frame pointers if the module has .sframe but no
 * row for the pc. Accept a return address that does not point to code: on a smashed stack, any
 * other unwinder in GDB would also show such an address.
 */
static bool find_caller(struct unwinder *u, const struct cairn_registers *frame,
                        enum cairn_frame_kind kind, struct cairn_step *step)
{
	const struct cairn_frame asked = { kind, frame->pc, 1 };
	struct cairn_coverage c;

	if (accept_step(step, frame, cairn_unwind(u->space, frame, kind, &by_sframe, step)))
		return true;
	if (u->policy == UNWIND_POLICY_AUTO && step->stop == CAIRN_STOP_NO_TABLE) {
		const uint64_t pc = cairn_frame_lookup_address(&asked);
		find_coverage(u, pc, &c);
		if (!is_without_tables(u, &c, frame, pc))
			return false;
		/*
		 * If the entry point has a symbol, let GDB end the stack there, because GDB's
		 * command `advance` must stop at the same location as without cairn.
		 */
		return trace_find_caller(u->space, frame, kind, step) ||
		       (!ask_files(u, pc, true).function && accept_step(step, frame, false));
	}
	return step->stop == CAIRN_STOP_NO_ROW && u->policy == UNWIND_POLICY_AUTO &&
	       is_bare(u, cairn_frame_lookup_address(&asked)) &&
	       cairn_unwind(u->space, frame, kind, &by_code, step);
}

/* Return true for code outside all modules in a process with JIT code. */
static bool is_jit_code(struct unwinder *u, const struct cairn_registers *frame)
{
	struct cairn_module module;

	return u->jit_code && frame->machine == CAIRN_MACHINE_AMD64 &&
	       cairn_space_module(u->space, frame->pc, &module) != CAIRN_OK;
}

static bool has_name(const struct unwinder *u, uint64_t pc)
{
	struct cairn_location location;
	struct cairn_fault fault;

	return cairn_symbols_find_function(u->jit_code, pc - 1, &location, &fault) == CAIRN_OK;
}

/*
 * Unwind JIT code. GDB has rules for code that the jitdump describes. Other code, such as stubs and
 * copies of built-in functions, keeps frame pointers like the described code. A perf map contains
 * no rules, so only frame pointers are available. If they do not lead to a caller, as in PHP, find
 * it by analyzing the machine code.
 */
static bool step_through_jit_code(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                                  struct cairn_registers *frame, struct cairn_step *step)
{
	const bool named = has_name(u, frame->pc);

	if (named && u->jit_code_has_rules)
		return false;
	registers_read(cb, frame);
	const enum cairn_frame_kind kind = cairn_guess_frame_kind(u->space, frame);
	const bool chained = cairn_unwind(u->space, frame, kind, NULL, step) &&
	                     step->method == CAIRN_UNWIND_METHOD_FRAME_POINTER;
	if (named ? chained || !cairn_unwind(u->space, frame, kind, &by_code, step) : !chained)
		return false;
	registers_pass_through(frame, &step->caller);
	return true;
}

/*
 * Return true if the frame is on the stack of a capture that was converted from a textual
 * backtrace. Reads the stack pointer.
 */
static bool is_on_captured_stack(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                                 struct cairn_registers *frame)
{
	if (*u->captures == 0 || frame->machine != CAIRN_MACHINE_AMD64)
		return false;
	registers_read_stack(cb, frame);
	return frame->known >> AMD64_SP & 1 &&
	       u->is_captured(u->captured_context, frame->value[AMD64_SP]);
}

/*
 * Unwind a captured stack. Give GDB only registers that are stored on the stack. The core contains
 * 0 for the innermost frame's other registers, and GDB would pass these zeros on to the callers as
 * unchanged values. A frame pointer of 0 is therefore omitted, too. Signal frames and the end of
 * the stack are left to GDB.
 */
static bool step_on_captured_stack(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                                   struct cairn_registers *frame, struct cairn_step *step)
{
	const struct cairn_register_rule pointer = { .base = AMD64_FP };

	registers_read_base(cb, frame, &pointer);
	frame->known &= UINT64_C(1) << AMD64_SP | (uint64_t)(frame->value[AMD64_FP] != 0)
	                                                  << AMD64_FP;
	const enum cairn_frame_kind kind = cairn_guess_frame_kind(u->space, frame);
	return cairn_unwind(u->space, frame, kind, NULL, step) && !step->signal;
}

static bool step_from(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                      struct cairn_registers *frame, struct cairn_step *step)
{
	enum cairn_frame_kind kind;

	if (is_on_captured_stack(u, cb, frame))
		return step_on_captured_stack(u, cb, frame, step);
	if (is_jit_code(u, frame))
		return step_through_jit_code(u, cb, frame, step);
	if (!is_ours(u, cb, frame, &kind) || !find_caller(u, frame, kind, step) ||
	    (step->signal && !trampoline_starts_own(u, step->function) &&
	     !(at_losing_trampoline(u, frame) && is_interrupted_ours(u, step))))
		return false;
	trampoline_advance_pc(u, &step->caller);
	registers_pass_through(frame, &step->caller);
	return true;
}

/*
 * Identify the frame that GDB asks about. Returns false if this fails, or if it is already certain
 * that cairn does not handle the frame.
 */
static bool find_frame(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                       struct cairn_registers *frame)
{
	if (u->chain.follows) {
		if (frame_chain_is_for_gdb(u))
			return false;
		*frame = u->chain.next;
		return true;
	}
	if (!identify_frame(u, cb, frame))
		return false;
	frame_chain_begin(u, frame);
	return true;
}

bool unwind_frame_registers(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                            struct cairn_step *step)
{
	struct unwound_frame *last = &u->answered;

	last->valid = false;
	if (u->policy == UNWIND_POLICY_OFF || !find_frame(u, cb, &last->frame))
		return false;
	const uint64_t pc = last->frame.pc;
	last->valid = step_from(u, cb, &last->frame, step);
	last->frame.pc = pc;
	last->id = (struct gdb_frame_id){ step->function, step->cfa };
	if (last->valid)
		frame_chain_answer(u, &step->caller);
	return last->valid;
}

bool unwind_frame_just_answered(struct unwinder *u)
{
	return u->answered.valid && unwinder_clock() - u->chain.asked_at < CHAIN_SOON;
}

bool unwind_frame_id(struct unwinder *u, struct gdb_unwind_callbacks *cb, struct gdb_frame_id *id)
{
	const struct unwound_frame *last = &u->answered;
	struct cairn_registers frame;

	if (!last->valid || !identify_frame(u, cb, &frame))
		return false;
	registers_read_stack(cb, &frame);
	if (!registers_same_stack(&frame, &last->frame))
		return false;
	*id = last->id;
	return true;
}
