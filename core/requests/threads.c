/* SPDX-License-Identifier: MIT */
/* Reads stacks, as `cairn bt --json` has them, into frames that have names and frames that need them. */
#include "parts.h"

#include "base/array_grow.h"
#include "base/base_name.h"
#include "base/bytes_compare.h"

enum { FUNCTION, BUILD_ID, MODULE, VA, MODULE_OFFSET, INLINED, FOUND, EXACT, MEMBERS };

static const char *const member_names[MEMBERS] = { "function",      "build_id", "module", "va",
	                                           "module_offset", "inlined",  "found",  "exact" };

/* One stack while it is read. */
struct stack_reading {
	struct request *request;
	struct cairn_bytes text;
	struct cairn_fault *fault;
	struct request_frame *frame; /* whose objects are not all there yet; NULL: none */
	bool any;                    /* it is not the innermost one */
};

static bool is_true(const struct json_reader_value *value)
{
	return value->kind == JSON_READER_TRUE;
}

static bool has_function_name(const struct json_reader_value *function)
{
	return function->kind == JSON_READER_STRING && function->text.size > 0 &&
	       !bytes_are(function->text, "??");
}

/* The kernel's code in every process, which no file has. */
static bool is_fileless(const struct json_reader_value *module)
{
	const struct cairn_bytes name = base_name(module->text);

	return module->kind == JSON_READER_STRING &&
	       (bytes_begin_with(name, "[") || bytes_begin_with(name, "linux-vdso"));
}

/*
 * Names are looked up before a return address, which may be that of the next function; the innermost frame, and what a signal
 * interrupted, have none. A frame may say of itself which it has.
 */
static bool has_exact_address(const struct json_reader_value *value, bool is_innermost)
{
	const bool is_said =
		value[EXACT].kind == JSON_READER_TRUE || value[EXACT].kind == JSON_READER_FALSE;

	if (is_said)
		return is_true(&value[EXACT]);
	return is_innermost ||
	       (value[FOUND].kind == JSON_READER_STRING && bytes_are(value[FOUND].text, "signal"));
}

static void set_frame_place(struct request_frame *frame, const struct json_reader_value *value,
                            bool is_exact)
{
	if (request_read_address(&value[VA], &frame->address))
		frame->origin = REQUEST_VA;
	else if (request_read_address(&value[MODULE_OFFSET], &frame->address))
		frame->origin = REQUEST_MODULE_OFFSET;
	else
		frame->module = 0;
	frame->address -= !is_exact;
}

static enum cairn_status end_frame(struct stack_reading *stack,
                                   const struct json_reader_value *value)
{
	struct request_frame *frame = stack->frame;
	const bool is_exact = has_exact_address(value, !stack->any);

	stack->frame = NULL;
	stack->any = true;
	if (is_fileless(&value[MODULE]))
		return CAIRN_OK;
	frame->module = request_add_module(stack->request, &value[BUILD_ID], &value[MODULE]);
	if (frame->module == UINT32_MAX)
		return CAIRN_NO_MEMORY;
	if (!frame->is_named)
		set_frame_place(frame, value, is_exact);
	else if (frame->module > 0) /* somebody had its symbols */
		stack->request->modules[frame->module - 1].named = true;
	return CAIRN_OK;
}

/* Adds a frame after the calls that are inlined in it. */
static enum cairn_status add_frame_object(struct stack_reading *stack,
                                          const struct json_reader_value *object)
{
	struct request *request = stack->request;
	struct json_reader_value value[MEMBERS];

	if (object->kind != JSON_READER_OBJECT)
		return request_refuse(stack->fault, CAIRN_MALFORMED, object, stack->text,
		                      "a frame that is not an object");
	if (request->object_count >= REQUEST_FRAMES_MAX)
		return request_refuse(stack->fault, CAIRN_UNSUPPORTED, object, stack->text,
		                      "more than 131,072 frames");
	if (!stack->frame) {
		stack->frame = request_add_frame(request, stack->fault);
		if (!stack->frame)
			return stack->fault->status;
		stack->frame->object = request->object_count;
	}
	if (!ARRAY_APPEND(request->objects, request->object_count, request->object_room, *object))
		return CAIRN_NO_MEMORY;
	stack->frame->object_count++;
	json_reader_members(object, member_names, MEMBERS, value);
	stack->frame->is_named = stack->frame->is_named || has_function_name(&value[FUNCTION]);
	return is_true(&value[INLINED]) ? CAIRN_OK : end_frame(stack, value);
}

static enum cairn_status read_frames(struct stack_reading *stack,
                                     const struct json_reader_value *frames)
{
	enum cairn_status status = CAIRN_OK;
	struct json_reader_value object;

	if (frames->kind != JSON_READER_ARRAY)
		return request_refuse(stack->fault, CAIRN_MALFORMED, frames, stack->text,
		                      "\"frames\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && json_reader_element(frames, &at, &object);)
		status = add_frame_object(stack, &object);
	return status;
}

enum cairn_status request_read_thread(struct request *request,
                                      const struct json_reader_value *thread,
                                      struct cairn_bytes text, struct cairn_fault *fault)
{
	struct stack_reading stack = { request, text, fault, NULL, false };
	struct json_reader_value frames;

	if (request->thread_count >= REQUEST_THREADS_MAX)
		return request_refuse(fault, CAIRN_UNSUPPORTED, thread, text,
		                      "more than 16,384 threads");
	if (!array_grow(&request->threads, &request->thread_room, request->thread_count + 1,
	                sizeof(*request->threads)))
		return CAIRN_NO_MEMORY;
	struct request_thread *read = &request->threads[request->thread_count++];
	*read = (struct request_thread){ *thread, request->frame_count, 0 };
	if (!json_reader_member(thread, "frames", &frames))
		return request_refuse(fault, CAIRN_MALFORMED, thread, text,
		                      "a thread without frames");
	const enum cairn_status status = read_frames(&stack, &frames);
	read->frame_count = request->frame_count - read->frame;
	return status;
}

/* A report of a crash whose core could not be read has no threads. */
enum cairn_status request_read_threads(struct request *request, const struct json_reader_value *top,
                                       struct cairn_bytes text, struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct json_reader_value threads, thread;

	if (!json_reader_member(top, "threads", &threads))
		return CAIRN_OK;
	if (threads.kind != JSON_READER_ARRAY)
		return request_refuse(fault, CAIRN_MALFORMED, &threads, text,
		                      "\"threads\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && json_reader_element(&threads, &at, &thread);)
		status = thread.kind == JSON_READER_OBJECT
		                 ? request_read_thread(request, &thread, text, fault)
		                 : request_refuse(fault, CAIRN_MALFORMED, &thread, text,
		                                  "a thread that is not an object");
	return status;
}
