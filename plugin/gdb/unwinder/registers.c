/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes frame registers through GDB's unwind callbacks, by DWARF number, and identifies
 * the machine that GDB debugs.
 */
#include "registers.h"

#include "unwinder.h"

#include <stdlib.h>

enum {
	WORD = 8,
	/*
	 * register number whose size is probed: a vector register on amd64 and s390x, a general
	 * register elsewhere
	 */
	PROBE = 17,
	PROBE_FLOAT = 16,
};

/*
 * DWARF numbers of the pc, sp, fp and link register. The general registers are numbered from 0 to
 * `general` - 1.
 */
struct layout {
	int general, pc, sp, fp;
	int link;               /* -1 on machines without a link register */
	uint64_t volatile_ones; /* mask of registers that calls do not preserve */
};

static const struct layout *find_layout(enum cairn_machine machine)
{
	/* volatile registers: rax, rdx, rcx, rsi, rdi and r8 to r11; x0 to x17; none on s390x */
	static const struct layout amd64 = { 16, 16, 7, 6, -1, 0x0f37 };
	static const struct layout aarch64 = { 32, 32, 31, 29, 30, 0x3ffff };
	static const struct layout s390x = { 16, 65, 15, 11, 14, 0 };

	if (machine == CAIRN_MACHINE_AMD64)
		return &amd64;
	return machine == CAIRN_MACHINE_AARCH64 ? &aarch64 : &s390x;
}

static int get_register_size(struct gdb_unwind_callbacks *cb, int number)
{
	struct gdb_reg_value *value = cb->reg_get(cb, number);
	int size = value->size;

	value->free(value);
	return size;
}

/*
 * Return true if the register sizes are compatible with this machine.
 *
 * Register 16 is the pc on amd64, but a floating-point register, or the vector register around it,
 * on s390x. The module at the pc later shows whether the machine really is amd64. The vector
 * registers of amd64 are not checked, because GDB fails to read them if the user limits the size of
 * values (max-value-size).
 */
static bool registers_could_be(struct gdb_unwind_callbacks *cb, enum cairn_machine machine)
{
	if (get_register_size(cb, 0) != WORD)
		return false;
	if (machine == CAIRN_MACHINE_AMD64)
		return get_register_size(cb, PROBE_FLOAT) == WORD;
	return (get_register_size(cb, PROBE) == WORD) == (machine == CAIRN_MACHINE_AARCH64);
}

uint64_t registers_load_word(const unsigned char bytes[WORD], bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < WORD; i++)
		value = value << 8 | bytes[big ? i : WORD - 1 - i];
	return value;
}

static void store_word(unsigned char *bytes, bool big, uint64_t value)
{
	for (unsigned i = 0; i < WORD; i++, value >>= 8)
		bytes[big ? WORD - 1 - i : i] = (unsigned char)value;
}

static bool get_register(struct gdb_unwind_callbacks *cb, int number, bool big, uint64_t *word)
{
	struct gdb_reg_value *value = cb->reg_get(cb, number);
	bool known = value->defined && value->size == WORD;

	if (known)
		*word = registers_load_word(value->value, big);
	value->free(value);
	return known;
}

bool registers_read_pc(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers)
{
	return get_register(cb, find_layout(registers->machine)->pc, registers->big_endian,
	                    &registers->pc);
}

static void read_register(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers,
                          int number)
{
	uint64_t bit = number < 0 ? 0 : (uint64_t)1 << number;

	if (bit && !(registers->known & bit) &&
	    get_register(cb, number, registers->big_endian, &registers->value[number]))
		registers->known |= bit;
}

void registers_read_stack(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers)
{
	const struct layout *layout = find_layout(registers->machine);

	read_register(cb, registers, layout->sp);
	read_register(cb, registers, layout->link);
}

void registers_read_base(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers,
                         const struct cairn_register_rule *place)
{
	int fp = find_layout(registers->machine)->fp;

	if (place->base == fp)
		read_register(cb, registers, fp);
}

bool registers_same_stack(const struct cairn_registers *frame, const struct cairn_registers *other)
{
	int sp = find_layout(frame->machine)->sp;

	return frame->machine == other->machine && frame->big_endian == other->big_endian &&
	       frame->pc == other->pc && (frame->known & other->known) >> sp & 1 &&
	       frame->value[sp] == other->value[sp];
}

void registers_read(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers)
{
	const struct layout *layout = find_layout(registers->machine);

	for (int i = 0; i < layout->general; i++)
		read_register(cb, registers, i);
}

