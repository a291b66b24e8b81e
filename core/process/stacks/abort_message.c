/* SPDX-License-Identifier: MIT */
/* Finds the message of an aborted program in the C library, or in a static program. */
#include "stacks.h"

#include "base/bytes.h"
#include "process/running/process_snapshot.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	SIGNAL_ABORT = 6,
	/* Number of modules of a static program: itself and the vDSO. */
	STATIC_MODULES = 2,
	MESSAGE_SIZE = 4 + CAIRN_ABORT_MESSAGE,
};

static bool is_libc(struct cairn_bytes path)
{
	static const char name[] = "/libc.so.6";
	const size_t length = sizeof(name) - 1;

	return path.size >= length && memcmp(path.data + path.size - length, name, length) == 0;
}

static bool find_in_module(struct cairn_stacks *stacks, size_t index, const char *section,
                           uint64_t *variable)
{
	const struct snapshot_module *module = &stacks->snapshot.modules[index];
	struct elf elf;
	uint64_t va;

	stacks_find_file(stacks, index);
	if (!module->has_bias || module->file.size == 0 || !elf_opens(module->file, &elf) ||
	    !abort_message_find_variable(&elf, section, stacks->snapshot.word, &va))
		return false;
	*variable = va + module->bias;
	return true;
}

static bool find_variable(struct cairn_stacks *stacks, uint64_t *variable)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const bool fixed = snapshot->module_count <= STATIC_MODULES;

	for (size_t i = 0; i < snapshot->module_count; i++)
		if (is_libc(snapshot->modules[i].path))
			return find_in_module(stacks, i, ".dynsym", variable);
	for (size_t i = 0; fixed && i < snapshot->module_count; i++)
		if (find_in_module(stacks, i, ".symtab", variable))
			return true;
	return false;
}

size_t stacks_find_abort_message(struct cairn_stacks *stacks, struct cairn_range places[2])
{
	const struct snapshot *snapshot = &stacks->snapshot;
	uint64_t variable, message;
	uint8_t bytes[8];

	if (snapshot->crash.signal != SIGNAL_ABORT || snapshot->word != sizeof(bytes) ||
	    !find_variable(stacks, &variable) ||
	    !memory_read(&snapshot->memory, variable, bytes, sizeof(bytes)))
		return 0;
	places[0] = (struct cairn_range){ variable, variable + sizeof(bytes) };
	message = bytes_u64(bytes, snapshot->big_endian);
	if (message == 0 || message > UINT64_MAX - MESSAGE_SIZE)
		return 1;
	places[1] = (struct cairn_range){ message, message + MESSAGE_SIZE };
	return 2;
}

size_t cairn_stacks_abort_message(struct cairn_stacks *stacks, char text[CAIRN_ABORT_MESSAGE])
{
	/* Shallow copy with another memory; must not be closed. */
	struct snapshot snapshot = stacks->snapshot;
	uint64_t variable;

	if ((snapshot.kind != CAIRN_STACKS_PROCESS && snapshot.crash.signal != SIGNAL_ABORT) ||
	    !find_variable(stacks, &variable))
		return 0;
	if (snapshot.kind == CAIRN_STACKS_PROCESS)
		snapshot.memory = process_snapshot_now(&stacks->snapshot);
	return abort_message_read(&snapshot, variable, (uint8_t *)text).size;
}
