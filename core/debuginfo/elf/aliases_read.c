/* SPDX-License-Identifier: MIT */
/* All symbols of a table of an ELF file that name code. */
#include "symbol_table.h"

#include "base/fault.h"

enum cairn_status aliases_read(struct aliases *aliases, struct cairn_bytes file,
                               enum aliases_table which, struct cairn_fault *fault)
{
	struct symbol_table table;
	struct alias symbol;
	enum cairn_status status = symbol_table_open(&table, file, which, fault);

	if (status != CAIRN_OK)
		return status;
	table.with_names = true;
	const uint64_t first = (uint64_t)(table.entries.data - file.data);
	while (symbol_table_next(&table, (struct cairn_range){ 0, UINT64_MAX }, &symbol)) {
		const uint64_t at = first + table.at - symbol_table_step(&table);
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, at, "no memory for symbols" };
		if (!aliases_add(aliases, symbol))
			return CAIRN_NO_MEMORY;
	}
	if (!table.exhausted) {
		*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
		return CAIRN_OK;
	}
	return fault_set_at(fault, CAIRN_MALFORMED, first + table.at - symbol_table_step(&table),
	                    "symbol names share so much text that the rest is left out, "
	                    "beginning with the symbol");
}
