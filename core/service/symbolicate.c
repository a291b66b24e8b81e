/* SPDX-License-Identifier: MIT */
/*
 * Answers symbolicate/v5 requests: jobs that consist of stacks, with modules identified by debug
 * IDs.
 */
#include "base/bytes.h"
#include "base/encoding.h"
#include "base/error.h"
#include "base/json_reader.h"
#include "base/memory.h"
#include "base/path.h"

#include "answer_body.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLICATE_ID_MAX = 64, SYMBOLICATE_KEY_MAX = QUERY_NAME_MAX + SYMBOLICATE_ID_MAX + 2 };

struct symbolicate_module {
	struct cairn_bytes name, id;
	uint8_t debug_id[QUERY_DEBUG_ID];
	bool has_id; /* the debug ID is valid and not all zeros */
	bool is_used;
};

struct symbolicate_frame {
	uint32_t module;
	bool is_known; /* false if the client does not know the module or the offset */
	uint64_t offset;
};

struct symbolicate_stack {
	size_t frame, frame_count;
};

struct symbolicate_job {
	size_t module, module_count, stack, stack_count;
};

struct symbolicate {
	struct symbolicate_job jobs[SERVICE_JOBS_MAX];
	size_t job_count;
	struct symbolicate_module *modules;
	struct symbolicate_stack *stacks;
	struct symbolicate_frame *frames;
	size_t module_count, module_capacity, stack_count, stack_capacity, frame_count,
		frame_capacity;
};

enum { JOBS, MEMORY_MAP, STACKS, MEMBERS };

static const char *const member_names[MEMBERS] = { "jobs", "memoryMap", "stacks" };

/*
 * Return true if the name consists of letters, digits and the punctuation usual in file names.
 * Rejects slashes and characters that JSON would have to escape.
 */
static bool is_module_name(struct cairn_bytes name)
{
	for (size_t i = 0; i < name.size; i++) {
		const uint8_t c = name.data[i];
		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !(c && strchr("_.+{}@<> ~-[]:", c)))
			return false;
	}
	return name.size <= QUERY_NAME_MAX;
}

static bool is_module_id(struct cairn_bytes id)
{
	for (size_t i = 0; i < id.size; i++)
		if (hex_digit(id.data[i]) == HEX_NO_DIGIT)
			return false;
	return id.size <= SYMBOLICATE_ID_MAX;
}

static void swap_bytes(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		const uint8_t kept = bytes[i];
		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = kept;
	}
}

/*
 * Parse a debug ID and convert it to the byte order used in files: the first three fields of the
 * GUID are numbers, which files store in little-endian order. Ignores the age at the end.
 */
static bool read_debug_id(struct cairn_bytes text, uint8_t id[QUERY_DEBUG_ID])
{
	unsigned any = 0;

	if (text.size < 2 * QUERY_DEBUG_ID ||
	    !hex_read((struct cairn_bytes){ text.data, 2 * QUERY_DEBUG_ID }, id, QUERY_DEBUG_ID))
		return false;
	swap_bytes(id, 4);
	swap_bytes(id + 4, 2);
	swap_bytes(id + 6, 2);
	for (size_t i = 0; i < QUERY_DEBUG_ID; i++)
		any |= id[i];
	return any != 0;
}

static enum cairn_status add_mapped_module(struct symbolicate *request,
                                           const struct json_reader_value *pair,
                                           struct cairn_fault *fault)
{
	struct json_reader_value name, id, more;
	size_t at = 0;

