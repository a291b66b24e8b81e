/* SPDX-License-Identifier: MIT */
/*
 * Breakpad files of the modules of a minidump: found in trees as Breakpad's symbol stores have them,
 * DIR/NAME/ID/NAME.sym, believed by the ID that they hold, and used for names and for unwinding.
 */
#include "bt.h"

#include "formats/breakpad/breakpad.h"
#include "os/module/symbol_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name that is one step of a path. */
static bool is_path_step(struct cairn_bytes name)
{
	return name.size > 0 && name.data[0] != '.' && !memchr(name.data, '/', name.size) &&
	       !memchr(name.data, 0, name.size);
}

static bool equals_text(struct cairn_bytes text, const char *expected)
{
	return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

/* Windows' debug files are known by their own name, without their extension. */
static struct cairn_bytes take_stem(struct cairn_bytes name)
{
	struct cairn_bytes end = { name.data + name.size - (name.size < 4 ? 0 : 4), 4 };

	if (name.size > 4 && (equals_text(end, ".pdb") || equals_text(end, ".PDB")))
		name.size -= 4;
	return name;
}

static bool equals_id(struct cairn_bytes a, struct cairn_bytes b)
{
	for (size_t i = 0; a.size == b.size && i < a.size; i++)
		if ((a.data[i] | 0x20) !=
		    (b.data[i] | 0x20)) /* digits and letters of either case */
			return false;
	return a.size == b.size && a.size > 0;
}

/* Its first record names the module whose symbols they are. */
static bool has_id(struct cairn_bytes file, struct cairn_bytes id)
{
	struct breakpad in = breakpad_open(file);
	struct breakpad_record record;

	return breakpad_next(&in, &record) && record.kind == BREAKPAD_MODULE &&
	       equals_id(record.id, id);
}

static void take_file(struct bt_module *files, const struct os_file *file, const char *path)
{
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct cairn_fault fault;

	files->breakpad = *file;
	files->stack_cfi = stack_cfi_new(file->bytes);
	if (!files->symbols &&
	    cairn_symbol_file_open(path, any, &files->symbols, &fault) != CAIRN_OK)
		files->symbols = NULL;
}

/* The file in one tree; true when it was found there and belongs to the module. */
static bool try_tree(struct bt *bt, const struct snapshot_module *module, struct bt_module *files,
                     const char *directory, int length)
{
	struct cairn_bytes name = module->debug_name, stem = take_stem(name);
	char path[SYMBOL_PATH_MAX];
	struct os_file file;

	int size = snprintf(path, sizeof(path), "%.*s/%.*s/%.*s/%.*s.sym", length, directory,
	                    (int)name.size, (const char *)name.data, (int)module->debug_id.size,
	                    (const char *)module->debug_id.data, (int)stem.size,
	                    (const char *)stem.data);
	if (size < 0 || (size_t)size >= sizeof(path) || os_file_open_regular(path, &file) != 0)
		return false;
	if (!has_id(file.bytes, module->debug_id)) {
		os_file_close(&file);
		return false;
	}
	take_file(files, &file, path);
	bt_credit_file(bt, file.bytes.size);
	return true;
}

static bool try_directories(struct bt *bt, const struct snapshot_module *module,
                            struct bt_module *files, const char *directories)
{
	while (directories && *directories) {
		int length = (int)strcspn(directories, ":");
		if (length > 0 && try_tree(bt, module, files, directories, length))
			return true;
		directories += length + (directories[length] == ':');
	}
	return false;
}

void bt_find_breakpad(struct bt *bt, size_t index)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	struct bt_module *files = &bt->modules[index];

	if (files->breakpad_looked)
		return;
	files->breakpad_looked = true;
	if (!is_path_step(module->debug_name) || module->debug_name.size >= SYMBOL_PATH_MAX ||
	    !is_path_step(module->debug_id))
		return;
	if (!try_directories(bt, module, files, bt->options.debug_directories))
		try_directories(bt, module, files, bt->options.directories);
}

static const struct stack_cfi *find_rules(void *context, uint64_t pc, uint64_t *low)
{
	struct bt *bt = context;
	const struct snapshot_module *module = snapshot_find_module(&bt->snapshot, pc);

	if (!module)
		return NULL;
	size_t index = (size_t)(module - bt->snapshot.modules);
	bt_find_breakpad(bt, index);
	*low = module->low;
	return bt->modules[index].stack_cfi;
}

bool bt_report_modules(struct bt *bt)
{
	bool complete = true;

	space_set_stack_cfi(bt->space, (struct stack_cfi_files){ find_rules, bt });
	cairn_space_begin_modules(bt->space);
	for (size_t i = 0; i < bt->snapshot.module_count; i++) {
		const struct snapshot_module *module = &bt->snapshot.modules[i];
		const struct cairn_host_module report = { .name = module->path,
			                                  .low = module->low,
			                                  .high = module->high,
			                                  .machine = bt->snapshot.machine,
			                                  .big_endian = bt->snapshot.big_endian,
			                                  .text = { module->low, module->high } };
		complete &= cairn_space_add_module(bt->space, &report) == CAIRN_OK;
	}
	cairn_space_end_modules(bt->space);
	return complete;
}

void bt_close_breakpad(struct bt_module *module)
{
	stack_cfi_free(module->stack_cfi);
	os_file_close(&module->breakpad);
}
