/* SPDX-License-Identifier: MIT */
/*
 * cairn in GDB: a JIT reader that unwinds by SFrame.
 *
 * GDB asks every JIT reader for every frame, before its own unwinders, whether or not a program
 * registers generated code.  We answer where a module has SFrame and no call frame information
 * for the pc; everything else is declined, and GDB goes on as if we were not there.
 *
 * Ctrl-C leaves our frames as a C++ exception out of any callback: this file and all of the
 * engine are compiled with unwind tables, hold nothing across a callback that is not reachable
 * from `self`, and never abort.
 */
#include "registers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

GDB_DECLARE_GPL_COMPATIBLE_READER

enum policy {
	POLICY_AUTO,   /* only where GDB has no call frame information */
	POLICY_ALWAYS, /* wherever there is SFrame */
	POLICY_OFF,
};

struct reader {
	struct cairn_space *space;
	gdb_target_read *target_read; /* of the call in progress */
	enum policy policy;
};

static struct reader self;

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct reader *reader = context;

	if (size > INT_MAX)
		return CAIRN_UNREADABLE;
	return reader->target_read(address, buffer, (int)size) == GDB_SUCCESS ? CAIRN_OK
	                                                                      : CAIRN_UNREADABLE;
}

/* Is there a module at the pc of the machine that we guessed? */
static bool settle(struct reader *r, struct cairn_registers *frame)
{
	struct cairn_module module;

	return cairn_space_module(r->space, frame->pc, &module) == CAIRN_OK &&
	       module.machine == frame->machine && module.big_endian == frame->big_endian;
}

/* The machine and the pc, in the byte order in which it lies in a module of ours. */
static bool identify(struct reader *r, struct gdb_unwind_callbacks *cb,
                     struct cairn_registers *frame)
{
	frame->machine = registers_guess(cb);
	if (frame->machine == CAIRN_MACHINE_NONE)
		return false;
	frame->big_endian = false;
	if (!registers_read_pc(cb, frame->machine, false, &frame->pc))
		return false;
	if (settle(r, frame))
		return true;
	frame->big_endian = frame->machine == CAIRN_MACHINE_AARCH64;
	return frame->big_endian && registers_read_pc(cb, frame->machine, true, &frame->pc) &&
	       settle(r, frame);
}

/*
 * The frame's answer, the same for unwind and get_frame_id.  The outermost frame has one too: GDB
 * up to 15 gives up the whole command when the pc of a caller is missing, so its caller is at 0.
 */
static bool answer(struct reader *r, struct gdb_unwind_callbacks *cb, struct cairn_step *step)
{
	struct cairn_registers frame = { .known = 0 };

	r->target_read = cb->target_read;
	if (r->policy == POLICY_OFF || !identify(r, cb, &frame))
		return false;
	registers_read(cb, &frame);
	enum cairn_frame_kind kind = cairn_guess_frame_kind(r->space, &frame);
	const struct cairn_frame asked = { kind, frame.pc, 1 };
	if (r->policy == POLICY_AUTO &&
	    cairn_space_has_cfi(r->space, cairn_frame_lookup_address(&asked)))
		return false;
	if (cairn_unwind(r->space, &frame, kind, step))
		return true;
	if (step->stop == CAIRN_STOP_OUTERMOST)
		step->caller = (struct cairn_registers){ .machine = frame.machine,
			                                 .big_endian = frame.big_endian };
	return step->stop == CAIRN_STOP_OUTERMOST || step->stop == CAIRN_STOP_RA_IMPLAUSIBLE;
}

static enum gdb_status unwind(struct gdb_reader_funcs *funcs, struct gdb_unwind_callbacks *cb)
{
	struct cairn_step step;

	if (!answer(funcs->priv_data, cb, &step))
		return GDB_FAIL;
	registers_write(cb, &step.caller);
	return GDB_SUCCESS;
}

static struct gdb_frame_id get_frame_id(struct gdb_reader_funcs *funcs,
                                        struct gdb_unwind_callbacks *cb)
{
	struct cairn_step step;

	if (!answer(funcs->priv_data, cb, &step))
		return (struct gdb_frame_id){ 0, 0 };
	return (struct gdb_frame_id){ step.function, step.cfa };
}

/* Registered code is left to GDB, which reads ELF objects itself. */
static enum gdb_status read_debug_info(struct gdb_reader_funcs *funcs,
                                       struct gdb_symbol_callbacks *cb, void *memory, long size)
{
	(void)funcs;
	(void)cb;
	(void)memory;
	(void)size;
	return GDB_FAIL;
}

static void destroy(struct gdb_reader_funcs *funcs)
{
	struct reader *r = funcs->priv_data;

	cairn_space_free(r->space);
	r->space = NULL;
}

static enum policy chosen_policy(void)
{
	const char *word = getenv("CAIRN_UNWINDER");

	if (word && strcmp(word, "always") == 0)
		return POLICY_ALWAYS;
	if (word && strcmp(word, "off") == 0)
		return POLICY_OFF;
	return POLICY_AUTO;
}

struct gdb_reader_funcs *gdb_init_reader(void)
{
	static struct gdb_reader_funcs funcs = {
		.reader_version = GDB_READER_INTERFACE_VERSION,
		.priv_data = &self,
		.read = read_debug_info,
		.unwind = unwind,
		.get_frame_id = get_frame_id,
		.destroy = destroy,
	};
	const struct cairn_target target = { read_memory, &self };

	self.space = cairn_space_new(&target);
	self.policy = self.space ? chosen_policy() : POLICY_OFF; /* NULL would kill GDB */
	return &funcs;
}