	if (!json_reader_element(pair, &at, &name) || !json_reader_element(pair, &at, &id) ||
	    json_reader_element(pair, &at, &more) || name.kind != JSON_READER_STRING ||
	    id.kind != JSON_READER_STRING)
		return fault_set(fault, CAIRN_MALFORMED,
		                 "memoryMap is not an array of a name and an ID for each module");
	if (!is_module_name(name.text))
		return fault_set(fault, CAIRN_MALFORMED, "memoryMap has an invalid module name");
	if (!is_module_id(id.text))
		return fault_set(fault, CAIRN_MALFORMED, "memoryMap has an invalid debug ID");
	if (!array_grow(&request->modules, &request->module_capacity, request->module_count + 1,
	                sizeof(*request->modules)))
		return CAIRN_NO_MEMORY;
	struct symbolicate_module *module = &request->modules[request->module_count++];
	*module = (struct symbolicate_module){ .name = name.text, .id = id.text };
	module->has_id = read_debug_id(id.text, module->debug_id);
	return CAIRN_OK;
}

static enum cairn_status read_modules(struct symbolicate *request, struct symbolicate_job *job,
                                      const struct json_reader_value *map,
                                      struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct json_reader_value pair;

	job->module = request->module_count;
	if (map->kind != JSON_READER_ARRAY || !map->text.data)
		return fault_set(fault, CAIRN_MALFORMED, "a job has no array \"memoryMap\"");
	for (size_t at = 0; status == CAIRN_OK && json_reader_element(map, &at, &pair);) {
		status = add_mapped_module(request, &pair, fault);
		job->module_count = request->module_count - job->module;
		if (job->module_count > SERVICE_MODULES_MAX)
			return fault_set(fault, CAIRN_UNSUPPORTED,
			                 "a job has more than 4,096 modules");
	}
	return status;
}

static bool read_index(const struct json_reader_value *value, bool *is_known, uint64_t *number)
{
	*number = 0;
	*is_known = true;
	if (value->kind == JSON_READER_NUMBER && bytes_are(value->text, "-1")) {
		*is_known = false;
		return true;
	}
	return value->kind == JSON_READER_NUMBER && json_reader_whole(value, number);
}

static enum cairn_status read_stack_frame(struct symbolicate *request,
                                          const struct symbolicate_job *job,
                                          const struct json_reader_value *pair,
                                          struct cairn_fault *fault)
{
	struct json_reader_value index, offset, more;
	bool has_module, has_offset;
	uint64_t module, into;
	size_t at = 0;

	if (!json_reader_element(pair, &at, &index) || !json_reader_element(pair, &at, &offset) ||
	    json_reader_element(pair, &at, &more) || !read_index(&index, &has_module, &module) ||
	    !read_index(&offset, &has_offset, &into))
		return fault_set(fault, CAIRN_MALFORMED,
		                 "a frame is not an array of a module index and an offset");
	if (has_module && module >= job->module_count)
		return fault_set(fault, CAIRN_MALFORMED, "a frame has a module index out of range");
	if (request->frame_count >= SERVICE_FRAMES_MAX)
		return fault_set(fault, CAIRN_UNSUPPORTED, "more than 131,072 frames");
	if (!ARRAY_APPEND(request->frames, request->frame_count, request->frame_capacity,
	                  (struct symbolicate_frame){
				  .module = (uint32_t)(has_module ? job->module + module : 0),
				  .is_known = has_module && has_offset,
				  .offset = into }))
		return CAIRN_NO_MEMORY;
	if (has_module)
		request->modules[job->module + module].is_used = true;
	return CAIRN_OK;
}

static enum cairn_status read_stack(struct symbolicate *request, const struct symbolicate_job *job,
                                    const struct json_reader_value *value,
                                    struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct json_reader_value pair;
	const size_t first = request->frame_count;

	if (value->kind != JSON_READER_ARRAY)
		return fault_set(fault, CAIRN_MALFORMED, "a stack is not an array");
	if (request->stack_count >= SERVICE_FRAMES_MAX)
		return fault_set(fault, CAIRN_UNSUPPORTED, "more than 131,072 stacks");
	for (size_t at = 0; status == CAIRN_OK && json_reader_element(value, &at, &pair);)
		status = read_stack_frame(request, job, &pair, fault);
	if (!ARRAY_APPEND(request->stacks, request->stack_count, request->stack_capacity,
	                  (struct symbolicate_stack){ first, request->frame_count - first }))
		return CAIRN_NO_MEMORY;
	return status;
}

