/* SPDX-License-Identifier: MIT */
/* Prints the registers that a thread stopped with, by their names, as text and as JSON. */
#include "print.h"

#include "base/machine.h"

#include <inttypes.h>

enum { PER_LINE = 4, NAME_SIZE = 8 };

/* Names that are not the prefix and the number. */
static const char *const amd64[16] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp" };
static const char *const i386[8] = { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi" };
static const char *const aarch64[32] = { [31] = "sp" };
static const char *const arm[15] = { [13] = "sp", [14] = "lr" }; /* the next one is pc */
static const char *const s390[16] = { NULL };
static const char *const power[33] = { [32] = "lr" };
static const char *const riscv64[32] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
	                                 "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	                                 "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
	                                 "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6" };

#define NAMES(array) array, sizeof(array) / sizeof((array)[0])

static const struct {
	const char *const *names;
	unsigned count;
	char prefix;
} machines[] = {
	[CAIRN_MACHINE_AMD64] = { NAMES(amd64), 'r' },
	[CAIRN_MACHINE_X32] = { NAMES(amd64), 'r' },
	[CAIRN_MACHINE_I386] = { NAMES(i386), 'r' },
	[CAIRN_MACHINE_AARCH64] = { NAMES(aarch64), 'x' },
	[CAIRN_MACHINE_ARM] = { NAMES(arm), 'r' },
	[CAIRN_MACHINE_S390X] = { NAMES(s390), 'r' },
	[CAIRN_MACHINE_S390] = { NAMES(s390), 'r' },
	[CAIRN_MACHINE_PPC64] = { NAMES(power), 'r' },
	[CAIRN_MACHINE_PPC] = { NAMES(power), 'r' },
	[CAIRN_MACHINE_RISCV64] = { NAMES(riscv64), 'r' },
};

_Static_assert(sizeof(machines) / sizeof(machines[0]) == ARCH_MACHINES, "each has a row");

/* Register number `index` of DWARF; false for those that hold no addresses or counts. */
static bool name_register(enum cairn_machine machine, unsigned index, char name[NAME_SIZE])
{
	if ((unsigned)machine >= ARCH_MACHINES || index >= machines[machine].count)
		return false;
	if (machines[machine].names[index])
		snprintf(name, NAME_SIZE, "%s", machines[machine].names[index]);
	else
		snprintf(name, NAME_SIZE, "%c%u", machines[machine].prefix, index);
	return true;
}

static const char *name_pc(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 || machine == CAIRN_MACHINE_X32 ? "rip"
	       : machine == CAIRN_MACHINE_I386                                ? "eip"
	                                                                      : "pc";
}

/* The first known register from number *index on; false after the last one. */
static bool find_register(const struct cairn_registers *registers, unsigned *index,
                          char name[NAME_SIZE])
{
	for (; *index < CAIRN_REGISTERS; ++*index)
		if ((registers->known >> *index & 1) &&
		    name_register(registers->machine, *index, name))
			return true;
	return false;
}

void record_print_registers(FILE *out, const struct cairn_registers *registers)
{
	char name[NAME_SIZE];
	unsigned printed = 0;

	if (registers->machine == CAIRN_MACHINE_NONE)
		return;
	for (unsigned i = 0; find_register(registers, &i, name); i++)
		fprintf(out, "  %3s 0x%016" PRIx64 "%s", name, registers->value[i],
		        ++printed % PER_LINE == 0 ? "\n" : "");
	fprintf(out, "  %3s 0x%016" PRIx64 "\n", name_pc(registers->machine), registers->pc);
}

void record_json_registers(struct json *json, const struct cairn_registers *registers)
{
	char name[NAME_SIZE];

	if (registers->machine == CAIRN_MACHINE_NONE)
		return;
	json_object(json, "registers");
	for (unsigned i = 0; find_register(registers, &i, name); i++)
		json_address(json, name, registers->value[i]);
	json_address(json, name_pc(registers->machine), registers->pc);
	json_end(json);
}
