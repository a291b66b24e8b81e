/* SPDX-License-Identifier: MIT */
/* Reads stacks, as `cairn bt --json` has them, into frames that have names and frames that need them. */
#include "parts.h"

#include "base/array_grow.h"
#include "base/base_name.h"
#include "base/bytes_compare.h"

/* One stack while it is read. */
struct stack_reading {
	struct request *request;
	struct cairn_bytes text;
	struct cairn_fault *fault;
	struct request_frame *frame; /* whose objects are not all there yet; NULL: none */
	bool any;                    /* it is not the innermost one */
};

/* The kernel's code in every process, which no file has. */
static bool is_fileless(struct cairn_bytes module)
{
	const struct cairn_bytes name = base_name(module);

	return bytes_begin_with(name, "[") || bytes_begin_with(name, "linux-vdso");
}

static enum cairn_status end_frame(struct stack_reading *stack, const struct record_frame *read)
{
	struct request_frame *frame = stack->frame;
	/*
	 * Names are looked up before a return address, which may be that of the next function. The innermost frame and a frame that a
	 * signal interrupted have none.
	 */
	const bool is_exact = read->exact != RECORD_UNSAID
	                              ? read->exact == RECORD_YES
	                              : !stack->any || bytes_are(read->found, "signal");

	stack->frame = NULL;
	stack->any = true;
	if (is_fileless(read->module))
		return CAIRN_OK;
	frame->module = request_add_module(stack->request, read->build_id, read->module);
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
		/* somebody had its symbols */
		stack->request->modules[frame->module - 1].named = true;
	}
	return CAIRN_OK;
}

/* Adds a frame after the calls that are inlined in it. */
static enum cairn_status add_frame_object(struct stack_reading *stack,
                                          const struct record_frame *read)
{
	struct request *request = stack->request;
	const struct json_reader_value *object = &read->object;

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
	if (read->function.size > 0 && !bytes_are(read->function, "??"))
		stack->frame->is_named = true;
	return read->inlined == RECORD_YES ? CAIRN_OK : end_frame(stack, read);
}

enum cairn_status request_read_thread(struct request *request, const struct record_thread *thread,
                                      struct cairn_bytes text, struct cairn_fault *fault)
{
	struct stack_reading stack = { request, text, fault, NULL, false };
	enum cairn_status status = CAIRN_OK;
	struct record_frame frame;

	if (request->thread_count >= REQUEST_THREADS_MAX)
		return request_refuse(fault, CAIRN_UNSUPPORTED, &thread->object, text,
		                      "more than 16,384 threads");
	if (!array_grow(&request->threads, &request->thread_room, request->thread_count + 1,
	                sizeof(*request->threads)))
		return CAIRN_NO_MEMORY;
	struct request_thread *read = &request->threads[request->thread_count++];
	*read = (struct request_thread){ thread->object, request->frame_count, 0 };
	if (thread->object.kind != JSON_READER_OBJECT || !thread->frames.text.data)
		return request_refuse(fault, CAIRN_MALFORMED, &thread->object, text,
		                      "a thread without frames");
	if (thread->frames.kind != JSON_READER_ARRAY)
		return request_refuse(fault, CAIRN_MALFORMED, &thread->frames, text,
		                      "\"frames\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && record_next_frame(thread, &at, &frame);)
		status = add_frame_object(&stack, &frame);
	read->frame_count = request->frame_count - read->frame;
	return status;
}

/* A report of a crash whose core could not be read has no threads. */
enum cairn_status request_read_threads(struct request *request, const struct record_thread *report,
                                       struct cairn_bytes text, struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct record_thread thread;

	if (!report->reported.text.data)
		return CAIRN_OK;
	if (report->reported.kind != JSON_READER_ARRAY)
		return request_refuse(fault, CAIRN_MALFORMED, &report->reported, text,
		                      "\"threads\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && record_next_thread(report, &at, &thread);)
		status = thread.object.kind == JSON_READER_OBJECT
		                 ? request_read_thread(request, &thread, text, fault)
		                 : request_refuse(fault, CAIRN_MALFORMED, &thread.object, text,
		                                  "a thread that is not an object");
	return status;
}
