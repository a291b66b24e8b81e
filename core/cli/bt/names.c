/* SPDX-License-Identifier: MIT */
/*
 * Names of addresses: the first source that knows the line, else the first that knows the function.
 * Each address is looked up once.
 */
#include "bt.h"

#include "base/array_grow.h"
#include "base/hash.h"
#include "debuginfo/elf/minidebug.h"
#include "process/snapshot/vdso_image.h"
#include "unwind/target/memory.h"

#include <stdlib.h>
#include <string.h>

struct cairn_bytes bt_unpack_symbols(struct bt_module *files)
{
	struct cairn_fault fault;

	if (files->path && !files->looked_packed &&
	    minidebug_read(files->file.bytes, &files->unpacked, &files->unpacked_size, &fault) !=
	            CAIRN_OK)
		files->unpacked_size = 0;
	files->looked_packed = true;
	return (struct cairn_bytes){ files->unpacked, files->unpacked_size };
}

static void open_packed_symbols(struct bt_module *files)
{
	const struct cairn_bytes symbols = bt_unpack_symbols(files);
	const char *why;

	if (symbols.size > 0)
		files->packed = debuginfo_names_open(symbols, &why);
}

/* GSYM and the like are looked for when the module's first symbol is asked for. */
static void open_symbol_file(struct bt *bt, const struct snapshot_module *module,
                             struct bt_module *files)
{
	struct cairn_fault fault;

	files->opened = true;
	if (!files->symbols && module->build_id.size > 0 &&
	    cairn_symbol_file_find(files->path ? files->path : "/", module->build_id,
	                           bt->options.directories, &files->symbols, &fault) != CAIRN_OK)
		files->symbols = NULL;
	if (!files->symbols)
		bt_find_breakpad(bt, (size_t)(files - bt->modules));
}

static void open_vdso_names(struct bt *bt, const struct snapshot_module *module,
                            struct bt_module *files)
{
	const size_t size = vdso_image_size(&bt->snapshot, module);
	const char *why;

	if (size > 0)
		files->unpacked = malloc(size);
	if (files->unpacked &&
	    memory_read(&bt->snapshot.memory, module->low, files->unpacked, size))
		files->own =
			debuginfo_names_open((struct cairn_bytes){ files->unpacked, size }, &why);
}

/* To unpack DWARF takes longest, so that is done where the symbol file knows no line. */
static void open_debug_names(struct bt *bt, struct bt_module *files)
{
	const char *why;

	if (files->opened_names)
		return;
	files->opened_names = true;
	if (!files->path)
		open_vdso_names(bt, &bt->snapshot.modules[files - bt->modules], files);
	if (files->own)
		return;
	const struct separate_debug_file *debug =
		bt_find_debug_file(bt, (size_t)(files - bt->modules));
	if (debug)
		files->debug = debuginfo_names_open(debug->file.bytes, &why);
	if (files->debug && debug->file.mapped) /* what was compressed is not read again */
		os_file_release_pages(debug->file.bytes);
	if (!files->path)
		return;
	files->own = debuginfo_names_open(files->file.bytes, &why);
	open_packed_symbols(files);
}

/* One source after the other; what knows no line gives way to what does. */
static size_t ask_sources(struct bt *bt, struct bt_module *files, uint64_t va, uint64_t lowest,
                          struct cairn_location best[DEBUGINFO_LOCATIONS])
{
	struct cairn_location found[DEBUGINFO_LOCATIONS];
	size_t count = files->symbols ? module_names_find(files->symbols, va, lowest, best,
	                                                  DEBUGINFO_LOCATIONS)
	                              : 0;

