/* SPDX-License-Identifier: MIT */
/* Asks a symbolizer for the names of a request, module by module, and keeps copies of what it says. */
#include "parts.h"

#include "base/array_grow.h"
#include "base/base_name.h"
#include "formats/elf/places.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	BATCH = 1024, /* addresses that are asked for at once */
	MODULE_PATH = 2 * REQUEST_PATH_MAX,
};

/* No file is below a device: the path of a module finds files by its last part, in given folders, and none at its place. */
static const char nowhere[] = "/dev/null";

/* A frame that is to be named. */
struct asked_frame {
	uint32_t module, frame; /* frame: its place in request->frames */
	uint64_t address;
	enum request_origin origin;
};

struct asking {
	struct request *request;
	struct cairn_symbolizer *symbolizer;
	const char *sysroot;
	struct cairn_fault *fault;
	struct asked_frame *asked;
	size_t count;
	struct cairn_symbol_module module;
	struct elf_places
		places; /* of the module's program, where offsets in its file are asked for */
	char path[MODULE_PATH];
	uint64_t va[BATCH];
	struct cairn_symbol_answer answer[BATCH];
	char file[REQUEST_PATH_MAX];
};

static enum cairn_status exceed_limit(struct asking *asking, const char *what)
{
	*asking->fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0, what };
	return CAIRN_UNSUPPORTED;
}

