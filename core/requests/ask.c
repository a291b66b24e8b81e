/* SPDX-License-Identifier: MIT */
/*
 * Looks up the names of a request, module by module, copies the answers into the request, and
 * judges the result.
 */
#include "lookup.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	BATCH = 1024,
	MODULE_PATH = 2 * REQUEST_PATH_MAX,
};

/*
 * A directory that cannot contain files. Prepending it to the base name of a module lets the
 * symbolizer search its configured directories by that name, without opening the module's own path.
 */
static const char nowhere[] = "/dev/null";

struct asking {
	struct request *request;
	const char *sysroot;
	struct cairn_fault *fault;
	struct request_asked *asked;
	size_t count;
	struct request_lookup lookup;
	char path[MODULE_PATH];
	uint64_t va[BATCH];
	struct cairn_symbol_answer answer[BATCH];
};

static int compare_asked(const void *a, const void *b)
{
	const struct request_asked *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

struct request_asked *request_list_asked(const struct request *request, size_t *count)
{
	struct request_asked *asked = calloc(request->frame_count + 1, sizeof(*asked));

	*count = 0;
	if (!asked)
		return NULL;
	for (size_t i = 0; i < request->frame_count; i++) {
		const struct request_frame *frame = &request->frames[i];
		if (frame->module > 0 && !frame->is_named)
			asked[(*count)++] = (struct request_asked){ frame->module, (uint32_t)i,
				                                    frame->address, frame->origin };
	}
	qsort(asked, *count, sizeof(*asked), compare_asked);
	return asked;
}

/* Return true if `path` does not contain a ".." component. */
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

	asking->lookup.module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	asking->lookup.module.build_id = request_module_id(module);
	const int size = snprintf(asking->path, sizeof(asking->path), "%s%s%.*s",
	                          by_path ? asking->sysroot : nowhere, by_path ? "" : "/",
	                          (int)shown.size, (const char *)shown.data);
	if (shown.size > 0 && size > 0 && (size_t)size < sizeof(asking->path))
		asking->lookup.module.path = asking->path;
}

static bool pool_answer_text(struct request *request, struct cairn_bytes text, uint32_t *number)
{
	*number = string_pool_add(&request->texts, text);
	return *number != STRING_POOL_FULL;
}

static enum cairn_status add_call(struct request *request, const struct cairn_location *location,
                                  struct cairn_fault *fault)
{
	char file[REQUEST_PATH_MAX];
	struct request_call call = { .line = location->line,
		                     .column = location->column,
		                     .offset = location->offset,
		                     .inlined = location->inlined };
	size_t size = cairn_location_path(location, file, sizeof(file));

	if (size >= sizeof(file))
		size = sizeof(file) - 1;
	if (request->call_count >= REQUEST_CALLS_MAX)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "the answer has more than 1,048,576 calls");
	if (!pool_answer_text(request, location->function, &call.function) ||
	    !pool_answer_text(request, (struct cairn_bytes){ (const uint8_t *)file, size },
	                      &call.file) ||
	    !ARRAY_APPEND(request->calls, request->call_count, request->call_room, call))
		return CAIRN_NO_MEMORY;
	return request->texts.blob_size > REQUEST_TEXT_MAX
	               ? fault_set(fault, CAIRN_UNSUPPORTED,
	                           "the answer has more than 64 MiB of names")
	               : CAIRN_OK;
}

/*
 * Copy one answer. Whether a module lacks symbols is only known after one of its addresses was
 * looked up.
 */
static enum cairn_status take_answer(struct request *request, struct request_frame *frame,
                                     const struct cairn_symbol_answer *answer,
                                     struct cairn_fault *fault)
{
	const unsigned lacks = CAIRN_MISSING_ALL | CAIRN_MISSING_DEBUG;
	struct request_module *module = &request->modules[frame->module - 1];
	enum cairn_status status = CAIRN_OK;

	frame->call = request->call_count;
	for (size_t i = 0; status == CAIRN_OK && i < answer->count; i++)
		status = add_call(request, &answer->locations[i], fault);
	frame->call_count = request->call_count - frame->call;
	if (answer->count > 0)
		module->named = true;
	else if (answer->missing & lacks)
		module->wanting = true;
	return status;
}