void registers_pass_through(const struct cairn_registers *frame, struct cairn_registers *caller)
{
	uint64_t missing =
		find_layout(frame->machine)->volatile_ones & frame->known & ~caller->known;

	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if (missing >> i & 1)
			caller->value[i] = frame->value[i];
	caller->known |= missing;
}

static void free_register_value(struct gdb_reg_value *value)
{
	free(value);
}

/*
 * Set a register. GDB copies the bytes immediately and then calls `free`, which must not be NULL.
 */
static void set_register(struct gdb_unwind_callbacks *cb, int number, bool big, uint64_t word)
{
	struct gdb_reg_value *value = calloc(1, sizeof(*value) + WORD);

	if (!value)
		return;
	value->size = WORD;
	value->defined = 1;
	value->free = free_register_value;
	store_word(value->value, big, word);
	cb->reg_set(cb, number, value);
}

void registers_write(struct gdb_unwind_callbacks *cb, const struct cairn_registers *registers,
                     bool with_pc)
{
	const struct layout *layout = find_layout(registers->machine);
	bool big = registers->big_endian;

	if (with_pc)
		set_register(cb, layout->pc, big, registers->pc);
	for (int i = 0; i < layout->general; i++)
		if (registers->known >> i & 1)
			set_register(cb, i, big, registers->value[i]);
}

/*
 * Identifies the machine that GDB debugs, and the pc of the queried frame.
 *
 * The machine can be determined only from register sizes, and to get a size GDB must unwind the
 * register's value through all inner frames. Once a machine has been recognized, it is therefore
 * assumed as long as the module that contains unwinder.home is still loaded. Unrecognized targets
 * are checked less and less often.
 */

enum {
	UNRECOGNIZED_ALL = 8, /* number of unrecognized frames to check before any are skipped */
	/* after UNRECOGNIZED_ALL frames, check only one in this many; must be a power of two */
	UNRECOGNIZED_STEP = 1024,
	/* check an unrecognized target again after this many nanoseconds without a query */
	PAUSE = 100000000,
};

/* Return true if the address lies in a module built for the frame's machine. */
static bool is_in_module(struct unwinder *u, const struct cairn_registers *frame, uint64_t address)
{
	struct cairn_module module;

	return cairn_space_module(u->space, address, &module) == CAIRN_OK &&
	       module.machine == frame->machine && module.big_endian == frame->big_endian;
}

/*
 * Identify the machine by its pc register. The number of that register is safe to read on every
 * machine whose register sizes match.
 */
static bool identify_by_pc(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                           enum cairn_machine machine, bool big, struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = machine, .big_endian = big };
	return registers_could_be(cb, machine) && registers_read_pc(cb, frame) &&
	       is_in_module(u, frame, frame->pc);
}

/*
 * Return true if the pc is at an aarch64 signal trampoline. The trampoline may lie outside all
 * modules, because some kernels and emulators map it as a separate page. The byte order is assumed
 * to be the previous frame's.
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
 * Identify s390x. Its register sizes are the same as amd64's, but the register number of its pc
 * does not exist on amd64. Therefore read the pc only after a general register, usually the return
 * address, has been found to point into an s390x module.
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
 * Identify the frame of a call through a null or garbage pointer. Its pc is in no module, but the
 * return address of the call is in one.
 */
static bool identify_by_call(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                             enum cairn_machine machine, bool big, struct cairn_registers *frame)
{
	enum { AMD64_SP = 7, AARCH64_LINK = 30 };
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
 * Return true if it is time to check an unrecognized target again. The pause is measured from the
 * end of the last check, because the check itself may take long.
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
 * Check an unrecognized target if a check is due. Otherwise, if the register sizes match only
 * amd64, read only the pc, which is safe and cheap because GDB has it for every frame.
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
	/* keep the previous frame's machine while the module that contains `home` is loaded */
	const bool same = u->machine != CAIRN_MACHINE_NONE && is_in_module(u, frame, u->home);

	if (same &&
	    (!registers_read_pc(cb, frame) || !(u->jit_code || is_in_module(u, frame, frame->pc) ||
	                                        is_at_aarch64_trampoline(u, frame))))
		return false;
	if (!same && !probe_when_due(u, cb, frame))
		return false;
	u->machine = frame->machine;
	u->big_endian = frame->big_endian;
	u->unrecognized_frames = 0;
	/*
	 * Each query checks the modules that contain `home` and the pc. Keep the lowest pc as
	 * `home`: it is usually in the program, like most other pcs, so only one module is checked.
	 */
	if ((!same || frame->pc < u->home) && is_in_module(u, frame, frame->pc))
		u->home = frame->pc;
	return true;
}
