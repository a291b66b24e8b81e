/* SPDX-License-Identifier: MIT */
/*
 * Prints answers. An answer that would be too long is replaced by a rejection, so that no answer
 * contains only some of the names.
 */
#include "symbolize.h"

#include "cli/front/printed.h"
#include "output/location.h"

#include <inttypes.h>
#include <stdlib.h>

/* Members that the answer defines itself. */
static const char *const own_members[] = { "answer",  "request", "result",  "missing_build_ids",
	                                   "reason",  "offset",  "threads", "frames",
	                                   "results", NULL };
static const char *const own_thread_members[] = { "frames", NULL };
/* Members that are not copied from the request: for frames with names, and for other frames. */
static const char *const named_members[] = { "level", "function", "offset",  "file",
	                                     "line",  "column",   "inlined", NULL };
static const char *const kept_members[] = { "level", NULL };

struct answer_printing {
	struct json *json;
	const struct request *request;
	struct allowance printed;
};

static struct cairn_bytes text_of(const struct answer_printing *p, uint32_t number)
{
	return string_pool_get(&p->request->texts, number);
}

static void print_answer_call(struct answer_printing *p, const struct request_call *call)
{
	const struct cairn_bytes file = text_of(p, call->file);

	json_text(p->json, "function",
	          printed_text(&p->printed, readable_name(text_of(p, call->function))));
	json_number(p->json, "offset", call->offset);
	json_place(p->json, printed_text(&p->printed, file), call->line, call->column);
	json_bool(p->json, "inlined", call->inlined);
}

/* Print one frame per call that was found, each with the members of the original frame. */
static void print_named_frame(struct answer_printing *p, const struct request_frame *frame,
                              size_t *level)
{
	const struct json_reader_value *object =
		&p->request->objects[frame->object + frame->object_count - 1];

	for (size_t i = 0; i < frame->call_count; i++) {
		json_object(p->json, NULL);
		json_number(p->json, "level", (*level)++);
		symbolize_print_members(p->json, object->text, named_members, &p->printed);
		print_answer_call(p, &p->request->calls[frame->call + i]);
		json_end(p->json);
	}
}

static void print_kept_frame(struct answer_printing *p, const struct request_frame *frame,
                             size_t *level)
{
	for (size_t i = 0; i < frame->object_count; i++) {
		json_object(p->json, NULL);
		json_number(p->json, "level", (*level)++);
		symbolize_print_members(p->json, p->request->objects[frame->object + i].text,
		                        kept_members, &p->printed);
		json_end(p->json);
	}
}

static void print_frames(struct answer_printing *p, const struct request_thread *thread)
{
	size_t level = 0;

	json_array(p->json, "frames");
	for (size_t i = 0; i < thread->frame_count; i++) {
		const struct request_frame *frame = &p->request->frames[thread->frame + i];
		if (frame->call_count > 0)
			print_named_frame(p, frame, &level);
		else
			print_kept_frame(p, frame, &level);
	}
	json_end(p->json);
}

static void print_threads(struct answer_printing *p)
{
	json_array(p->json, "threads");
	for (size_t i = 0; i < p->request->thread_count; i++) {
		const struct request_thread *thread = &p->request->threads[i];
		json_object(p->json, NULL);
		symbolize_print_members(p->json, thread->value.text, own_thread_members,
		                        &p->printed);
		print_frames(p, thread);
		json_end(p->json);
	}
	json_end(p->json);
}

static void print_results(struct answer_printing *p)
{
	json_array(p->json, "results");
	for (size_t i = 0; i < p->request->frame_count; i++) {
		const struct request_frame *frame = &p->request->frames[i];
		json_object(p->json, NULL);
		json_array(p->json, "frames");
		for (size_t k = 0; k < frame->call_count; k++) {
			json_object(p->json, NULL);
			print_answer_call(p, &p->request->calls[frame->call + k]);
			json_end(p->json);
		}
		json_end(p->json);
		json_end(p->json);
	}
	json_end(p->json);
}

static void print_parts(struct answer_printing *p)
{
	json_array(p->json, "missing_build_ids");
	for (size_t i = 0; i < p->request->missing_count; i++)
		json_hex(p->json, NULL, request_module_id(p->request->missing[i]));
	json_end(p->json);
	symbolize_print_members(p->json, p->request->top.text, own_members, &p->printed);
	switch (p->request->kind) {
	case REQUEST_THREAD:
		print_frames(p, &p->request->threads[0]);
		break;
	case REQUEST_REPORT:
	case REQUEST_REFERENCE:
		print_threads(p);
		break;
	case REQUEST_OFFSETS:
		print_results(p);
		break;
	}
}

static void print_head(struct json *json, const struct symbolize_answer *answer)
{
	const struct cairn_bytes hash = { answer->request.hash, sizeof(answer->request.hash) };

	json_number(json, "answer", SYMBOLIZE_ANSWER);
	if (answer->is_hashed)
		json_hex(json, "request", hash);
	else
		json_null(json, "request");
	json_string(json, "result", request_result_word(answer->result));
	if (answer->why)
		json_string(json, "reason", answer->why);
	if (answer->has_offset)
		json_number(json, "offset", answer->offset);
}

static bool print_answer(FILE *out, const struct symbolize_answer *answer, uint64_t size)
{
	struct json json = json_to(out);
	struct answer_printing p = { .json = &json,
		                     .request = &answer->request,
		                     .printed = allowance_of(SYMBOLIZE_PRINTED_LEAST,
		                                             SYMBOLIZE_PRINTED_TIMES, size) };

	json_object(&json, NULL);
	print_head(&json, answer);
	if (answer->result != REQUEST_REJECTED && answer->result != REQUEST_TRY_AGAIN)
		print_parts(&p);
	json_end(&json);
	return !p.printed.over;
}

void symbolize_print(struct symbolize_answer *answer, uint64_t size)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	/*
	 * These answers contain no names and may number in the millions, so avoid the cost of a
	 * memory stream.
	 */
	if (answer->result == REQUEST_REJECTED || answer->result == REQUEST_TRY_AGAIN) {
		print_answer(stdout, answer, size);
		return;
	}
	out = open_memstream(&text, &length);
	const bool fits = out && print_answer(out, answer, size);
	const bool good = out && fclose(out) == 0;

	if (good && fits) {
		fwrite(text, 1, length, stdout);
	} else {
		if (good)
			symbolize_reject(answer, "the answer has too many bytes of names");
		else
			symbolize_try_again(answer, "out of memory");
		print_answer(stdout, answer, size);
	}
	free(text);
}
