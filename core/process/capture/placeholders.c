/* SPDX-License-Identifier: MIT */
/* Chooses which modules get files that stand in for theirs, and gives these to the snapshot. */
#include "placeholders.h"

#include "base/array_grow.h"
#include "base/base_name.h"
#include "base/bisect.h"
#include "loader.h"
#include "placeholder_file.h"
#include "reopened.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	NAME_MAX_BYTES = 128,   /* of a file */
	CODE_MODULES_MAX = 256, /* for code that is in no module */
};

static bool is_plain_byte(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || (byte != 0 && strchr("._+-", byte));
}

static bool is_taken(const struct placeholders *p, const char *path)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->file[i].path && strcmp(p->file[i].path, path) == 0)
			return true;
	return false;
}

/* A file named as the module is, with a number if another one is so, too; NULL when memory is short. */
static char *name_file(const struct placeholders *p, const struct snapshot_module *module)
{
	const struct cairn_bytes base = base_name(module->path);
	const size_t room = strlen(p->folder) + NAME_MAX_BYTES + 32;
	char name[NAME_MAX_BYTES + 1] = "module", *path = malloc(room);
	const size_t size = base.size < NAME_MAX_BYTES ? base.size : NAME_MAX_BYTES;

	for (size_t i = 0; i < size; i++)
		name[i] = is_plain_byte(base.data[i]) ? (char)base.data[i] : '_';
	if (size > 0)
		name[size] = '\0';
	if (name[0] == '.')
		name[0] = '_';
	if (path)
		snprintf(path, room, "%s/%s", p->folder, name);
	for (size_t i = p->count + 1; path && is_taken(p, path); i++)
		snprintf(path, room, "%s/%s.%zu", p->folder, name, i);
	return path;
}

/* From now on the module has this file. */
static void use_file(struct placeholders *p, struct snapshot_module *module,
                     const struct placeholder_file *file)
{
	const char *path = p->file[p->count].path;

	module->file_path = (struct cairn_bytes){ (const uint8_t *)path, strlen(path) };
	if (module->file.size == 0) {
		module->file = file->part[0];
		module->bias = module->low;
		module->has_bias = true;
	}
}

static void make_file(struct placeholders *p, struct snapshot_module *module)
{
	struct placeholder_file file = { .parts = 0 };

	if (!array_grow(&p->file, &p->room, p->count + 1, sizeof(*p->file))) {
		p->scarce = true;
		return;
	}
	const bool made = module->file.size == 0
	                          ? placeholder_file_make(&file, p->stacks, &p->rows, module)
	                          : placeholder_file_extend(&file, &p->rows, module);
	file.path = made ? name_file(p, module) : NULL;
	if (!file.path) {
		p->scarce = p->scarce || made || file.made.failed;
		placeholder_file_finish(&file);
		return;
	}
	p->file[p->count] = file;
	use_file(p, module, &file);
	p->count++;
}

static bool has_rows(const struct frame_rows *rows, const struct snapshot_module *module)
{
	const size_t first = frame_rows_find(rows, module->low);

	return first < rows->count && rows->row[first].lookup < module->high;
}

static void make_files(struct placeholders *p)
{
	struct snapshot *snapshot = &p->stacks->snapshot;

	for (size_t i = 0; i < snapshot->module_count && !p->scarce; i++) {
		struct snapshot_module *module = &snapshot->modules[i];
		if (reopened_is_linked(snapshot, module) &&
		    (module->file.size == 0 || has_rows(&p->rows, module)))
			make_file(p, module);
	}
}

/* The number of the program's own modules that begin at or before the pc. */
static size_t count_before(const struct placeholders *p, uint64_t pc)
{
	return SORTED_UP_TO(p->modules, p->module_count, low, pc);
}

