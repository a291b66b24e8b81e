/* SPDX-License-Identifier: MIT */
/*
 * A program with functions of its own that have names of functions inside of cairn. It links both static libraries,
 * which show their public names alone, and neither calls the functions here.
 */
#include <cairn.h>
#include <cairn/dwarf.h>
#include <stdio.h>
#include <stdlib.h>

int symbol_table_open(void);
int hash_siphash(void);
int elf_open(void);

int symbol_table_open(void)
{
	abort();
}

int hash_siphash(void)
{
	abort();
}

int elf_open(void)
{
	abort();
}

int marked(void);
int marked(void)
{
	return 0;
}

int main(int argc, char **argv)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	struct cairn_symbol_answer answer;
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);

	if (argc != 3 || !symbolizer ||
	    cairn_symbolizer_add(symbolizer, cairn_dwarf_source()) != CAIRN_OK)
		return 2;
	const uint64_t va = strtoull(argv[2], NULL, 0);
	module.path = argv[1];
	if (cairn_symbolizer_find(symbolizer, &module, &va, 1, &answer, sizeof(answer)) != CAIRN_OK ||
	    answer.count == 0)
		return 1;
	printf("%.*s by %s\n", (int)answer.locations[0].function.size,
	       (const char *)answer.locations[0].function.data, answer.source);
	cairn_symbolizer_free(symbolizer);
	return 0;
}
