/* SPDX-License-Identifier: MIT */
/* Symbolizes addresses. The options of the symbolizer implement the search rules of `cairn cbf`. */
#include "symbols.h"

#include "base/memory.h"

#include <cairn/dwarf.h>
#include <stdlib.h>
#include <string.h>

bool cbf_symbols_are_wanted(const struct cbf_symbols *symbols)
{
	return symbols->wanted || symbols->exes.count > 0 || symbols->folders ||
	       symbols->demangler.path;
}

static void credit_opened(void *context, const char *path, uint64_t size)
{
	struct cbf_symbols *symbols = context;

	(void)path;
	if (symbols->printed)
		printed_credit(symbols->printed, size);
}

static bool open_symbolizer(struct cbf_symbols *symbols)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;

	options.folders = symbols->folders;
	options.programs = symbols->exes.word;
	options.program_count = symbols->exes.count;
	options.builds = CAIRN_BUILD_NAMED;
	options.modules_max = CBF_PROGRAMS_MAX;
	options.opened = credit_opened;
	options.opened_context = symbols;
	symbols->symbolizer = cairn_symbolizer_new(&options);
	if (symbols->symbolizer &&
	    cairn_symbolizer_add(symbols->symbolizer, cairn_dwarf_source()) == CAIRN_OK)
		return true;
	return refuse_with(NULL, "out of memory");
}

bool cbf_symbols_open(struct cbf_symbols *symbols)
{
	bool good = !cbf_symbols_are_wanted(symbols) || open_symbolizer(symbols);

	for (size_t i = 0; i < symbols->exes.count; i++) {
		struct os_file file;
		struct elf elf;
		if (!input_open_elf(symbols->exes.word[i], &file, &elf)) {
			good = false;
			continue;
		}
		os_file_close(&file);
	}
	if (symbols->demangler.path && !os_swift_demangler_works(&symbols->demangler)) {
		print_diagnostic(symbols->demangler.path, "this library has no swift_demangle");
		good = false;
	}
	return good;
}

void cbf_symbols_close(struct cbf_symbols *symbols)
{
	if (symbols->flaw)
		print_diagnostic("debug information", "%s that was asked for", symbols->flaw);
	cairn_symbolizer_free(symbols->symbolizer);
	free(symbols->path);
	os_swift_demangler_close(&symbols->demangler);
}

/*
 * Return the image's path as a C string, valid until the next call, or NULL if it is empty or
 * memory is short.
 */
static const char *find_path(struct cbf_symbols *symbols, struct cairn_bytes path)
{
	if (path.size == 0 || !array_grow(&symbols->path, &symbols->path_room, path.size + 1, 1))
		return NULL;
	memcpy(symbols->path, path.data, path.size);
	symbols->path[path.size] = '\0';
	return symbols->path;
}

size_t cbf_symbols_find(struct cbf_symbols *symbols, const struct imagemap_image *image,
                        uint64_t address, const struct cairn_location **locations)
{
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	struct cairn_symbol_answer answer;
	const uint64_t offset = address - image->base;

	module.path = find_path(symbols, image->path);
	module.build_id = image->build_id;
	module.from_lowest = true;
	if (cairn_symbolizer_find(symbols->symbolizer, &module, &offset, 1, &answer) != CAIRN_OK)
		return 0;
	symbols->flaw = answer.flaw ? answer.flaw : symbols->flaw;
	*locations = answer.locations;
	return answer.count;
}