/* A module for the page of code that is in none; its neighbours bound it. */
static void add_code_module(struct placeholders *p, uint64_t pc)
{
	struct snapshot *snapshot = &p->stacks->snapshot;
	const size_t before = count_before(p, pc);
	uint64_t low = pc - pc % PAGE, high = low + PAGE;
	char name[32];

	if (before > 0 && p->modules[before - 1].high > low)
		low = p->modules[before - 1].high;
	if (before < p->module_count && p->modules[before].low < high)
		high = p->modules[before].low;
	struct snapshot_module *module = low < high ? snapshot_add_module(snapshot) : NULL;
	if (!module)
		return;
	snprintf(name, sizeof(name), "code-%" PRIx64, low);
	module->low = low;
	module->high = high;
	module->path = snapshot_keep_string(snapshot, name);
}

/* Do debuggers find modules besides the program? A static one has no list of them. */
static bool is_list_made(const struct snapshot *snapshot)
{
	const size_t program = loader_find_program(snapshot);
	struct elf_segment segment;

	return program < snapshot->module_count &&
	       (snapshot->modules[program].file.size == 0 ||
	        reopened_find_segment(&snapshot->modules[program], ELF_PT_DYNAMIC, &segment));
}

/*
 * Pages of code in no module become modules; where nobody finds these they would only have the debugger read zeros there, and GDB takes
 * a bad pointer on aarch64 for one as long as nothing can be read.
 */
static void add_code_modules(struct placeholders *p)
{
	uint64_t last = UINT64_MAX;

	if (!is_list_made(&p->stacks->snapshot))
		return;
	for (size_t i = 0, added = 0; i < p->rows.count && added < CODE_MODULES_MAX; i++) {
		const uint64_t pc = p->rows.row[i].lookup;
		const size_t before = count_before(p, pc);
		if (pc / PAGE == last || (before > 0 && p->modules[before - 1].high > pc))
			continue;
		last = pc / PAGE;
		add_code_module(p, pc);
		added++;
	}
	snapshot_sort_modules(&p->stacks->snapshot);
}

/* What is called at the address, for symbols: all that the stacks know. */
static void name_rows(struct frame_rows *rows, struct cairn_stacks *stacks)
{
	struct cairn_location names[CAIRN_STACK_NAMES];

	for (size_t i = 0; i < rows->count; i++) {
		struct frame_row *row = &rows->row[i];
		const size_t count =
			cairn_stacks_names(stacks, row->lookup, names, CAIRN_STACK_NAMES);
		if (count == 0 || names[count - 1].offset > row->lookup)
			continue;
		row->function = names[count - 1].function;
		row->start = row->lookup - names[count - 1].offset;
	}
}

/* The snapshot gets a copy of its modules, which may be changed. */
static bool exchange_modules(struct placeholders *p)
{
	struct snapshot *snapshot = &p->stacks->snapshot;
	const size_t room = snapshot->module_count + ARRAY_GROW_FIRST;
	struct snapshot_module *copy = calloc(room, sizeof(*copy));

	if (!copy)
		return false;
	p->modules = snapshot->modules;
	p->module_count = snapshot->module_count;
	p->module_room = snapshot->module_room;
	if (p->module_count > 0)
		memcpy(copy, p->modules, p->module_count * sizeof(*copy));
	snapshot->modules = copy;
	snapshot->module_room = room;
	p->exchanged = true;
	return true;
}

bool placeholders_make(struct placeholders *p, struct cairn_stacks *stacks, const char *folder)
{
	*p = (struct placeholders){ .stacks = stacks, .folder = folder };
	if (!frame_rows_collect(&p->rows, stacks))
		return false;
	name_rows(&p->rows, stacks);
	if (!exchange_modules(p))
		return false;
	add_code_modules(p);
	make_files(p);
	return !p->scarce;
}

void placeholders_finish(struct placeholders *p)
{
	struct snapshot *snapshot = &p->stacks->snapshot;

	if (p->exchanged) {
		free(snapshot->modules);
		snapshot->modules = p->modules;
		snapshot->module_count = p->module_count;
		snapshot->module_room = p->module_room;
	}
	for (size_t i = 0; i < p->count; i++)
		placeholder_file_finish(&p->file[i]);
	free(p->file);
	frame_rows_finish(&p->rows);
}
