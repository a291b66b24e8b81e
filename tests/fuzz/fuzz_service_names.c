/* SPDX-License-Identifier: MIT */
/*
 * Bodies that a service is asked for names with, of any bytes, for each of the two ways; whoever answers knows three addresses of four, and
 * no module whose ID begins with an odd byte. Always:
 *   - the status is one that the service has, and a body is one object of JSON;
 *   - what is not answered has words;
 *   - the same body has the same answer again.
 */
#include "fuzz.h"
#include "service_asker.h"

#include "base/json_reader.h"
#include "service/answers.h"

typedef void (*endpoint)(const struct query_asker *asker, struct cairn_bytes body,
                         struct service_answer *answer);

static void check_answer(const struct service_answer *answer)
{
	const struct cairn_bytes body = { (const uint8_t *)answer->body, answer->size };
	struct json_reader_value top;
	struct cairn_fault fault;

	ALWAYS(answer->status == SERVICE_OK || answer->status == SERVICE_BAD ||
	       answer->status == SERVICE_TOO_LARGE);
	ALWAYS(answer->body && answer->size > 0);
	ALWAYS(json_reader_open(body, &top, &fault) == CAIRN_OK);
	ALWAYS(top.kind == JSON_READER_OBJECT);
	ALWAYS((answer->status == SERVICE_OK) == (answer->why == NULL));
}

static void try_endpoint(endpoint answer_of, struct cairn_bytes body)
{
	struct service_answer first, second;

	answer_of(&service_asker, body, &first);
	check_answer(&first);
	answer_of(&service_asker, body, &second);
	ALWAYS(first.status == second.status && first.size == second.size &&
	       memcmp(first.body, second.body, first.size) == 0);
	service_answer_free(&first);
	service_answer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing;
	const struct cairn_bytes body = { data ? data : &nothing, size };

	try_endpoint(service_symbolize, body);
	try_endpoint(service_symbolicate, body);
	return 0;
}