	if (count > 0 && best[0].line > 0)
		return count;
	open_debug_names(bt, files);
	struct debuginfo_names *const names[] = { files->debug, files->own, files->packed };
	for (size_t i = 0; i < COUNT(names) && (count == 0 || best[0].line == 0); i++) {
		size_t got = names[i] ? debuginfo_names_find(names[i], va, found) : 0;
		bool nearer = got > 0 &&
		              (count == 0 || found[0].line > 0 || found[0].offset < best[0].offset);
		if (!nearer)
			continue;
		memcpy(best, found, got * sizeof(*found));
		count = got;
	}
	if (count == 0 || best[0].line == 0) {
		size_t got = bt_ask_go(bt, files, va, found);
		memcpy(best, found, got * sizeof(*found));
		count = got ? got : count;
	}
	if (count == 0 &&
	    module_names_find_stub(&files->stubs, &bt->snapshot, files->file.bytes, va, best))
		count = 1;
	return count;
}

static size_t look_up(struct bt *bt, uint64_t address,
                      struct cairn_location found[DEBUGINFO_LOCATIONS])
{
	size_t index;
	const struct snapshot_module *module = bt_find_module(bt, address, &index);

	if (!module)
		return bt_find_jit_code(bt, address, found);
	if (!module->has_bias) /* memory that is mapped shared, too, as PHP has it for its code */
		return bt_find_jit_code(bt, address, found);
	if (bt->snapshot.kind == SNAPSHOT_MINIDUMP && !bt->modules[index].path)
		bt_find_debug_file(bt, index); /* where it was linked may be known by that alone */
	if (!bt->modules[index].opened)
		open_symbol_file(bt, module, &bt->modules[index]);
	return ask_sources(bt, &bt->modules[index], address - module->bias,
	                   snapshot_module_start(module) - module->bias, found);
}

static uint64_t hash_address(uint64_t address, uint64_t key)
{
	uint8_t bytes[sizeof(address)];

	memcpy(bytes, &address, sizeof(bytes));
	return hash_text((struct cairn_bytes){ bytes, sizeof(bytes) }, key);
}

static uint64_t hash_answer(const void *items, uint32_t number)
{
	const struct bt_names *names = items;

	return hash_address(names->answers[number - 1].address, names->slots.key);
}

static bool is_answer_to(const void *items, uint32_t number, const void *key)
{
	const struct bt_names *names = items;

	return names->answers[number - 1].address == *(const uint64_t *)key;
}

/* The number of the answer that is kept; 0 when memory is short. */
static uint32_t keep_answer(struct bt_names *names, uint64_t address,
                            const struct cairn_location *found, size_t count)
{
	if (names->location_count + count > UINT32_MAX || names->answer_count >= UINT32_MAX ||
	    !array_grow(&names->locations, &names->location_room, names->location_count + count + 1,
	                sizeof(*names->locations)) ||
	    !array_grow(&names->answers, &names->answer_room, names->answer_count + 1,
	                sizeof(*names->answers)))
		return 0;
	memcpy(names->locations + names->location_count, found, count * sizeof(*found));
	names->answers[names->answer_count++] =
		(struct bt_answer){ address, (uint32_t)names->location_count, (uint32_t)count };
	names->location_count += count;
	return (uint32_t)names->answer_count;
}

const struct cairn_location *bt_find_names(struct bt *bt, uint64_t address, size_t *count)
{
	struct cairn_location found[DEBUGINFO_LOCATIONS];
	struct bt_names *names = &bt->names;

	*count = 0;
	if (!slot_table_reserve(&names->slots, names->answer_count, hash_answer, names))
		return NULL;
	uint64_t hash = hash_address(address, names->slots.key);
	uint32_t *slot = slot_table_find(&names->slots, hash, is_answer_to, names, &address);
	if (*slot == 0)
		*slot = keep_answer(names, address, found, look_up(bt, address, found));
	if (*slot == 0)
		return NULL;
	const struct bt_answer *answer = &names->answers[*slot - 1];
	*count = answer->count;
	return names->locations + answer->first;
}

struct cairn_bytes bt_readable_name(struct cairn_bytes name)
{
	static char text[CAIRN_DEMANGLE_MAX];
	size_t size = cairn_demangle(name, text, sizeof(text));

	return size ? (struct cairn_bytes){ (const uint8_t *)text, size } : name;
}
