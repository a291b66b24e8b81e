/* SPDX-License-Identifier: MIT */
/* Finds a Breakpad file by name and debug ID, and answers from it. */
#include "symbolizer.h"

#include "os/file/file.h"

#include <stdio.h>
#include <string.h>

enum {
	GUID = 16, /* bytes of a build ID that are in a debug ID */
	ID_TEXT = 2 * GUID + 2,
	TREE_PATH = 4096,
	RANK = 150, /* after files that are known by the whole build ID, before DWARF */
};

/* Numbers of a GUID are written the other way round than a little-endian file has them. */
static void write_debug_id(const uint8_t id[GUID], char text[ID_TEXT])
{
	static const uint8_t order[GUID] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	for (size_t i = 0; i < GUID; i++)
		snprintf(text + 2 * i, 3, "%02X", id[order[i]]);
	strcpy(text + 2 * GUID, "0");
}

static struct cairn_symbols *open_at(const char *path, const uint8_t id[GUID])
{
	struct cairn_symbols *symbols = NULL;
	struct cairn_fault fault;
	struct os_file file;

	if (os_file_open_regular(path, &file) != 0)
		return NULL;
	const enum cairn_status status = cairn_symbols_open(file.bytes, NULL, &symbols, &fault);
	os_file_close(&file); /* all of it was read */
	if (status != CAIRN_OK)
		return NULL;
	/* what the file itself says of its build, as far as it goes */
	const struct cairn_bytes own = cairn_symbols_build_id(symbols);
	if (cairn_symbols_format(symbols) == CAIRN_SYMBOLS_BREAKPAD && own.size >= GUID &&
	    memcmp(own.data, id, GUID) == 0)
		return symbols;
	cairn_symbols_free(symbols);
	return NULL;
}

/* The first of the folders that has such a file. */
static struct cairn_symbols *search_breakpad(const struct cairn_symbol_search *search,
                                             const char *name, const uint8_t id[GUID])
{
	const char *folders = search->options->folders;
	char path[TREE_PATH], text[ID_TEXT];
	struct cairn_symbols *symbols = NULL;

	write_debug_id(id, text);
	while (!symbols && folders && *folders) {
		const size_t size = strcspn(folders, ":");
		if (snprintf(path, sizeof(path), "%.*s/%s/%s/%s.sym", (int)size, folders, name,
		             text, name) < TREE_PATH)
			symbols = open_at(path, id);
		folders += size + (folders[size] == ':');
	}
	if (symbols && search->options->opened)
		search->options->opened(search->options->opened_context, path, 0);
	return symbols;
}

static enum cairn_status open_breakpad_tree(void *context, struct cairn_symbol_search *search,
                                            void **opened, struct cairn_fault *fault)
{
	const struct cairn_symbol_module *module = search->module;
	const char *name = module->path ? strrchr(module->path, '/') : NULL;
	uint8_t id[GUID] = { 0 };

	(void)context;
	(void)fault;
	if (!name || !name[1] || strcmp(name, "/..") == 0 || strcmp(name, "/.") == 0)
		return CAIRN_NOT_FOUND;
	memcpy(id, module->build_id.data,
	       module->build_id.size < GUID ? module->build_id.size : GUID);
	struct cairn_symbols *symbols = search_breakpad(search, name + 1, id);
	return symbols ? symbolizer_take_symbols(search, symbols, opened) : CAIRN_NOT_FOUND;
}

const struct cairn_symbol_source breakpad_tree_source = { .size = sizeof(breakpad_tree_source),
	                                                  .rank = RANK,
	                                                  .name = "breakpad",
	                                                  .open = open_breakpad_tree,
	                                                  .find = symbolizer_find_symbols,
	                                                  .close = symbolizer_close_symbols };