static int compare_asked(const void *a, const void *b)
{
	const struct asked_frame *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static bool list_asked(struct asking *asking)
{
	const struct request *request = asking->request;

	asking->asked = calloc(request->frame_count + 1, sizeof(*asking->asked));
	if (!asking->asked)
		return false;
	for (size_t i = 0; i < request->frame_count; i++) {
		const struct request_frame *frame = &request->frames[i];
		if (frame->module > 0 && !frame->is_named)
			asking->asked[asking->count++] =
				(struct asked_frame){ frame->module, (uint32_t)i, frame->address,
				                      frame->origin };
	}
	qsort(asking->asked, asking->count, sizeof(*asking->asked), compare_asked);
	return true;
}

/* Does a path stay below where it begins? */
static bool is_contained(struct cairn_bytes path)
{
	while (path.size > 0) {
		const struct cairn_bytes last = base_name(path);
		if (last.size == 2 && last.data[0] == '.' && last.data[1] == '.')
			return false;
		path.size -= last.size + (last.size < path.size);
	}
	return true;
}

static void set_asked_module(struct asking *asking, const struct request_module *module)
{
	const struct cairn_bytes name = string_pool_get(&asking->request->texts, module->name),
				 last = base_name(name);
	const bool by_path =
		asking->sysroot && name.size > 0 && name.data[0] == '/' && is_contained(name);
	const struct cairn_bytes shown = by_path ? name : last;

	asking->module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	asking->module.build_id = request_module_id(module);
	const int size = snprintf(asking->path, sizeof(asking->path), "%s%s%.*s",
	                          by_path ? asking->sysroot : nowhere, by_path ? "" : "/",
	                          (int)shown.size, (const char *)shown.data);
	if (shown.size > 0 && size > 0 && (size_t)size < sizeof(asking->path))
		asking->module.path = asking->path;
}

static bool pool_answer_text(struct asking *asking, struct cairn_bytes text, uint32_t *number)
{
	*number = string_pool_add(&asking->request->texts, text);
	return *number != STRING_POOL_FULL;
}

static enum cairn_status add_call(struct asking *asking, const struct cairn_location *location)
{
	struct request *request = asking->request;
	struct request_call call = { .line = location->line,
		                     .column = location->column,
		                     .offset = location->offset,
		                     .inlined = location->inlined };
	size_t size = cairn_location_path(location, asking->file, sizeof(asking->file));

	if (size >= sizeof(asking->file))
		size = sizeof(asking->file) - 1;
	if (request->call_count >= REQUEST_CALLS_MAX)
		return exceed_limit(asking, "the answer has more than 1,048,576 calls");
	if (!pool_answer_text(asking, location->function, &call.function) ||
	    !pool_answer_text(asking, (struct cairn_bytes){ (const uint8_t *)asking->file, size },
	                      &call.file) ||
	    !array_grow(&request->calls, &request->call_room, request->call_count + 1,
	                sizeof(call)))
		return CAIRN_NO_MEMORY;
	request->calls[request->call_count++] = call;
	return request->texts.blob_size > REQUEST_TEXT_MAX
	               ? exceed_limit(asking, "the answer has more than 64 MiB of names")
	               : CAIRN_OK;
}

/* What a module lacks is known once an address of it was looked for. */
static enum cairn_status take_answer(struct asking *asking, struct request_frame *frame,
                                     const struct cairn_symbol_answer *answer)
{
	const unsigned lacks = CAIRN_MISSING_ALL | CAIRN_MISSING_DEBUG;
	struct request_module *module = &asking->request->modules[frame->module - 1];
	enum cairn_status status = CAIRN_OK;

	frame->call = asking->request->call_count;
	for (size_t i = 0; status == CAIRN_OK && i < answer->count; i++)
		status = add_call(asking, &answer->locations[i]);
	frame->call_count = asking->request->call_count - frame->call;
	if (answer->count > 0)
		module->named = true;
	else if (answer->missing & lacks)
		module->wanting = true;
	return status;
}

static enum cairn_status ask_batch(struct asking *asking, const struct asked_frame *asked,
                                   size_t count)
{
	enum cairn_status status = cairn_symbolizer_find(asking->symbolizer, &asking->module,
	                                                 asking->va, count, asking->answer);

	for (size_t i = 0; status == CAIRN_OK && i < count; i++)
		status = take_answer(asking, &asking->request->frames[asked[i].frame],
		                     &asking->answer[i]);
	return status;
}

/* Only the program itself tells where a byte of its file is; without it the module's symbols are missing. */
static void find_places(struct asking *asking, const struct asked_frame *asked)
{
	struct cairn_open_file program;

	asking->places.count = 0;
	if (asked->origin != REQUEST_FILE_OFFSET)
		return;
	if (cairn_symbolizer_file(asking->symbolizer, &asking->module, CAIRN_FILE_PROGRAM,
	                          &program))
		asking->places = elf_places_read(program.bytes);
	else
		asking->request->modules[asked->module - 1].wanting = true;
}

static bool find_va(const struct asking *asking, const struct asked_frame *asked, uint64_t *va)
{
	*va = asked->address;
	return asked->origin != REQUEST_FILE_OFFSET ||
	       elf_places_find(&asking->places, asked->address, va);
}

/* Frames of one module whose addresses count from one place. */
static enum cairn_status ask_run(struct asking *asking, size_t at, size_t end)
{
	struct asked_frame batch[BATCH];
	enum cairn_status status = CAIRN_OK;
	size_t count = 0;

	asking->module.from_lowest = asking->asked[at].origin == REQUEST_MODULE_OFFSET;
	find_places(asking, &asking->asked[at]);
	for (; status == CAIRN_OK && at < end; at++) {
		if (find_va(asking, &asking->asked[at], &asking->va[count]))
			batch[count++] = asking->asked[at];
		if (count == BATCH) {
			status = ask_batch(asking, batch, count);
			count = 0;
		}
	}
	return status == CAIRN_OK && count > 0 ? ask_batch(asking, batch, count) : status;
}

/* The store may have its symbols when the next request comes: nobody remembers that it has none now. */
static void forget_if_missing(struct asking *asking, const struct request_module *module)
{
	if (module->wanting && !module->named)
		cairn_symbolizer_forget(asking->symbolizer, &asking->module);
}

static enum cairn_status ask_all(struct asking *asking)
{
	const struct asked_frame *asked = asking->asked;
	enum cairn_status status = CAIRN_OK;

	for (size_t at = 0, end; status == CAIRN_OK && at < asking->count; at = end) {
		for (end = at; end < asking->count && asked[end].module == asked[at].module &&
		               asked[end].origin == asked[at].origin;)
			end++;
		struct request_module *module = &asking->request->modules[asked[at].module - 1];
		set_asked_module(asking, module);
		status = ask_run(asking, at, end);
		forget_if_missing(asking, module);
	}
	return status;
}

enum cairn_status request_ask(struct request *request, struct cairn_symbolizer *symbolizer,
                              const char *sysroot, struct cairn_fault *fault)
{
	struct asking *asking = calloc(1, sizeof(*asking));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (!asking)
		return status;
	asking->request = request;
	asking->symbolizer = symbolizer;
	asking->sysroot = sysroot;
	asking->fault = fault;
	if (list_asked(asking))
		status = ask_all(asking);
	if (status == CAIRN_OK && !request_find_missing(request))
		status = CAIRN_NO_MEMORY;
	free(asking->asked);
	free(asking);
	return status;
}