static enum cairn_status read_job(struct symbolicate *request,
                                  const struct json_reader_value *value, struct cairn_fault *fault)
{
	struct json_reader_value member[MEMBERS], stack;

	if (value->kind != JSON_READER_OBJECT)
		return fault_set(fault, CAIRN_MALFORMED, "a job is not an object");
	if (request->job_count == SERVICE_JOBS_MAX)
		return fault_set(fault, CAIRN_MALFORMED, "more than 10 jobs");
	struct symbolicate_job *job = &request->jobs[request->job_count++];
	*job = (struct symbolicate_job){ .stack = request->stack_count };
	json_reader_members(value, member_names, MEMBERS, member);
	enum cairn_status status = read_modules(request, job, &member[MEMORY_MAP], fault);
	if (status != CAIRN_OK)
		return status;
	if (member[STACKS].kind != JSON_READER_ARRAY || !member[STACKS].text.data)
		return fault_set(fault, CAIRN_MALFORMED, "a job has no array \"stacks\"");
	for (size_t at = 0;
	     status == CAIRN_OK && json_reader_element(&member[STACKS], &at, &stack);)
		status = read_stack(request, job, &stack, fault);
	job->stack_count = request->stack_count - job->stack;
	return status;
}

/*
 * Parse a request. Borrows `text` until symbolicate_free(), which must be called even after an
 * error. On failure, returns MALFORMED, TRUNCATED or UNSUPPORTED (a limit was exceeded) with
 * *fault, or NO_MEMORY.
 */
static enum cairn_status symbolicate_read(struct symbolicate *request, struct cairn_bytes text,
                                          struct cairn_fault *fault)
{
	struct json_reader_value top, jobs, job;
	enum cairn_status status;

