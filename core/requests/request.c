/* SPDX-License-Identifier: MIT */
/*
 * Reads requests: derives the kind of request from the members of the object, then reads stacks
 * frame by frame, addresses with build IDs, or a reference to a core or log. Modules are
 * deduplicated by build ID.
 */
#include "request.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "output/record.h"

#include <stdio.h>
#include <stdlib.h>

bool request_lookup_begin(struct request_lookup *lookup, enum request_origin origin)
{
	struct cairn_open_file program;

	lookup->origin = origin;
	lookup->module.from_lowest = origin == REQUEST_MODULE_OFFSET;
	lookup->places.count = 0;
	if (origin != REQUEST_FILE_OFFSET)
		return true;
	if (!cairn_symbolizer_file(lookup->symbolizer, &lookup->module, CAIRN_FILE_PROGRAM,
	                           &program))
		return false;
	lookup->places = elf_places_read(program.bytes);
	return true;
}

bool request_lookup_va(const struct request_lookup *lookup, uint64_t address, uint64_t *va)
{
	*va = address;
	return lookup->origin != REQUEST_FILE_OFFSET ||
	       elf_places_find(&lookup->places, address, va);
}

static enum cairn_status refuse(struct cairn_fault *fault, enum cairn_status status,
                                const struct json_reader_value *value, struct cairn_bytes text,
                                const char *what)
{
	const size_t at = value->text.data ? (size_t)(value->text.data - text.data) : 0,
		     quote = value->text.data && value->kind == JSON_READER_STRING;

	*fault = (struct cairn_fault){ status, at - quote, what };
	return status;
}

static struct request_frame *add_frame(struct request *request, struct cairn_fault *fault)
{
	if (request->frame_count >= REQUEST_FRAMES_MAX) {
		*fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0, "more than 131,072 frames" };
		return NULL;
	}
	if (!array_grow(&request->frames, &request->frame_capacity, request->frame_count + 1,
	                sizeof(*request->frames))) {
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, 0, "out of memory" };
		return NULL;
	}
	struct request_frame *frame = &request->frames[request->frame_count++];
	*frame = (struct request_frame){ .address = 0 };
	return frame;
}

struct cairn_bytes request_module_id(const struct request_module *module)
{
	return (struct cairn_bytes){ module->build_id, module->id_size };
}

/*
 * Return the one-based index of the module with this build ID, adding the module if it is new.
 * Return 0 if the build ID is invalid, and UINT32_MAX if allocation fails. All-zero build IDs are
 * invalid because they do not identify a file.
 */
static uint32_t take_module(struct request *request, struct cairn_bytes build_id,
                            struct cairn_bytes name)
{
	struct request_module module = { .id_size = (uint8_t)(build_id.size / 2) };
	char path[REQUEST_PATH_MAX];
	unsigned any = 0;

	if (build_id.size / 2 > REQUEST_ID_MAX ||
	    !hex_read(build_id, module.build_id, module.id_size))
		return 0;
	for (size_t i = 0; i < module.id_size; i++)
		any |= module.build_id[i];
	if (any == 0)
		return 0;
	const uint32_t number = string_pool_add(&request->ids, request_module_id(&module));
	if (number == STRING_POOL_FULL || number < request->module_count)
		return number == STRING_POOL_FULL ? UINT32_MAX : number + 1;
	module.name = string_pool_add(&request->texts, record_text(name, path, sizeof(path)));
	if (module.name == STRING_POOL_FULL ||
	    !ARRAY_APPEND(request->modules, request->module_count, request->module_capacity,
	                  module))
		return UINT32_MAX;
	return number + 1;
}

struct stack_reading {
	struct request *request;
	struct cairn_bytes text;
	struct cairn_fault *fault;
	/* frame whose inlined calls are being read; NULL between frames */
	struct request_frame *frame;
	/* at least one frame has been read, so the current one is not the innermost */
	bool any;
};

static enum cairn_status end_frame(struct stack_reading *stack, const struct record_frame *read)
{
	struct request_frame *frame = stack->frame;
	const struct cairn_bytes module = base_name(read->module);
	/*
	 * A return address may already belong to the next function, so look up the byte before it.
	 * The innermost frame, frames that a signal interrupted, and async callers have exact
	 * addresses.
	 */
	const bool is_exact = read->exact != RECORD_UNSAID
	                              ? read->exact == RECORD_YES
	                              : !stack->any || bytes_are(read->found, "signal") ||
	                                        read->async == RECORD_YES;

