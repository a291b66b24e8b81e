/* SPDX-License-Identifier: MIT */
/* The table of machines. */
#include "base/machines/machines.h"

#include "bytes.h"

static const struct arch *const machines[] = {
	[CAIRN_MACHINE_AMD64] = &arch_amd64, [CAIRN_MACHINE_AARCH64] = &arch_aarch64,
	[CAIRN_MACHINE_S390X] = &arch_s390x, [CAIRN_MACHINE_I386] = &arch_i386,
	[CAIRN_MACHINE_ARM] = &arch_arm,     [CAIRN_MACHINE_PPC64] = &arch_ppc64,
	[CAIRN_MACHINE_X32] = &arch_x32,     [CAIRN_MACHINE_RISCV64] = &arch_riscv64,
	[CAIRN_MACHINE_S390] = &arch_s390,   [CAIRN_MACHINE_PPC] = &arch_ppc,
};

_Static_assert(sizeof(machines) / sizeof(machines[0]) == ARCH_MACHINES, "each has a row");

const struct arch *arch_of(enum cairn_machine machine)
{
	return (unsigned)machine < ARCH_MACHINES ? machines[machine] : NULL;
}

enum cairn_machine machine_of_elf(uint16_t elf, bool wide)
{
	for (unsigned i = 1; i < ARCH_MACHINES; i++)
		if (machines[i]->elf == elf && (machines[i]->address == 8) == wide)
			return (enum cairn_machine)i;
	return CAIRN_MACHINE_NONE;
}

/* Parse a register that is named by its prefix and number. */
static bool parse_register(const struct register_names *names, struct cairn_bytes name,
                           unsigned *number)
{
	*number = 0;
	if (name.size < 2 || name.size > 3 || name.data[0] != (uint8_t)names->prefix ||
	    (name.data[1] == '0' && name.size > 2))
		return false;
	for (size_t i = 1; i < name.size; i++) {
		if (name.data[i] < '0' || name.data[i] > '9')
			return false;
		*number = 10 * *number + (name.data[i] - '0');
	}
	return *number < names->count && !names->name[*number];
}

bool register_find(const struct arch *arch, struct cairn_bytes name, unsigned *number)
{
	for (*number = 0; *number < arch->names.count; ++*number)
		if (arch->names.name[*number] && bytes_are(name, arch->names.name[*number]))
			return true;
	if (arch->pc != ARCH_PC && bytes_are(name, arch->names.pc)) {
		*number = arch->pc;
		return true;
	}
	for (size_t i = 0; i < arch->alias_count; i++)
		if (bytes_are(name, arch->aliases[i].name)) {
			*number = arch->aliases[i].number;
			return true;
		}
	return parse_register(&arch->names, name, number);
}
