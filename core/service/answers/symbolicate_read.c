/* SPDX-License-Identifier: MIT */
/* Parses requests of symbolicate/v5. */
#include "symbolicate_read.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { JOBS, MEMORY_MAP, STACKS, MEMBERS };

static const char *const member_names[MEMBERS] = { "jobs", "memoryMap", "stacks" };

/*
 * Return true for letters, digits and punctuation of file names, without slashes and characters
 * that JSON would have to escape.
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
 * Parse a debug ID and swap it to file order: the first three fields of the GUID are numbers,
 * stored in little-endian order. The age at the end is ignored.
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
	if (!array_grow(&request->modules, &request->module_room, request->module_count + 1,
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

/* Parse an integer of at least -1; -1 means unknown. */
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
	if (!ARRAY_APPEND(request->frames, request->frame_count, request->frame_room,
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
	if (!ARRAY_APPEND(request->stacks, request->stack_count, request->stack_room,
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

enum cairn_status symbolicate_read(struct symbolicate *request, struct cairn_bytes text,
                                   struct cairn_fault *fault)
{
	struct json_reader_value top, jobs, job;
	enum cairn_status status;

	*request = (struct symbolicate){ .job_count = 0 };
	status = json_reader_open(text, &top, fault);
	if (status != CAIRN_OK)
		return status == CAIRN_UNSUPPORTED
		               ? fault_set(fault, CAIRN_MALFORMED, "JSON that is too deep")
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

void symbolicate_free(struct symbolicate *request)
{
	free(request->modules);
	free(request->stacks);
	free(request->frames);
	*request = (struct symbolicate){ .job_count = 0 };
}

bool symbolicate_key(const struct symbolicate *request, const struct symbolicate_job *job,
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