	stack->frame = NULL;
	stack->any = true;
	/* the vDSO and other kernel mappings have no file to look up */
	if (bytes_begin_with(module, "[") || bytes_begin_with(module, "linux-vdso"))
		return CAIRN_OK;
	frame->module = take_module(stack->request, read->build_id, read->module);
	if (frame->module == UINT32_MAX)
		return CAIRN_NO_MEMORY;
	if (!frame->is_named) {
		const struct record_number *place =
			read->va.known ? &read->va : &read->module_offset;
		frame->origin = read->va.known ? REQUEST_VA : REQUEST_MODULE_OFFSET;
		frame->address = place->value - !is_exact;
		if (!place->known)
			frame->module = 0;
	} else if (frame->module > 0) {
		/* the program that sent the request had symbols for this module */
		stack->request->modules[frame->module - 1].named = true;
	}
	return CAIRN_OK;
}

/* Add an inlined call, or the frame into which the calls before it are inlined. */
static enum cairn_status add_frame_object(struct stack_reading *stack,
                                          const struct record_frame *read)
{
	struct request *request = stack->request;
	const struct json_reader_value *object = &read->object;

	if (object->kind != JSON_READER_OBJECT)
		return refuse(stack->fault, CAIRN_MALFORMED, object, stack->text,
		              "a frame that is not an object");
	if (request->object_count >= REQUEST_FRAMES_MAX)
		return refuse(stack->fault, CAIRN_UNSUPPORTED, object, stack->text,
		              "more than 131,072 frames");
	if (!stack->frame) {
		stack->frame = add_frame(request, stack->fault);
		if (!stack->frame)
			return stack->fault->status;
		stack->frame->object = request->object_count;
	}
	if (!ARRAY_APPEND(request->objects, request->object_count, request->object_capacity,
	                  *object))
		return CAIRN_NO_MEMORY;
	stack->frame->object_count++;
	if (read->function.size > 0 && !bytes_are(read->function, "??"))
		stack->frame->is_named = true;
	return read->inlined == RECORD_YES ? CAIRN_OK : end_frame(stack, read);
}

static enum cairn_status read_thread(struct request *request, const struct record_thread *thread,
                                     struct cairn_bytes text, struct cairn_fault *fault)
{
	struct stack_reading stack = { request, text, fault, NULL, false };
	enum cairn_status status = CAIRN_OK;
	struct record_frame frame;

	if (request->thread_count >= REQUEST_THREADS_MAX)
		return refuse(fault, CAIRN_UNSUPPORTED, &thread->object, text,
		              "more than 16,384 threads");
	if (!array_grow(&request->threads, &request->thread_capacity, request->thread_count + 1,
	                sizeof(*request->threads)))
		return CAIRN_NO_MEMORY;
	struct request_thread *read = &request->threads[request->thread_count++];
	*read = (struct request_thread){ thread->object, request->frame_count, 0 };
	if (thread->object.kind != JSON_READER_OBJECT || !thread->frames.text.data)
		return refuse(fault, CAIRN_MALFORMED, &thread->object, text,
		              "a thread without frames");
	if (thread->frames.kind != JSON_READER_ARRAY)
		return refuse(fault, CAIRN_MALFORMED, &thread->frames, text,
		              "\"frames\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && record_next_frame(thread, &at, &frame);)
		status = add_frame_object(&stack, &frame);
	read->frame_count = request->frame_count - read->frame;
	return status;
}

/*
 * Read all threads in a report. A report of a crash whose core could not be read contains no
 * threads.
 */
static enum cairn_status read_threads(struct request *request, const struct record_thread *report,
                                      struct cairn_bytes text, struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct record_thread thread;

	if (!report->reported.text.data)
		return CAIRN_OK;
	if (report->reported.kind != JSON_READER_ARRAY)
		return refuse(fault, CAIRN_MALFORMED, &report->reported, text,
		              "\"threads\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && record_next_thread(report, &at, &thread);) {
		if (record_is_task(&thread))
			continue;
		status = thread.object.kind == JSON_READER_OBJECT
		                 ? read_thread(request, &thread, text, fault)
		                 : refuse(fault, CAIRN_MALFORMED, &thread.object, text,
		                          "a thread that is not an object");
	}
	return status;
}

static bool read_origin(const struct json_reader_value *value, enum request_origin *origin)
{
	static const struct {
		const char *word;
		enum request_origin origin;
	} words[] = {
		{ "va", REQUEST_VA },
		{ "file_offset", REQUEST_FILE_OFFSET },
		{ "module_offset", REQUEST_MODULE_OFFSET },
	};

	*origin = REQUEST_VA;
	if (!value->text.data)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (value->kind == JSON_READER_STRING && bytes_are(value->text, words[i].word)) {
			*origin = words[i].origin;
			return true;
		}
	return false;
}

static enum cairn_status add_offset(struct request *request, const struct json_reader_value *object,
                                    struct cairn_bytes text, struct cairn_fault *fault)
{
	enum { BUILD_ID, ADDRESS, KIND, MODULE, MEMBERS };
	static const char *const names[MEMBERS] = { "build_id", "address", "kind", "module" };
	struct json_reader_value value[MEMBERS];
	struct request_frame *frame = add_frame(request, fault);

