/* SPDX-License-Identifier: MIT */
/*
 * Names addresses of a program by the public headers alone, a line of JSON for each as `cairn where --json` has it:
 *
 *	symbolize [--table] FILE ADDRESS...      --table: by libcairn alone, without DWARF
 */
#include <cairn.h>
#include <cairn/dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_location(const struct cairn_location *location)
{
	char path[4096];
	const size_t size = cairn_location_path(location, path, sizeof(path));

	printf("{\"function\":\"%.*s\",\"start\":\"0x%" PRIx64 "\",\"offset\":%" PRIu64,
	       (int)location->function.size, (const char *)location->function.data, location->start,
	       location->offset);
	if (size > 0)
		printf(",\"file\":\"%s\"", path);
	if (location->line)
		printf(",\"line\":%" PRIu32, location->line);
	if (location->column)
		printf(",\"column\":%" PRIu32, location->column);
	printf("%s}", location->inlined ? ",\"inlined\":true" : "");
}

static void print_answer(uint64_t va, const struct cairn_symbol_answer *answer)
{
	printf("{\"address\":\"0x%" PRIx64 "\",\"outcome\":\"%s\",\"frames\":[", va,
	       cairn_status_name(answer->status));
	for (size_t i = 0; i < answer->count; i++) {
		fputs(i > 0 ? "," : "", stdout);
		print_location(&answer->locations[i]);
	}
	puts("]}");
}

static int name_addresses(struct cairn_symbolizer *symbolizer, const char *path, char **words,
                          size_t count)
{
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	struct cairn_symbol_answer *answers = calloc(count + 1, sizeof(*answers));
	uint64_t *vas = calloc(count + 1, sizeof(*vas));

	if (!answers || !vas)
		return 2;
	for (size_t i = 0; i < count; i++)
		vas[i] = strtoull(words[i], NULL, 0);
	module.path = path;
	const enum cairn_status status =
		cairn_symbolizer_find(symbolizer, &module, vas, count, answers, sizeof(*answers));
	for (size_t i = 0; status == CAIRN_OK && i < count; i++)
		print_answer(vas[i], &answers[i]);
	free(answers);
	free(vas);
	return status != CAIRN_OK;
}

int main(int argc, char **argv)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
	const int first = 1 + table;

	if (argc <= first)
		return 2;
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
	if (!symbolizer ||
	    (!table && cairn_symbolizer_add(symbolizer, cairn_dwarf_source()) != CAIRN_OK))
		return 2;
	const int status = name_addresses(symbolizer, argv[first], argv + first + 1,
	                                  (size_t)(argc - first - 1));
	cairn_symbolizer_free(symbolizer);
	return status;
}
