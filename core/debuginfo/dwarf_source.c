/* SPDX-License-Identifier: MIT */
/*
 * Makes the DWARF and symbols of a module available as a source of a symbolizer; see
 * cairn/dwarf.h.
 */
#include "debuginfo/address_functions.h"

#include <cairn/dwarf.h>
#include <stdlib.h>
#include <string.h>

struct dwarf_source {
	/* copy of the caller's search, used later to find split files */
	struct cairn_symbol_search search;
	struct address_files files;
	/* path of the file with DWARF if there is one, otherwise of the program */
	const char *path;
	struct address_functions *functions;
};

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

static void close_source(void *opened)
{
	struct dwarf_source *source = opened;

	address_functions_close(source->functions);
	free(source);
}

static struct cairn_bytes find_split(void *context, struct cairn_bytes directory,
                                     struct cairn_bytes name, uint64_t id)
{
	struct dwarf_source *source = context;
	struct cairn_open_file file;

	(void)id;
	return source->search.file(&source->search, CAIRN_FILE_SPLIT, directory, name, &file)
	               ? file.bytes
	               : none;
}

static struct cairn_bytes find_bytes(struct dwarf_source *source, enum cairn_module_file wanted)
{
	struct cairn_open_file file;

	return source->search.file(&source->search, wanted, none, none, &file) ? file.bytes : none;
}

/* Find the files of the module. If the program is missing, use the symbols in its debug file. */
static bool find_files(struct dwarf_source *source)
{
	struct cairn_symbol_search *search = &source->search;
	struct cairn_open_file own = { .bytes = none }, debug = { .bytes = none };
	const bool has_own = search->file(search, CAIRN_FILE_PROGRAM, none, none, &own);
	const bool has_debug = search->file(search, CAIRN_FILE_DEBUG, none, none, &debug);

	source->files.own = has_own ? own.bytes : debug.bytes;
	source->files.debug = has_debug ? debug.bytes : own.bytes;
	source->files.mapped = own.mapped && (!has_debug || debug.mapped);
	source->files.alt = find_bytes(source, CAIRN_FILE_ALTERNATE);
	source->files.split.package = find_bytes(source, CAIRN_FILE_PACKAGE);
	source->files.split.find = find_split;
	source->files.split.context = source;
	source->files.names = search->options->names;
	source->files.relative = search->options->paths == CAIRN_PATHS_RELATIVE;
	source->files.lines_alone = search->options->accept_unnamed;
	source->files.in_order = search->options->in_order;
	source->path = has_debug ? debug.path : own.path;
	return has_own || has_debug;
}

static enum cairn_status open_source(void *context, struct cairn_symbol_search *search,
                                     void **opened, struct cairn_fault *fault)
{
	struct dwarf_source *source = calloc(1, sizeof(*source));

	(void)context;
	(void)fault;
	if (!source)
		return CAIRN_NO_MEMORY;
	source->search = *search;
	if (!find_files(source)) {
		free(source);
		return CAIRN_NOT_FOUND;
	}
	source->functions = address_functions_open(&source->files);
	if (!source->functions) {
		free(source);
		return CAIRN_NO_MEMORY;
	}
	*opened = source;
	return CAIRN_OK;
}

static void find_addresses(void *opened, const uint64_t *vas, size_t count,
                           const struct cairn_symbol_taker *sink)
{
	struct dwarf_source *source = opened;

	if (source->functions)
		address_functions_find(source->functions, vas, count, sink);
}

static const char *find_dwarf_path(const void *opened)
{
	return ((const struct dwarf_source *)opened)->path;
}

static uint64_t count_memory(const void *opened)
{
	const struct dwarf_source *source = opened;

	return source->functions ? address_functions_memory(source->functions) : 0;
}

static void release_memory(void *opened)
{
	struct dwarf_source *source = opened;

	address_functions_close(source->functions);
	source->functions = address_functions_open(&source->files);
}

static const char *find_flaw(const void *opened)
{
	const struct dwarf_source *source = opened;

	return source->functions ? address_functions_flaw(source->functions) : NULL;
}

static bool is_damaged(const void *opened)
{
	const struct dwarf_source *source = opened;

	return source->functions && address_functions_damaged(source->functions);
}

const struct cairn_symbol_source *cairn_dwarf_source(void)
{
	static const struct cairn_symbol_source source = { .size = sizeof(source),
		                                           .rank = 200,
		                                           .name = "dwarf",
		                                           .open = open_source,
		                                           .find = find_addresses,
		                                           .close = close_source,
		                                           .path = find_dwarf_path,
		                                           .memory = count_memory,
		                                           .release = release_memory,
		                                           .flaw = find_flaw,
		                                           .damaged = is_damaged };

	return &source;
}
