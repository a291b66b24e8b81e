/* SPDX-License-Identifier: MIT */
/*
 * Which machine GDB debugs, and the pc of the frame that it asks about.
 *
 * What shows the machine are the sizes of registers, and GDB cannot tell those without fetching the
 * values through all inner frames.  So a machine that was recognised is believed as long as the
 * module is still there in which the last frame was; and targets that are not recognised, because
 * they are of another kind, are looked at ever less often.
 */
#include "registers.h"
#include "unwinder.h"

enum {
	UNRECOGNIZED_ALL = 8,     /* frames that are not recognised before some are left out */
	UNRECOGNIZED_STEP = 1024, /* then each of so many is looked at: a power of two */
	PAUSE = 100000000,        /* ns without a question: GDB does something else now */
};

/* Does the address lie in a module of the frame's machine? */
static bool is_in_module(struct unwinder *u, const struct cairn_registers *frame, uint64_t address)
{
	struct cairn_module module;

	return cairn_space_module(u->space, address, &module) == CAIRN_OK &&
	       module.machine == frame->machine && module.big_endian == frame->big_endian;
}

/* By the pc, which these machines number so that asking for it is safe. */
static bool identify_by_pc(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                           enum cairn_machine machine, bool big, struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = machine, .big_endian = big };
	return registers_could_be(cb, machine) && registers_read_pc(cb, frame) &&
	       is_in_module(u, frame, frame->pc);
}

/*
 * A trampoline outside all modules: some kernels and emulators keep it in a page of its own.  Its
 * instructions say aarch64; the byte order is that of the frame before.
 */
static bool is_at_aarch64_trampoline(struct unwinder *u, const struct cairn_registers *frame)
{
	uint64_t start;

	return frame->machine == CAIRN_MACHINE_AARCH64 &&
	       cairn_find_signal_trampoline(u->space, frame, &start);
}

static bool identify_by_trampoline(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                                   struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_AARCH64,
		                           .big_endian = u->big_endian };
	return u->machine == CAIRN_MACHINE_AARCH64 &&
	       registers_could_be(cb, CAIRN_MACHINE_AARCH64) && registers_read_pc(cb, frame) &&
	       is_at_aarch64_trampoline(u, frame);
}

/*
 * s390x has the register sizes of amd64, and its pc a number that amd64 has not: some general
 * register, mostly the one for return addresses, must point into a module of s390x first.
 */
static bool identify_by_registers(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                                  struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_S390X, .big_endian = true };
	if (u->machine == CAIRN_MACHINE_AMD64 || !registers_could_be(cb, CAIRN_MACHINE_S390X))
		return false;
	registers_read(cb, frame);
	for (unsigned i = 16; i-- > 0;)
		if ((frame->known >> i & 1) && is_in_module(u, frame, frame->value[i]))
			return registers_read_pc(cb, frame);
	return false;
}

/*
 * The frame of a call through a null or garbage pointer: its pc is in no module, and the address that
 * the call left behind is.
 */
static bool identify_by_call(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                             enum cairn_machine machine, bool big, struct cairn_registers *frame)
{
	enum { AMD64_SP = 7, AARCH64_LINK = 30, WORD = 8 };
	uint8_t bytes[WORD];
	uint64_t back = 0;

	*frame = (struct cairn_registers){ .machine = machine, .big_endian = big };
	if (!registers_could_be(cb, machine))
		return false;
	registers_read(cb, frame);
	if (machine == CAIRN_MACHINE_AARCH64) {
		back = frame->value[AARCH64_LINK];
	} else if (frame->known >> AMD64_SP & 1 &&
	           u->target_read(frame->value[AMD64_SP], bytes, WORD) == GDB_SUCCESS) {
		back = registers_load_word(bytes, false);
	}
	return is_in_module(u, frame, back - 1) && registers_read_pc(cb, frame);
}

bool identify_frame_after_call(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame)
{
	return identify_by_call(u, cb, CAIRN_MACHINE_AMD64, false, frame) ||
	       identify_by_call(u, cb, CAIRN_MACHINE_AARCH64, false, frame) ||
	       identify_by_call(u, cb, CAIRN_MACHINE_AARCH64, true, frame);
}

/*
 * Is it worth while to look at the registers of a target that was not recognised so far?  GDB's own
 * time between two questions counts, not ours, which may be long.
 */
static bool is_due(struct unwinder *u)
{
	if (unwinder_clock() - u->asked_at >= PAUSE)
		u->unrecognized_frames = 0;
	u->unrecognized_frames++;
	return u->unrecognized_frames <= UNRECOGNIZED_ALL ||
	       u->unrecognized_frames % UNRECOGNIZED_STEP == 0;
}

/*
 * Where the sizes of registers allow no machine but amd64, asking for the pc is safe and cheap: GDB
 * knows it of every frame.
 */
static bool probe_when_due(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                           struct cairn_registers *frame)
{
	bool found;

	if (is_due(u)) {
		found = identify_by_pc(u, cb, CAIRN_MACHINE_AMD64, false, frame) ||
		        identify_by_pc(u, cb, CAIRN_MACHINE_AARCH64, false, frame) ||
		        identify_by_pc(u, cb, CAIRN_MACHINE_AARCH64, true, frame) ||
		        identify_by_trampoline(u, cb, frame) || identify_by_registers(u, cb, frame);
		u->like_amd64 = !found && registers_could_be(cb, CAIRN_MACHINE_AMD64);
	} else {
		*frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64 };
		found = u->like_amd64 && registers_read_pc(cb, frame) &&
		        is_in_module(u, frame, frame->pc);
	}
	u->asked_at = unwinder_clock();
	return found;
}

bool identify_frame(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                    struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = u->machine, .big_endian = u->big_endian };
	/* is it the machine of the frame before, whose module is still there? */
	const bool same = u->machine != CAIRN_MACHINE_NONE && is_in_module(u, frame, u->home);

	if (same &&
	    (!registers_read_pc(cb, frame) || !(u->made_code || is_in_module(u, frame, frame->pc) ||
	                                        is_at_aarch64_trampoline(u, frame))))
		return false;
	if (!same && !probe_when_due(u, cb, frame))
		return false;
	u->machine = frame->machine;
	u->big_endian = frame->big_endian;
	u->unrecognized_frames = 0;
	/* both modules are looked at in each question: mostly they are one, that of the program */
	if ((!same || frame->pc < u->home) && is_in_module(u, frame, frame->pc))
		u->home = frame->pc;
	return true;
}
