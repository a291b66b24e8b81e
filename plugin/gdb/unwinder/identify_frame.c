/* SPDX-License-Identifier: MIT */
/*
 * Identifies the machine that GDB debugs, and the pc of the frame that GDB asks about.
 *
 * Only register sizes reveal the machine, and GDB cannot tell those without fetching the values
 * through all inner frames. A recognized machine is therefore assumed as long as the module of the
 * last frame is still loaded. Targets of other kinds, which are never recognized, are checked less
 * and less often.
 */
#include "registers.h"
#include "unwinder.h"

enum {
	UNRECOGNIZED_ALL = 8, /* unrecognized frames before some are skipped */
	/* afterwards, one frame in this many is checked; a power of two */
	UNRECOGNIZED_STEP = 1024,
	PAUSE = 100000000, /* ns without a query, after which GDB is doing something else */
};

/* Return true if the address lies in a module of the frame's machine. */
static bool is_in_module(struct unwinder *u, const struct cairn_registers *frame, uint64_t address)
{
	struct cairn_module module;

	return cairn_space_module(u->space, address, &module) == CAIRN_OK &&
	       module.machine == frame->machine && module.big_endian == frame->big_endian;
}

/* Identify a machine by its pc, whose register number is safe to read on these machines. */
static bool identify_by_pc(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                           enum cairn_machine machine, bool big, struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = machine, .big_endian = big };
	return registers_could_be(cb, machine) && registers_read_pc(cb, frame) &&
	       is_in_module(u, frame, frame->pc);
}

/*
 * Return true if the pc is at an aarch64 signal trampoline outside of all modules; some kernels and
 * emulators put it in a page of its own. The byte order is the one of the previous frame.
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
 * Identify s390x. It has the register sizes of amd64, and its pc has a number that amd64 lacks. So
 * the pc is only read after some general register, usually the return address register, was found
 * to point into an s390x module.
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
 * Identify the frame of a call through a null or garbage pointer: its pc is in no module, but the
 * return address of the call is.
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
 * Return true if it is time to check the registers of an unrecognized target. The pause is measured
 * from the end of the last check, so that cairn's own time, which may be long, does not count.
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
 * Check an unrecognized target if that is due. Otherwise, if register sizes allow only amd64, just
 * read the pc, which is safe, and cheap because GDB knows it for every frame.
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
	/* the machine of the previous frame is assumed while the module of that frame is loaded */
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
	/*
	 * Each query checks the modules of `home` and of the pc. The lowest pc is kept as `home`,
	 * because it is usually in the program, so that often a single module is checked.
	 */
	if ((!same || frame->pc < u->home) && is_in_module(u, frame, frame->pc))
		u->home = frame->pc;
	return true;
}
