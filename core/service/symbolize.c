/* SPDX-License-Identifier: MIT */
/*
 * Answers POST /symbolize: symbolizes addresses in modules identified by build ID, in request
 * order.
 */
#include "answer_body.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

struct symbolizing {
	const struct query_asker *asker;
	struct request request;
	struct query query;
	/* for each frame, its address's index in the query plus 1, or 0 if it is not queried */
	uint32_t *found;
	struct service_answer *answer;
};

static bool add_asked_module(struct symbolizing *s, const struct request_asked *asked)
{
	const struct request_module *from = &s->request.modules[asked->module - 1];
	const struct cairn_bytes name = base_name(string_pool_get(&s->request.texts, from->name));
	struct query_module module = { .id_size = from->id_size, .origin = asked->origin };

	memcpy(module.id, from->build_id, from->id_size);
	module.name = name;
	if (name.size > QUERY_NAME_MAX)
		module.name.size = 0;
	return query_add_module(&s->query, &module);
}

static bool fill_query(struct symbolizing *s)
{
	size_t count;
	struct request_asked *asked = request_list_asked(&s->request, &count);
	bool done = asked != NULL;

	for (size_t i = 0; done && i < count; i++) {
		const bool begins = i == 0 || asked[i].module != asked[i - 1].module ||
		                    asked[i].origin != asked[i - 1].origin;
		done = (!begins || add_asked_module(s, &asked[i])) &&
		       query_add_address(&s->query, asked[i].address);
		s->found[asked[i].frame] = (uint32_t)s->query.address_count;
	}
	free(asked);
	return done;
}

static void write_result(const struct symbolizing *s, struct answer_body *body, size_t frame)
{
	static const struct query_found none = { 0, 0, 0 };
	const uint32_t number = s->found[frame];
	const struct query_found *found = number == 0 ? &none : &s->query.found[number - 1];

	json_object(&body->json, NULL);
	json_array(&body->json, "frames");
	for (uint32_t i = 0; i < found->count; i++) {
		json_object(&body->json, NULL);
		answer_body_place(body, &s->query, found, query_calls(&s->query, found) + i, true);
		json_end(&body->json);
	}
	json_end(&body->json);
	json_end(&body->json);
}

/*
 * Write the build IDs of skipped modules, or of modules without symbols. Modules with the same
 * build ID are adjacent.
 */
static void write_builds(const struct symbolizing *s, struct answer_body *body, const char *name,
                         bool left_out)
{
	const struct query_module *before = NULL;

	json_array(&body->json, name);
	for (size_t i = 0; i < s->query.module_count; i++) {
		const struct query_module *m = &s->query.modules[i];
		const bool again = before && before->id_size == m->id_size &&
		                   memcmp(before->id, m->id, m->id_size) == 0;
		const bool belongs = left_out ? m->is_left_out : m->missing & CAIRN_MISSING_ALL;
		if (belongs && !again)
			json_hex(&body->json, NULL, (struct cairn_bytes){ m->id, m->id_size });
		before = m;
	}
	json_end(&body->json);
}

/*
 * List the builds without symbols, because otherwise clients could not distinguish them from builds
 * in which some addresses have no name. Also list the builds that have been skipped, which may have
 * symbols.
 */
static void write_missing(const struct symbolizing *s, struct answer_body *body)
{
	bool any = false;

	for (size_t i = 0; i < s->query.module_count; i++)
		any |= s->query.modules[i].is_left_out;
	write_builds(s, body, "missing_build_ids", false);
	if (any)
		write_builds(s, body, "failed_build_ids", true);
}

static void write_results(struct symbolizing *s)
{
	struct answer_body body;

	if (!answer_body_begin(&body, s->request.frame_count, &s->query, s->answer))
		return;
	json_object(&body.json, NULL);
	json_array(&body.json, "results");
	for (size_t i = 0; i < s->request.frame_count; i++)
		write_result(s, &body, i);
	json_end(&body.json);
	write_missing(s, &body);
	json_end(&body.json);
	answer_body_end(&body, s->answer);
}

static void answer_frames(struct symbolizing *s)
{
	enum query_outcome outcome = QUERY_BROKEN;

	s->found = calloc(s->request.frame_count + 1, sizeof(*s->found));
	if (s->found && fill_query(s))
		outcome = s->asker->ask(s->asker->context, &s->query);
	if (outcome == QUERY_DONE)
		write_results(s);
	else
		answer_outcome(outcome, s->answer);
}

static void refuse_request(const struct cairn_fault *fault, enum cairn_status status,
                           struct service_answer *answer)
{
	if (status == CAIRN_NO_MEMORY)
		service_refuse(SERVICE_TRY_AGAIN, "out of memory", answer);
	else
		service_refuse(status == CAIRN_UNSUPPORTED ? SERVICE_TOO_LARGE : SERVICE_BAD,
		               fault->what, answer);
}

void service_symbolize(const struct query_asker *asker, struct cairn_bytes body,
                       struct service_answer *answer)
{
	struct symbolizing s = { .asker = asker, .answer = answer };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	const enum cairn_status status = request_open(&s.request, body, &fault);

	if (status != CAIRN_OK)
		refuse_request(&fault, status, answer);
	else if (s.request.kind != REQUEST_OFFSETS)
		service_refuse(SERVICE_BAD,
		               "expected an object with \"frames\" of build IDs and addresses",
		               answer);
	else
		answer_frames(&s);
	query_finish(&s.query);
	free(s.found);
	request_close(&s.request);
}
