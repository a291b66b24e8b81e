/* SPDX-License-Identifier: MIT */
#include "registers.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	AMD64_PC = 16,
	AMD64_GENERAL = 16, /* 0 to 15 */
	AARCH64_PC = 32,
	AARCH64_GENERAL = 32, /* x0 to x30, and sp */
	PROBE = 17,           /* a vector register on amd64, a general one on others */
};

/* The size of a register in bytes. */
static int size_of(struct gdb_unwind_callbacks *cb, int number)
{
	struct gdb_reg_value *value = cb->reg_get(cb, number);
	int size = value->size;

	value->free(value);
	return size;
}

enum cairn_machine registers_guess(struct gdb_unwind_callbacks *cb)
{
	if (size_of(cb, 0) != WORD)
		return CAIRN_MACHINE_NONE;
	if (size_of(cb, PROBE) == WORD)
		return CAIRN_MACHINE_AARCH64;
	return size_of(cb, AMD64_PC) == WORD ? CAIRN_MACHINE_AMD64 : CAIRN_MACHINE_NONE;
}

static uint64_t load(const unsigned char *bytes, bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < WORD; i++)
		value = value << 8 | bytes[big ? i : WORD - 1 - i];
	return value;
}

static void store(unsigned char *bytes, bool big, uint64_t value)
{
	for (unsigned i = 0; i < WORD; i++, value >>= 8)
		bytes[big ? WORD - 1 - i : i] = (unsigned char)value;
}

static bool get(struct gdb_unwind_callbacks *cb, int number, bool big, uint64_t *word)
{
	struct gdb_reg_value *value = cb->reg_get(cb, number);
	bool known = value->defined && value->size == WORD;

	if (known)
		*word = load(value->value, big);
	value->free(value);
	return known;
}

static int pc_number(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? AMD64_PC : AARCH64_PC;
}

static int general_count(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? AMD64_GENERAL : AARCH64_GENERAL;
}

bool registers_read_pc(struct gdb_unwind_callbacks *cb, enum cairn_machine machine, bool big,
                       uint64_t *pc)
{
	return get(cb, pc_number(machine), big, pc);
}

void registers_read(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers)
{
	registers->known = 0;
	for (int i = 0; i < general_count(registers->machine); i++)
		if (get(cb, i, registers->big_endian, &registers->value[i]))
			registers->known |= (uint64_t)1 << i;
}

static void release(struct gdb_reg_value *value)
{
	free(value);
}

/* GDB copies the bytes at once and calls `free`, which must not be NULL. */
static void set(struct gdb_unwind_callbacks *cb, int number, bool big, uint64_t word)
{
	struct gdb_reg_value *value = calloc(1, sizeof(*value) + WORD);

	if (!value)
		return;
	value->size = WORD;
	value->defined = 1;
	value->free = release;
	store(value->value, big, word);
	cb->reg_set(cb, number, value);
}

void registers_write(struct gdb_unwind_callbacks *cb, const struct cairn_registers *registers)
{
	bool big = registers->big_endian;

	set(cb, pc_number(registers->machine), big, registers->pc);
	for (int i = 0; i < general_count(registers->machine); i++)
		if (registers->known >> i & 1)
			set(cb, i, big, registers->value[i]);
}
