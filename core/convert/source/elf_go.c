/* SPDX-License-Identifier: MIT */
/* Functions of a Go program that DWARF does not have: those of the table that its runtime uses. */
#include "elf_source.h"

#include "messages.h"

#include "base/range.h"

#include <stdlib.h>

bool elf_go_open(struct function_source *origin)
{
	struct elf_source *elf = origin->elf;
	struct cairn_fault fault;
	enum cairn_status status = go_program_open(origin->file.bytes, &elf->go, &fault);

	elf->has_go = status == CAIRN_OK;
	if (status == CAIRN_OK || status == CAIRN_NOT_FOUND)
		return true;
	if (status == CAIRN_NO_MEMORY)
		error_set_memory(origin->error, origin->path);
	else
		message_tell_fault(origin, CAIRN_MESSAGE_NOTE, origin->path, NULL, &fault, NULL);
	return status != CAIRN_NO_MEMORY;
}

void elf_go_close(struct elf_source *elf)
{
	go_functions_free(elf->go_functions);
	elf->go_functions = NULL;
	if (elf->has_go)
		go_program_close(&elf->go);
	elf->has_go = false;
}

static enum cairn_status read_unknown(struct elf_source *elf, struct cairn_range *const *known,
                                      size_t count, const struct function_sink *sink)
{
	const struct gopclntab *table = &elf->go.table;
	struct gopclntab_function function;
	enum cairn_status status = CAIRN_OK;
	uint64_t reach = 0;
	size_t at = 0;

	for (uint64_t i = 0; i < table->functions && status == CAIRN_OK; i++) {
		if (!gopclntab_read_function(table, i, &function))
			continue;
		for (; at < count && (*known)[at].low <= function.start; at++)
			reach = (*known)[at].high > reach ? (*known)[at].high : reach;
		if (function.start >= reach)
			status = go_functions_read(elf->go_functions, i, sink);
	}
	return status;
}

enum cairn_status elf_go_read(struct function_source *origin, struct cairn_range *const *known,
                              size_t count, const struct function_sink *sink)
{
	struct elf_source *elf = origin->elf;

	if (!elf->has_go)
		return CAIRN_OK;
	go_functions_free(elf->go_functions);
	elf->go_functions = go_functions_new(&elf->go);
	if (!elf->go_functions)
		return CAIRN_NO_MEMORY;
	if (count)
		qsort(*known, count, sizeof(**known), range_compare);
	enum cairn_status status = read_unknown(elf, known, count, sink);
	function_source_add_drop(origin, "damaged functions of Go's table",
	                         go_functions_damaged(elf->go_functions));
	if (status == CAIRN_OK && go_functions_exhausted(elf->go_functions)) {
		message_tell(origin, CAIRN_MESSAGE_DAMAGE, origin->path,
		             "Go's table takes more to read than its size "
		             "allows: the functions after that are lost");
		origin->damaged = true;
	}
	return status;
}
