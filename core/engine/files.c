/* SPDX-License-Identifier: MIT */
/* What the files of a module hold that its memory does not. */
#include "files.h"

#include "modules.h"

#include "formats/ehframe/debug_frame.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

struct cairn_files *cairn_files_new(void)
{
	return calloc(1, sizeof(struct cairn_files));
}

void cairn_files_free(struct cairn_files *files)
{
	if (files)
		free(files->list);
	free(files);
}

static bool append(struct cairn_files *files, struct cairn_range range)
{
	if (files->count == FILES_RANGES)
		return false;
	if (files->count == files->room) {
		size_t room = files->room ? 2 * files->room : FIRST_ROOM;
		struct cairn_range *grown = realloc(files->list, room * sizeof(*grown));
		if (!grown)
			return false;
		files->list = grown;
		files->room = room;
	}
	files->list[files->count++] = range;
	return true;
}

static int ascending(const void *left, const void *right)
{
	const struct cairn_range *a = left, *b = right;
	return a->low < b->low ? -1 : a->low > b->low;
}

/* Sorted, and those that touch made one. */
static void settle(struct cairn_files *files)
{
	size_t kept = 0;

	if (files->count == 0)
		return;
	qsort(files->list, files->count, sizeof(*files->list), ascending);
	for (size_t i = 1; i < files->count; i++) {
		struct cairn_range *last = &files->list[kept], next = files->list[i];
		if (next.low > last->high)
			files->list[++kept] = next;
		else if (next.high > last->high)
			last->high = next.high;
	}
	files->count = kept + 1;
}

void files_add_frames(struct cairn_files *files, struct cairn_bytes section, bool big)
{
	struct debug_frame frames = debug_frame_open(section, big);
	struct cairn_fault fault;
	uint64_t start, size;
	enum cairn_status status;

	while ((status = debug_frame_next(&frames, &start, &size, &fault)) == CAIRN_OK) {
		const struct cairn_range range = { start, start + size };
		if (size > 0 && !append(files, range)) {
			status = CAIRN_NO_MEMORY;
			break;
		}
	}
	if (status != CAIRN_NOT_FOUND)
		files->everywhere = true;
	settle(files);
}

bool files_have_cfi(const struct cairn_files *files, uint64_t va)
{
	size_t low = 0, high = files->count;

	if (files->everywhere)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (files->list[middle].low <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && va < files->list[low - 1].high;
}

void cairn_space_give_files(struct cairn_space *space, uint64_t pc, struct cairn_files *files)
{
	space_tick(space);
	struct module *module = space_find(space, pc);

	if (!module) {
		cairn_files_free(files);
		return;
	}
	cairn_files_free(module->files);
	module->files = files;
}

struct cairn_in_files cairn_space_in_files(struct cairn_space *space, uint64_t pc)
{
	struct cairn_in_files answer = { .given = false };

	space_tick(space);
	const struct module *module = space_find(space, pc);
	if (!module || !module->files)
		return answer;
	answer.given = true;
	answer.program = module->files->program;
	answer.cfi = files_have_cfi(module->files, pc - module->bias);
	return answer;
}