	*request = (struct symbolicate){ .job_count = 0 };
	status = json_reader_open(text, &top, fault);
	if (status != CAIRN_OK)
		return status == CAIRN_UNSUPPORTED
		               ? fault_set(fault, CAIRN_MALFORMED, "JSON that is nested too deeply")
		               : status;
	if (top.kind != JSON_READER_OBJECT)
		return fault_set(fault, CAIRN_MALFORMED, "the request is not an object");
	if (!json_reader_member(&top, member_names[JOBS], &jobs))
		return read_job(request, &top, fault);
	if (jobs.kind != JSON_READER_ARRAY)
		return fault_set(fault, CAIRN_MALFORMED, "\"jobs\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && json_reader_element(&jobs, &at, &job);)
		status = read_job(request, &job, fault);
	return status;
}

static void symbolicate_free(struct symbolicate *request)
{
	free(request->modules);
	free(request->stacks);
	free(request->frames);
	*request = (struct symbolicate){ .job_count = 0 };
}

/*
 * Write a module's key in the response, "NAME/ID". Returns false if an earlier module in the job
 * has the same key.
 */
static bool symbolicate_key(const struct symbolicate *request, const struct symbolicate_job *job,
                            size_t module, char key[SYMBOLICATE_KEY_MAX])
{
	const struct symbolicate_module *m = &request->modules[module];

	for (size_t i = job->module; i < module; i++)
		if (bytes_equal(request->modules[i].name, m->name) &&
		    bytes_equal(request->modules[i].id, m->id))
			return false;
	snprintf(key, SYMBOLICATE_KEY_MAX, "%.*s/%.*s", (int)m->name.size,
	         (const char *)m->name.data, (int)m->id.size, (const char *)m->id.data);
	return true;
}

struct answering {
	const struct query_asker *asker;
	struct symbolicate request;
	struct query query;
	/* for each frame, its address's index in the query plus 1, or 0 if it is not queried */
	uint32_t *found;
	/* for each module, its index in the query plus 1, or 0 if it is not queried */
	uint32_t *module;
	struct service_answer *answer;
};

static bool add_queried_module(struct answering *a, size_t number)
{
	const struct symbolicate_module *from = &a->request.modules[number];
	struct query_module module = { .id_size = QUERY_DEBUG_ID,
		                       .is_debug_id = true,
		                       .origin = REQUEST_MODULE_OFFSET };

	memcpy(module.id, from->debug_id, QUERY_DEBUG_ID);
	module.name = base_name(from->name);
	if (module.name.size > QUERY_NAME_MAX)
		module.name.size = 0;
	const bool added = query_add_module(&a->query, &module);
	a->module[number] = (uint32_t)a->query.module_count;
	return added;
}

static int compare_frames(const void *a, const void *b)
{
	const struct symbolicate_frame *const *x = a, *const *y = b;

	if ((*x)->module != (*y)->module)
		return (*x)->module < (*y)->module ? -1 : 1;
	if ((*x)->offset != (*y)->offset)
		return (*x)->offset < (*y)->offset ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static bool fill_query(struct answering *a)
{
	const size_t count = a->request.frame_count;
	const struct symbolicate_frame **order = calloc(count + 1, sizeof(*order));
	size_t asked = 0;
	bool done = order != NULL;

	for (size_t i = 0; done && i < count; i++) {
		const struct symbolicate_frame *frame = &a->request.frames[i];
		if (frame->is_known && a->request.modules[frame->module].has_id)
			order[asked++] = frame;
	}
	if (done && asked > 0)
		qsort(order, asked, sizeof(*order), compare_frames);
	for (size_t i = 0; done && i < asked; i++) {
		done = ((i > 0 && order[i]->module == order[i - 1]->module) ||
		        add_queried_module(a, order[i]->module)) &&
		       query_add_address(&a->query, order[i]->offset);
		a->found[order[i] - a->request.frames] = (uint32_t)a->query.address_count;
	}
	free(order);
	return done;
}

/*
 * Write the outermost function as the frame's own function, and the calls inlined into it as a
 * list.
 */
static void write_names(const struct answering *a, struct answer_body *body,
                        const struct query_found *found)
{
	const struct query_call *calls = query_calls(&a->query, found),
				*outer = &calls[found->count - 1];

	answer_body_place(body, &a->query, found, outer, false);
	json_address(&body->json, "function_offset", outer->offset);
	if (outer->size > 0)
		json_address(&body->json, "function_size", outer->size);
	if (found->count == 1)
		return;
	json_array(&body->json, "inlines");
	for (uint32_t i = 0; i + 1 < found->count; i++) {
		json_object(&body->json, NULL);
		answer_body_place(body, &a->query, found, &calls[i], false);
		json_end(&body->json);
	}
	json_end(&body->json);
}

static void write_frame(const struct answering *a, struct answer_body *body, size_t number,
                        size_t level)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"<unknown>", 9 };
	const struct symbolicate_frame *frame = &a->request.frames[number];
	const uint32_t found = a->found[number];

	json_object(&body->json, NULL);
	json_number(&body->json, "frame", level);
	answer_body_text(body, "module",
	                 frame->is_known ? a->request.modules[frame->module].name : unknown);
	json_address(&body->json, "module_offset", frame->offset);
	if (found > 0 && a->query.found[found - 1].count > 0)
		write_names(a, body, &a->query.found[found - 1]);
	json_end(&body->json);
}

static bool is_module_left_out(const struct answering *a, size_t module)
{
	return a->module[module] > 0 && a->query.modules[a->module[module] - 1].is_left_out;
}

/*
 * Write true for each module with symbols, false for each module without symbols, and null for each
 * module that no frame uses.
 */
static void write_found_modules(const struct answering *a, struct answer_body *body,
                                const struct symbolicate_job *job)
{
	char key[SYMBOLICATE_KEY_MAX];

	json_object(&body->json, "found_modules");
	for (size_t i = job->module; i < job->module + job->module_count; i++) {
		const struct symbolicate_module *module = &a->request.modules[i];
		if (!symbolicate_key(&a->request, job, i, key))
			continue;
		if (!module->is_used)
			json_null(&body->json, key);
		else
			json_bool(&body->json, key,
			          a->module[i] > 0 && !is_module_left_out(a, i) &&
			                  !(a->query.modules[a->module[i] - 1].missing &
			                    CAIRN_MISSING_ALL));
	}
	json_end(&body->json);
}

