/* SPDX-License-Identifier: MIT */
/* The symbol tables of a module's files, and the stubs of its PLT, as sources of a symbolizer. */
#include "elf_table.h"
#include "symbolizer.h"

#include "formats/elf/stubs.h"

#include <stdlib.h>
#include <string.h>

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

static void take_location(const struct cairn_symbol_taker *taker, size_t index,
                          const struct cairn_location *location)
{
	const struct cairn_symbol_found found = { .locations = location, .count = 1, .all = 1 };

	taker->take(taker->context, index, &found);
}

/* The debug file has symbols of functions that others do not see, so that it is asked first. */
struct tables {
	struct elf_table debug, program;
	const char *path;
};

static void close_tables(void *opened)
{
	struct tables *tables = opened;

	elf_table_close(&tables->debug);
	elf_table_close(&tables->program);
	free(tables);
}

static bool open_table(struct cairn_symbol_search *search, enum cairn_module_file which,
                       struct elf_table *table, const char **path)
{
	struct cairn_open_file file;

	if (!search->file(search, which, none, none, &file) ||
	    !elf_table_open(table, file.bytes, ELF_TABLE_FUNCTIONS) || table->count == 0)
		return false;
	*path = file.path;
	return true;
}

static enum cairn_status open_tables(void *context, struct cairn_symbol_search *search,
                                     void **opened, struct cairn_fault *fault)
{
	struct tables *tables = calloc(1, sizeof(*tables));

	(void)context;
	(void)fault;
	if (!tables)
		return CAIRN_NO_MEMORY;
	const bool program =
		open_table(search, CAIRN_FILE_PROGRAM, &tables->program, &tables->path);
	const bool debug = open_table(search, CAIRN_FILE_DEBUG, &tables->debug, &tables->path);
	if (program || debug) {
		*opened = tables;
		return CAIRN_OK;
	}
	close_tables(tables);
	return CAIRN_NOT_FOUND;
}

static void find_in_tables(void *opened, const uint64_t *vas, size_t count,
                           const struct cairn_symbol_taker *taker)
{
	const struct tables *tables = opened;
	struct cairn_location location;

	for (size_t i = 0; i < count; i++)
		if (elf_table_find(&tables->debug, vas[i], &location) ||
		    elf_table_find(&tables->program, vas[i], &location))
			take_location(taker, i, &location);
}

static const char *find_tables_path(const void *opened)
{
	return ((const struct tables *)opened)->path;
}

static uint64_t count_tables_memory(const void *opened)
{
	const struct tables *tables = opened;

	return elf_table_memory(&tables->debug) + elf_table_memory(&tables->program);
}

const struct cairn_symbol_source symbolizer_tables = { .size = sizeof(symbolizer_tables),
	                                               .rank = 400,
	                                               .name = "table",
	                                               .open = open_tables,
	                                               .find = find_in_tables,
	                                               .close = close_tables,
	                                               .path = find_tables_path,
	                                               .memory = count_tables_memory };

enum { STUB_NAMES_MAX = 1024, STUB_NAME_MAX = 1024 };

/* A name with its suffix, by the address of the stub. */
struct stub_name {
	struct stub_name *next;
	uint64_t start;
	size_t size;
	char text[];
};

struct stubs {
	struct elf_stubs stubs;
	struct stub_name *names;
	unsigned count;
	const char *path;
};

static enum cairn_status open_stubs(void *context, struct cairn_symbol_search *search,
                                    void **opened, struct cairn_fault *fault)
{
	struct cairn_open_file file;
	struct elf elf;

	(void)context;
	if (!search->file(search, CAIRN_FILE_PROGRAM, none, none, &file) ||
	    elf_open(file.bytes, &elf, fault) != CAIRN_OK)
		return CAIRN_NOT_FOUND;
	struct stubs *stubs = calloc(1, sizeof(*stubs));
	if (!stubs)
		return CAIRN_NO_MEMORY;
	stubs->path = file.path;
	if (elf_stubs_open(&elf, &stubs->stubs)) {
		*opened = stubs;
		return CAIRN_OK;
	}
	free(stubs);
	return CAIRN_NOT_FOUND;
}

static void close_stubs(void *opened)
{
	struct stubs *stubs = opened;

	while (stubs->names) {
		struct stub_name *name = stubs->names;
		stubs->names = name->next;
		free(name);
	}
	free(stubs);
}

/* "puts@plt", kept until the source is closed; NULL: too long, or one too many. */
static const struct stub_name *name_stub(struct stubs *stubs, struct cairn_bytes name,
                                         uint64_t start)
{
	static const char suffix[] = "@plt";

	for (struct stub_name *known = stubs->names; known; known = known->next)
		if (known->start == start)
			return known;
	if (name.size > STUB_NAME_MAX || stubs->count == STUB_NAMES_MAX)
		return NULL;
	struct stub_name *made = malloc(sizeof(*made) + name.size + sizeof(suffix));
	if (!made)
		return NULL;
	*made = (struct stub_name){ stubs->names, start, name.size + sizeof(suffix) - 1 };
	memcpy(made->text, name.data, name.size);
	memcpy(made->text + name.size, suffix, sizeof(suffix));
	stubs->names = made;
	stubs->count++;
	return made;
}

static void find_in_stubs(void *opened, const uint64_t *vas, size_t count,
                          const struct cairn_symbol_taker *taker)
{
	struct stubs *stubs = opened;
	uint64_t start;

	for (size_t i = 0; i < count; i++) {
		const struct cairn_bytes called = elf_stubs_name(&stubs->stubs, vas[i], &start);
		const struct stub_name *name =
			called.size > 0 ? name_stub(stubs, called, start) : NULL;
		if (!name)
			continue;
		const struct cairn_location location = { .function = { (const uint8_t *)name->text,
			                                               name->size },
			                                 .directory = none,
			                                 .file = none,
			                                 .start = start,
			                                 .offset = vas[i] - start };
		take_location(taker, i, &location);
	}
}

static const char *find_stubs_path(const void *opened)
{
	return ((const struct stubs *)opened)->path;
}

const struct cairn_symbol_source symbolizer_stubs = { .size = sizeof(symbolizer_stubs),
	                                              .rank = 500,
	                                              .name = "stubs",
	                                              .open = open_stubs,
	                                              .find = find_in_stubs,
	                                              .close = close_stubs,
	                                              .path = find_stubs_path };
