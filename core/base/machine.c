/* SPDX-License-Identifier: MIT */
/* Looks up machines and their registers in the table of machines. */
#include "base/machines/machines.h"

#include "bytes.h"

#define MACHINE_ROW(number, name) [CAIRN_MACHINE_##number] = &arch_##name,

static const struct arch *const machines[] = { MACHINES(MACHINE_ROW) };

enum { ARCH_MACHINES = sizeof(machines) / sizeof(machines[0]) };

#define COUNT_MACHINE(number, name) +1
_Static_assert(MACHINES(COUNT_MACHINE) == ARCH_MACHINES - 1, "each number has a row");

const struct arch *arch_of(enum cairn_machine machine)
{
	return (unsigned)machine < ARCH_MACHINES ? machines[machine] : NULL;
}

enum cairn_machine machine_of_elf(uint16_t elf, bool wide)
{
	for (unsigned i = 1; i < ARCH_MACHINES; i++)
		if (machines[i] && machines[i]->elf == elf && (machines[i]->address == 8) == wide)
			return (enum cairn_machine)i;
	return CAIRN_MACHINE_NONE;
}

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
