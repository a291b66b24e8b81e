/* SPDX-License-Identifier: MIT */
/* Asks an open file of symbols, or the PLT of a module, for an address. */
#include "module_names.h"

#include <string.h>

/* What the names of one module may take: stubs are on few stacks, because they end with a jump. */
enum {
	STUB_NAME_MAX = 1024, /* bytes with the suffix */
	STUB_NAMES_MAX = 1024,
};

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

static bool open_stubs(struct module_stubs *stubs, struct cairn_bytes file)
{
	struct cairn_fault fault;
	struct elf elf;

	if (!stubs->looked && elf_open(file, &elf, &fault) == CAIRN_OK)
		stubs->found = elf_stubs_open(&elf, &stubs->stubs);
	stubs->looked = true;
	return stubs->found;
}

bool module_names_find_stub(struct module_stubs *stubs, struct snapshot *snapshot,
                            struct cairn_bytes file, uint64_t va, struct cairn_location *location)
{
	static const char suffix[] = "@plt";
	uint8_t text[STUB_NAME_MAX];
	uint64_t start;

	if (!open_stubs(stubs, file))
		return false;
	const struct cairn_bytes name = elf_stubs_name(&stubs->stubs, va, &start);
	const size_t size = name.size + sizeof(suffix) - 1;
	if (name.size == 0 || size > sizeof(text) || stubs->named++ >= STUB_NAMES_MAX)
		return false;
	memcpy(text, name.data, name.size);
	memcpy(text + name.size, suffix, sizeof(suffix) - 1);
	*location = (struct cairn_location){
		.function = snapshot_keep(snapshot, (struct cairn_bytes){ text, size }),
		.start = start,
		.offset = va - start,
	};
	return location->function.size > 0;
}
