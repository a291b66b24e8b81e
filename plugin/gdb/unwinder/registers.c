/* SPDX-License-Identifier: MIT */
/* Reads and writes frame registers through GDB's unwind callbacks, by DWARF number. */
#include "registers.h"

#include <stdlib.h>

enum {
	WORD = 8,
	PROBE = 17, /* a vector register on amd64 and s390x, a general register elsewhere */
	PROBE_FLOAT = 16,
};

/*
 * DWARF numbers of the pc, sp, fp and link register; the general registers are 0 to `general` - 1.
 */
struct layout {
	int general, pc, sp, fp;
	int link;               /* -1 on machines without a link register */
	uint64_t volatile_ones; /* registers that any call may change */
};

static const struct layout *find_layout(enum cairn_machine machine)
{
	/* rax, rdx, rcx, rsi, rdi, r8 to r11; x0 to x17 */
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
 * On amd64, number 16 is the pc; on s390x it is a floating-point register or the vector around it.
 * The module at the pc shows whether it really is amd64's. The vector registers of amd64 are not
 * checked, because GDB fails to read them if the user limits the size of values (max-value-size).
 */
bool registers_could_be(struct gdb_unwind_callbacks *cb, enum cairn_machine machine)
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

/* Set a register. GDB copies the bytes at once and calls `free`, which must not be NULL. */
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
