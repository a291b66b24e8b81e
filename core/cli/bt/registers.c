/* SPDX-License-Identifier: MIT */
/* The registers that a thread stopped with, by their names, as text and as JSON. */
#include "bt.h"

#include <inttypes.h>
#include <stdio.h>

enum { PER_LINE = 4, NAME_SIZE = 8 };

static const char *const amd64[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp" };
static const char *const i386[] = { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi" };
static const char *const riscv64[] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
	                               "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	                               "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
	                               "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6" };

/* Register number `index` of DWARF; false for those that hold no addresses or counts. */
static bool name_register(enum cairn_machine machine, unsigned index, char name[NAME_SIZE])
{
	unsigned count = 16;
	const char *prefix = "r", *text = NULL;

	switch (machine) {
	case CAIRN_MACHINE_AMD64:
	case CAIRN_MACHINE_X32:
		text = index < COUNT(amd64) ? amd64[index] : NULL;
		break;
	case CAIRN_MACHINE_I386:
		count = COUNT(i386);
		text = index < count ? i386[index] : NULL;
		break;
	case CAIRN_MACHINE_AARCH64:
		count = 32;
		prefix = "x";
		text = index == 31 ? "sp" : NULL;
		break;
	case CAIRN_MACHINE_ARM:
		count = 15; /* the next one is pc */
		text = index == 13 ? "sp" : index == 14 ? "lr" : NULL;
		break;
	case CAIRN_MACHINE_S390X:
	case CAIRN_MACHINE_S390:
		break;
	case CAIRN_MACHINE_PPC64:
	case CAIRN_MACHINE_PPC:
		count = 33;
		text = index == 32 ? "lr" : NULL;
		break;
	case CAIRN_MACHINE_RISCV64:
		count = COUNT(riscv64);
		text = index < count ? riscv64[index] : NULL;
		break;
	case CAIRN_MACHINE_NONE:
		return false;
	}
	if (text)
		snprintf(name, NAME_SIZE, "%s", text);
	else
		snprintf(name, NAME_SIZE, "%s%u", prefix, index);
	return index < count;
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

void bt_print_registers(const struct cairn_registers *registers)
{
	char name[NAME_SIZE];
	unsigned printed = 0;

	if (registers->machine == CAIRN_MACHINE_NONE)
		return;
	for (unsigned i = 0; find_register(registers, &i, name); i++)
		printf("  %3s 0x%016" PRIx64 "%s", name, registers->value[i],
		       ++printed % PER_LINE == 0 ? "\n" : "");
	printf("  %3s 0x%016" PRIx64 "\n", name_pc(registers->machine), registers->pc);
}

void bt_print_register_keys(struct json *json, const struct cairn_registers *registers)
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
