/* SPDX-License-Identifier: MIT */
/* Looks for the message of an aborted program in the C library's module, or in a static program. */
#include "bt.h"

#include "engine/snapshot/abort_message.h"

#include <string.h>

enum {
	SIGNAL_ABORT = 6,
	STATIC_MODULES = 2, /* of a static program: itself and the vDSO */
};

static bool is_libc(struct cairn_bytes path)
{
	static const char name[] = "/libc.so.6";
	const size_t length = sizeof(name) - 1;

	return path.size >= length && memcmp(path.data + path.size - length, name, length) == 0;
}

static bool find_in_module(struct bt *bt, size_t index, const char *section, uint64_t *variable)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	struct cairn_fault fault;
	struct elf elf;
	uint64_t va;

	bt_find_file(bt, index);
	if (!module->has_bias || module->file.size == 0 ||
	    elf_open(module->file, &elf, &fault) != CAIRN_OK ||
	    !abort_message_find_variable(&elf, section, bt->snapshot.word, &va))
		return false;
	*variable = va + module->bias;
	return true;
}

struct cairn_bytes bt_find_abort_message(struct bt *bt, uint8_t text[ABORT_MESSAGE_MAX])
{
	const struct snapshot *snapshot = &bt->snapshot;
	const struct cairn_bytes none = { text, 0 };
	uint64_t variable;

	if (snapshot->crash.signal != SIGNAL_ABORT)
		return none;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (is_libc(snapshot->modules[i].path) &&
		    find_in_module(bt, i, ".dynsym", &variable))
			return abort_message_read(snapshot, variable, text);
	for (size_t i = 0; snapshot->module_count <= STATIC_MODULES && i < snapshot->module_count;
	     i++)
		if (find_in_module(bt, i, ".symtab", &variable))
			return abort_message_read(snapshot, variable, text);
	return none;
}
