/* SPDX-License-Identifier: MIT */
/* Answers symbolicate/v5: jobs of stacks, in modules identified by debug IDs. */
#include "symbolicate_read.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

struct answering {
	const struct query_asker *asker;
	struct symbolicate request;
	struct query query;
	uint32_t *found;  /* for each frame its index in the query plus 1; 0: not queried */
	uint32_t *module; /* for each module its index in the query plus 1; 0: not queried */
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

/* Order frames by module and offset; equal frames keep the order of the request. */
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

/* Write the outer function into the frame itself and the inlined calls into a list. */
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
 * Write true for a module with symbols, false for one without, and null for one that is not used by
 * a frame.
 */
static void write_found_modules(const struct answering *a, struct answer_body *body,
                                const struct symbolicate_job *job)
{
	char key[SYMBOLICATE_KEY_MAX];

	json_object(&body->json, "found_modules");
	for (size_t i = job->module; i < job->module + job->module_count; i++) {
		const struct symbolicate_module *module = &a->request.modules[i];
		if (!symbolicate_key(&a->request, job, i, key))
			continue; /* an earlier module has the same key */
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
 * Write a list of errors for each module whose files could not be read, in samply's format. Writes
 * nothing if all files could be read.
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
		            "the files of this build have ended the processes that read them, and "
		            "are left out for some minutes");
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
