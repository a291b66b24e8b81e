/* SPDX-License-Identifier: MIT */
/* Keeps the modules of a symbolizer that were used last, within its bounds. */
#include "symbolizer.h"

#include "base/array_grow.h"
#include "base/bytes_compare.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static struct cairn_bytes text_bytes(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)(text ? text : ""), text ? strlen(text) : 0 };
}

static uint64_t hash_module(const struct cairn_symbol_module *module)
{
	return hash_text(text_bytes(module->path), hash_text(module->build_id, 0));
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Are both the module that the host asks about?  A build ID that its file told later does not count. */
static bool is_module(const struct symbolizer_module *open, uint64_t hash,
                      const struct cairn_symbol_module *module)
{
	const struct cairn_symbol_module *known = &open->files.module;

	return open->hash == hash && is_same_text(known->path, module->path) &&
	       known->file.data == module->file.data &&
	       known->debug_file.data == module->debug_file.data &&
	       (module->build_id.size == 0 || bytes_equal(known->build_id, module->build_id));
}

static void close_module(struct cairn_symbolizer *symbolizer, struct symbolizer_module *module)
{
	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (module->opened[i].symbols)
			symbolizer->source[i].close(module->opened[i].symbols);
	for (size_t i = 0; i < sizeof(module->labels) / sizeof(*module->labels); i++)
		elf_table_close(&module->labels[i]);
	module_files_close(&module->files);
	free(module);
}

static struct symbolizer_module *add_module(struct cairn_symbolizer *symbolizer, uint64_t hash,
                                            const struct cairn_symbol_module *module)
{
	if (!array_grow(&symbolizer->modules, &symbolizer->module_room,
	                symbolizer->module_count + 1, sizeof(*symbolizer->modules)))
		return NULL;
	struct symbolizer_module *added = calloc(1, sizeof(*added));
	if (!added || !module_files_open(&added->files, &symbolizer->options, module)) {
		free(added);
		return NULL;
	}
	added->hash = hash;
	symbolizer->modules[symbolizer->module_count++] = added;
	return added;
}

static uint64_t count_memory(const struct cairn_symbolizer *symbolizer,
                             const struct symbolizer_module *module)
{
	uint64_t bytes = module_files_memory(&module->files) +
	                 elf_table_memory(&module->labels[0]) +
	                 elf_table_memory(&module->labels[1]);

	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (module->opened[i].symbols && symbolizer->source[i].memory)
			bytes += symbolizer->source[i].memory(module->opened[i].symbols);
	return bytes;
}

/* Memory of a module changes only while it is in use: it is counted then, and once more when the next one is wanted. */
static void recount_memory(struct cairn_symbolizer *symbolizer, struct symbolizer_module *module)
{
	if (!module || symbolizer->options.memory_max == UINT64_MAX)
		return;
	symbolizer->memory -= module->memory;
	module->memory = count_memory(symbolizer, module);
	symbolizer->memory += module->memory;
}

struct symbolizer_module *symbolizer_module_get(struct cairn_symbolizer *symbolizer,
                                                const struct cairn_symbol_module *module)
{
	const uint64_t hash = hash_module(module);
	struct symbolizer_module *found = NULL;

	for (size_t i = 0; !found && i < symbolizer->module_count; i++)
		if (is_module(symbolizer->modules[i], hash, module))
			found = symbolizer->modules[i];
	if (!found)
		found = add_module(symbolizer, hash, module);
	if (found)
		found->used = ++symbolizer->calls;
	recount_memory(symbolizer, symbolizer->current);
	symbolizer->current = found;
	return found;
}

/* Finds the module, other than `keep`, whose last use is the oldest; module_count if `keep` is the only one. */
static size_t find_oldest(const struct cairn_symbolizer *symbolizer,
                          const struct symbolizer_module *keep)
{
	size_t oldest = symbolizer->module_count;

	for (size_t i = 0; i < symbolizer->module_count; i++)
		if (symbolizer->modules[i] != keep &&
		    (oldest == symbolizer->module_count ||
		     symbolizer->modules[i]->used < symbolizer->modules[oldest]->used))
			oldest = i;
	return oldest;
}

static void remove_module(struct cairn_symbolizer *symbolizer, size_t number)
{
	symbolizer->memory -= symbolizer->modules[number]->memory;
	if (symbolizer->current == symbolizer->modules[number])
		symbolizer->current = NULL;
	close_module(symbolizer, symbolizer->modules[number]);
	symbolizer->modules[number] = symbolizer->modules[--symbolizer->module_count];
}

void symbolizer_modules_bound(struct cairn_symbolizer *symbolizer, struct symbolizer_module *keep)
{
	const struct cairn_symbolizer_options *options = &symbolizer->options;
	const bool is_bounded = options->memory_max != UINT64_MAX;

	recount_memory(symbolizer, keep);
	while (symbolizer->module_count > options->modules_max ||
	       (is_bounded && symbolizer->memory > options->memory_max)) {
		const size_t oldest = find_oldest(symbolizer, keep);
		if (oldest == symbolizer->module_count)
			break;
		remove_module(symbolizer, oldest);
	}
	if (!is_bounded || symbolizer->module_count != 1 ||
	    symbolizer->memory <= options->memory_max)
		return;
	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (symbolizer->modules[0]->opened[i].symbols && symbolizer->source[i].release)
			symbolizer->source[i].release(symbolizer->modules[0]->opened[i].symbols);
}

void symbolizer_modules_close(struct cairn_symbolizer *symbolizer)
{
	while (symbolizer->module_count > 0)
		remove_module(symbolizer, symbolizer->module_count - 1);
}

void cairn_symbolizer_forget(struct cairn_symbolizer *symbolizer,
                             const struct cairn_symbol_module *module)
{
	if (!module) {
		symbolizer_modules_close(symbolizer);
		return;
	}
	const uint64_t hash = hash_module(module);
	for (size_t i = 0; i < symbolizer->module_count; i++)
		if (is_module(symbolizer->modules[i], hash, module)) {
			remove_module(symbolizer, i);
			return;
		}
}

static bool give_file(struct cairn_symbol_search *search, enum cairn_module_file wanted,
                      struct cairn_bytes directory, struct cairn_bytes name,
                      struct cairn_open_file *file)
{
	return module_files_get(search->context, wanted, directory, name, file);
}

void *symbolizer_open_source(struct cairn_symbolizer *symbolizer, struct symbolizer_module *module,
                             size_t source, struct cairn_fault *fault)
{
	const struct cairn_symbol_source *from = &symbolizer->source[source];
	struct symbolizer_opened *opened = &module->opened[source];
	struct cairn_symbol_search search = { .size = sizeof(search),
		                              .module = module_files_module(&module->files),
		                              .options = &symbolizer->options,
		                              .file = give_file,
		                              .context = &module->files };
	void *symbols = NULL;

	if (!opened->looked && from->open(from->context, &search, &symbols, fault) == CAIRN_OK)
		opened->symbols = symbols;
	opened->looked = true;
	return opened->symbols;
}

struct cairn_symbols *symbolizer_symbols(struct cairn_symbolizer *symbolizer,
                                         const struct cairn_symbol_module *module)
{
	struct symbolizer_module *open = symbolizer_module_get(symbolizer, module);
	struct cairn_fault fault;

	for (size_t i = 0; open && i < symbolizer->source_count; i++)
		if (symbolizer->source[i].open == symbolizer_symbol_files.open) {
			void *opened = symbolizer_open_source(symbolizer, open, i, &fault);
			return opened ? symbolizer_opened_symbols(opened) : NULL;
		}
	return NULL;
}

bool cairn_symbolizer_file(struct cairn_symbolizer *symbolizer,
                           const struct cairn_symbol_module *module, enum cairn_module_file wanted,
                           struct cairn_open_file *file)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct symbolizer_module *open = symbolizer_module_get(symbolizer, module);

	return open && module_files_get(&open->files, wanted, none, none, file);
}

/* Both are read when the first label is asked for. */
static void open_labels(struct symbolizer_module *module)
{
	static const enum cairn_module_file which[] = { CAIRN_FILE_DEBUG, CAIRN_FILE_PROGRAM };
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct cairn_open_file file;

	for (size_t i = 0; i < sizeof(which) / sizeof(*which) && !module->has_labels; i++)
		if (module_files_get(&module->files, which[i], none, none, &file))
			(void)!elf_table_open(&module->labels[i], file.bytes, ELF_TABLE_LABELS);
	module->has_labels = true;
}

bool cairn_symbolizer_label(struct cairn_symbolizer *symbolizer,
                            const struct cairn_symbol_module *module, uint64_t va,
                            struct cairn_location *location)
{
	struct symbolizer_module *open = symbolizer_module_get(symbolizer, module);

	if (!open)
		return false;
	open_labels(open);
	return elf_table_find(&open->labels[0], va, location) ||
	       elf_table_find(&open->labels[1], va, location);
}