	if (!frame)
		return fault->status;
	if (object->kind != JSON_READER_OBJECT)
		return refuse(fault, CAIRN_MALFORMED, object, text,
		              "a frame that is not an object");
	json_reader_members(object, names, MEMBERS, value);
	if (!hex_read_address(json_reader_string(&value[ADDRESS]), &frame->address))
		return refuse(fault, CAIRN_MALFORMED, object, text,
		              "a frame without an address of 0x and 1 to 16 digits");
	if (!read_origin(&value[KIND], &frame->origin))
		return refuse(fault, CAIRN_MALFORMED, &value[KIND], text,
		              "an address kind that is not va, file_offset or module_offset");
	frame->module = take_module(request, json_reader_string(&value[BUILD_ID]),
	                            json_reader_string(&value[MODULE]));
	return frame->module == UINT32_MAX ? CAIRN_NO_MEMORY : CAIRN_OK;
}

static enum cairn_status read_offsets(struct request *request,
                                      const struct json_reader_value *frames,
                                      struct cairn_bytes text, struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct json_reader_value object;

	if (frames->kind != JSON_READER_ARRAY)
		return refuse(fault, CAIRN_MALFORMED, frames, text, "\"frames\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && json_reader_element(frames, &at, &object);)
		status = add_offset(request, &object, text, fault);
	return status;
}

static enum cairn_status refuse_member(struct request *request,
                                       const struct json_reader_value *value,
                                       struct cairn_bytes text, struct cairn_fault *fault,
                                       const char *what)
{
	return refuse(fault, CAIRN_MALFORMED, value->text.data ? value : &request->top, text, what);
}

static bool read_kind_word(const struct json_reader_value *value, struct request_body *body)
{
	if (value->kind != JSON_READER_STRING)
		return false;
	if (bytes_are(value->text, "core"))
		body->kind = REQUEST_CORE;
	else if (bytes_are(value->text, "minidump"))
		body->kind = REQUEST_MINIDUMP;
	else if (bytes_are(value->text, "log"))
		body->kind = REQUEST_LOG;
	else
		return false;
	return true;
}

static enum cairn_status read_reference(struct request *request, struct cairn_bytes text,
                                        struct cairn_fault *fault)
{
	enum { HASH, SIZE, PATH, URL, KIND, MEMBERS };
	static const char *const names[MEMBERS] = { "hash", "size", "path", "url", "kind" };
	struct request_body *body = &request->body;
	struct json_reader_value value[MEMBERS];

	json_reader_members(&request->top, names, MEMBERS, value);
	if (value[HASH].kind != JSON_READER_STRING ||
	    !hex_read(value[HASH].text, body->hash, sizeof(body->hash)))
		return refuse_member(request, &value[HASH], text, fault,
		                     "the hash of a reference must have 64 hexadecimal digits");
	if (!json_reader_whole(&value[SIZE], &body->size))
		return refuse_member(request, &value[SIZE], text, fault,
		                     "the size of a reference must be a whole number");
	if (!read_kind_word(&value[KIND], body))
		return refuse_member(request, &value[KIND], text, fault,
		                     "the kind of a reference must be core, minidump or log");
	body->is_url = value[URL].text.data != NULL;
	const struct json_reader_value *place = &value[body->is_url ? URL : PATH];
	if (body->is_url == (value[PATH].text.data != NULL) || place->kind != JSON_READER_STRING ||
	    place->text.size == 0 || place->text.size >= sizeof(body->place) ||
	    !json_reader_text(place, body->place, sizeof(body->place)))
		return refuse_member(
			request, &value[PATH], text, fault,
			"a reference must have either a path or a url of 1 to 4,095 bytes");
	if (body->size > REQUEST_BODY_MAX)
		return refuse(fault, CAIRN_UNSUPPORTED, &value[SIZE], text,
		              "the reference is to more than 1 GiB");
	return CAIRN_OK;
}

enum cairn_status request_open(struct request *request, struct cairn_bytes text,
                               struct cairn_fault *fault)
{
	enum { TID, CRASHED, REPORT, HASH, MEMBERS };
	static const char *const names[MEMBERS] = { "tid", "crashed", "crash_report", "hash" };
	struct json_reader_value value[MEMBERS];
	struct sha256 hash = sha256_open();
	struct record_thread thread;

	*request = (struct request){ .kind = REQUEST_THREAD };
	sha256_put(&hash, bytes_trim(text, "", "\r\n"));
	sha256_finish(&hash, request->hash);
	if (text.size > REQUEST_BYTES_MAX) {
		return fault_set_at(fault, CAIRN_UNSUPPORTED, REQUEST_BYTES_MAX,
		                    "the request exceeds 64 MiB");
	}
	const enum cairn_status status = record_open(text, names, MEMBERS, value, &thread, fault);
	if (status != CAIRN_OK)
		return status;
	request->top = thread.object;
	/*
	 * Every line must be answered, so accept a Swift task. Do not look up its names, which
	 * would only repeat names in other stacks.
	 */
	if (record_is_task(&thread)) {
		request->kind = REQUEST_REPORT;
		return CAIRN_OK;
	}
	if (thread.reported.text.data || value[REPORT].text.data) {
		request->kind = REQUEST_REPORT;
		return read_threads(request, &thread, text, fault);
	}
	if (value[TID].text.data || value[CRASHED].text.data)
		return read_thread(request, &thread, text, fault);
	if (thread.frames.text.data) {
		request->kind = REQUEST_OFFSETS;
		return read_offsets(request, &thread.frames, text, fault);
	}
	if (value[HASH].text.data) {
		request->kind = REQUEST_REFERENCE;
		return read_reference(request, text, fault);
	}
	return refuse(fault, CAIRN_MALFORMED, &request->top, text,
	              "no stack, report, list of frames or reference");
}

enum cairn_status request_read_body(struct request *request, struct cairn_bytes text,
                                    struct cairn_fault *fault)
{
	struct record_thread report;
	const enum cairn_status status = record_open(text, NULL, 0, NULL, &report, fault);

	request->kind = REQUEST_REPORT;
	return status == CAIRN_OK ? read_threads(request, &report, text, fault) : status;
}

void request_close(struct request *request)
{
	free(request->threads);
	free(request->frames);
	free(request->objects);
	free(request->calls);
	free(request->modules);
	string_pool_finish(&request->texts);
	free(request->missing);
	string_pool_finish(&request->ids);
	*request = (struct request){ .kind = REQUEST_THREAD };
}

/*
 * Looks up the names in a request module by module, stores them in the request, and derives the
 * result of the request.
 */

enum {
	BATCH = 1024,
	MODULE_PATH = 2 * REQUEST_PATH_MAX,
};

/*
 * /dev/null is not a directory, so no file can be below it. If a module's path is replaced with
 * /dev/null/NAME, the symbolizer searches its configured directories for NAME, but cannot open the
 * path in the request.
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
	    !ARRAY_APPEND(request->calls, request->call_count, request->call_capacity, call))
		return CAIRN_NO_MEMORY;
	return request->texts.blob_size > REQUEST_TEXT_MAX
	               ? fault_set(fault, CAIRN_UNSUPPORTED,
	                           "the answer has more than 64 MiB of names")
	               : CAIRN_OK;
}

/*
 * Copy the symbolizer's answer for one frame into the request. Also record whether the module lacks
 * symbols, which is known only once an address in it has been looked up.
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
	                              count, asking->answer, sizeof(*asking->answer));

	for (size_t i = 0; status == CAIRN_OK && i < count; i++)
		status = take_answer(asking->request, &asking->request->frames[asked[i].frame],
		                     &asking->answer[i], asking->fault);
	return status;
}

/* Look up the frames asked[at..end), which all have the same module and origin. */
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
		 * Drop the cached failure, because the symbols may be uploaded before the next
		 * request.
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