/*
 * Write a list of errors for each module with unreadable files, in samply's format. Writes nothing
 * if all files could be read.
 */
static void write_module_errors(const struct answering *a, struct answer_body *body,
                                const struct symbolicate_job *job)
{
	char key[SYMBOLICATE_KEY_MAX];
	bool any = false;

	for (size_t i = job->module; i < job->module + job->module_count; i++) {
		if (!is_module_left_out(a, i) || !symbolicate_key(&a->request, job, i, key))
			continue;
		if (!any)
			json_object(&body->json, "module_errors");
		any = true;
		json_array(&body->json, key);
		json_object(&body->json, NULL);
		json_string(&body->json, "name", "FilesEndedReaders");
		json_string(&body->json, "message",
		            "the files of this build crashed the processes that read them, and "
		            "are skipped for some minutes");
		json_end(&body->json);
		json_end(&body->json);
	}
	if (any)
		json_end(&body->json);
}

static void write_job(const struct answering *a, struct answer_body *body,
                      const struct symbolicate_job *job)
{
	json_object(&body->json, NULL);
	json_array(&body->json, "stacks");
	for (size_t s = job->stack; s < job->stack + job->stack_count; s++) {
		const struct symbolicate_stack *stack = &a->request.stacks[s];
		json_array(&body->json, NULL);
		for (size_t i = 0; i < stack->frame_count; i++)
			write_frame(a, body, stack->frame + i, i);
		json_end(&body->json);
	}
	json_end(&body->json);
	write_found_modules(a, body, job);
	write_module_errors(a, body, job);
	json_end(&body->json);
}

static void write_jobs(struct answering *a, size_t asked)
{
	struct answer_body body;

	if (!answer_body_begin(&body, asked, &a->query, a->answer))
		return;
	json_object(&body.json, NULL);
	json_array(&body.json, "results");
	for (size_t i = 0; i < a->request.job_count; i++)
		write_job(a, &body, &a->request.jobs[i]);
	json_end(&body.json);
	json_end(&body.json);
	answer_body_end(&body, a->answer);
}

static void answer_jobs(struct answering *a, size_t asked)
{
	enum query_outcome outcome = QUERY_BROKEN;

	a->found = calloc(a->request.frame_count + 1, sizeof(*a->found));
	a->module = calloc(a->request.module_count + 1, sizeof(*a->module));
	if (a->found && a->module && fill_query(a))
		outcome = a->asker->ask(a->asker->context, &a->query);
	if (outcome == QUERY_DONE)
		write_jobs(a, asked);
	else
		answer_outcome(outcome, a->answer);
	query_finish(&a->query);
	free(a->found);
	free(a->module);
}

/* Write {"title":"..."}, the error format of this protocol. */
static void refuse_jobs(unsigned status, const char *why, struct service_answer *answer)
{
	struct answer_body body;

	if (!answer_body_begin(&body, 0, NULL, answer))
		return;
	json_object(&body.json, NULL);
	json_string(&body.json, "title", why);
	json_end(&body.json);
	answer_body_end(&body, answer);
	answer->status = status;
	answer->why = why;
}

void service_symbolicate(const struct query_asker *asker, struct cairn_bytes body,
                         struct service_answer *answer)
{
	struct answering a = { .asker = asker, .answer = answer };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	const enum cairn_status status = symbolicate_read(&a.request, body, &fault);

	if (status == CAIRN_NO_MEMORY)
		service_refuse(SERVICE_TRY_AGAIN, "out of memory", answer);
	else if (status != CAIRN_OK)
		refuse_jobs(status == CAIRN_UNSUPPORTED ? SERVICE_TOO_LARGE : SERVICE_BAD,
		            fault.what, answer);
	else
		answer_jobs(&a, body.size);
	symbolicate_free(&a.request);
}
