/* SPDX-License-Identifier: MIT */
/* Asks an open file of symbols for an address of its module. */
#include "module_names.h"

size_t module_names_find(struct cairn_symbol_file *file, uint64_t va, uint64_t lowest,
                         struct cairn_location *locations, size_t room)
{
	struct cairn_symbols *symbols = cairn_symbol_file_symbols(file);
	struct cairn_lookup_result answer;
	size_t count = 0;

	if (cairn_symbols_format(symbols) == CAIRN_SYMBOLS_BREAKPAD)
		va -= lowest;
	if (cairn_symbols_find(symbols, va, &answer) != CAIRN_OK)
		return 0;
	while (count < room && cairn_lookup_result_next(&answer, &locations[count]))
		count++;
	return count;
}