static enum cairn_status ask_batch(struct asking *asking, const struct request_asked *asked,
                                   size_t count)
{
	enum cairn_status status =
		cairn_symbolizer_find(asking->lookup.symbolizer, &asking->lookup.module, asking->va,
	                              count, asking->answer);

	for (size_t i = 0; status == CAIRN_OK && i < count; i++)
		status = take_answer(asking->request, &asking->request->frames[asked[i].frame],
		                     &asking->answer[i], asking->fault);
	return status;
}

/* Look up the frames asked[at..end), which have the same module and origin. */
static enum cairn_status ask_run(struct asking *asking, size_t at, size_t end)
{
	struct request_asked batch[BATCH];
	enum cairn_status status = CAIRN_OK;
	size_t count = 0;

	if (!request_lookup_begin(&asking->lookup, asking->asked[at].origin))
		asking->request->modules[asking->asked[at].module - 1].wanting = true;
	for (; status == CAIRN_OK && at < end; at++) {
		if (request_lookup_va(&asking->lookup, asking->asked[at].address,
		                      &asking->va[count]))
			batch[count++] = asking->asked[at];
		if (count == BATCH) {
			status = ask_batch(asking, batch, count);
			count = 0;
		}
	}
	return status == CAIRN_OK && count > 0 ? ask_batch(asking, batch, count) : status;
}

static enum cairn_status ask_all(struct asking *asking)
{
	const struct request_asked *asked = asking->asked;
	enum cairn_status status = CAIRN_OK;

	for (size_t at = 0, end; status == CAIRN_OK && at < asking->count; at = end) {
		for (end = at; end < asking->count && asked[end].module == asked[at].module &&
		               asked[end].origin == asked[at].origin;)
			end++;
		struct request_module *module = &asking->request->modules[asked[at].module - 1];
		set_asked_module(asking, module);
		status = ask_run(asking, at, end);
		/*
		 * Discard the cached failure: the symbols may have been uploaded when the next
		 * request comes.
		 */
		if (module->wanting && !module->named)
			cairn_symbolizer_forget(asking->lookup.symbolizer, &asking->lookup.module);
	}
	return status;
}

static int compare_module_ids(const void *a, const void *b)
{
	const struct request_module *const *one = a, *const *other = b;

	return bytes_order(request_module_id(*one), request_module_id(*other));
}

static bool find_missing(struct request *request)
{
	request->missing = calloc(request->module_count + 1, sizeof(*request->missing));
	if (!request->missing)
		return false;
	for (size_t i = 0; i < request->module_count; i++)
		if (request->modules[i].wanting && !request->modules[i].named)
			request->missing[request->missing_count++] = &request->modules[i];
	qsort(request->missing, request->missing_count, sizeof(*request->missing),
	      compare_module_ids);
	return true;
}

enum cairn_status request_ask(struct request *request, struct cairn_symbolizer *symbolizer,
                              const char *sysroot, struct cairn_fault *fault)
{
	struct asking *asking = calloc(1, sizeof(*asking));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (!asking)
		return status;
	asking->request = request;
	asking->lookup.symbolizer = symbolizer;
	asking->sysroot = sysroot;
	asking->fault = fault;
	asking->asked = request_list_asked(request, &asking->count);
	if (asking->asked)
		status = ask_all(asking);
	if (status == CAIRN_OK && !find_missing(request))
		status = CAIRN_NO_MEMORY;
	free(asking->asked);
	free(asking);
	return status;
}

const char *request_result_word(enum request_result result)
{
	switch (result) {
	case REQUEST_DONE:
		return "done";
	case REQUEST_NO_SYMBOLS:
		return "no_symbols";
	case REQUEST_NOT_YET:
		return "not_yet";
	case REQUEST_REJECTED:
		return "rejected";
	case REQUEST_TRY_AGAIN:
		break;
	}
	return "try_again";
}

static bool has_any_name(const struct request *request)
{
	for (size_t i = 0; i < request->frame_count; i++)
		if (request->frames[i].is_named || request->frames[i].call_count > 0)
			return true;
	return false;
}

enum request_result request_judge(const struct request *request)
{
	const bool is_empty = request->frame_count == 0 && request->kind == REQUEST_OFFSETS;

	if (request->missing_count > 0)
		return REQUEST_NOT_YET;
	return is_empty || has_any_name(request) ? REQUEST_DONE : REQUEST_NO_SYMBOLS;
}
