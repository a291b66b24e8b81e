/* SPDX-License-Identifier: MIT */
/*
 * Profiles that a service is sent, of any bytes, packed or not, as messages and as JSON. Always:
 *   - the status is one that the service has;
 *   - what is passed on is read again as a profile of the same encoding;
 *   - what is refused has words.
 */
#include "fuzz.h"
#include "service_asker.h"

#include "service/answers.h"

static void check_passed_on(const struct service_answer *answer, bool is_json)
{
	const struct cairn_bytes body = { (const uint8_t *)answer->body, answer->size };
	struct cairn_profile *profile;
	struct cairn_fault fault;

	if (body.size == 0 || (is_json && body.size == 2))
		return;
	ALWAYS(cairn_profile_open(body, CAIRN_PROFILE_1_10, &profile, &fault) == CAIRN_OK);
	ALWAYS(cairn_profile_format(profile) ==
	       (is_json ? CAIRN_PROFILE_OTLP_JSON : CAIRN_PROFILE_OTLP));
	cairn_profile_close(profile);
}

static void try_encoding(struct cairn_bytes body, bool is_json)
{
	struct service_answer answer;

	service_profiles(&service_asker, body, is_json, &answer);
	if (answer.status == SERVICE_OK)
		check_passed_on(&answer, is_json);
	else
		ALWAYS(answer.why && answer.size > 0 &&
		       (answer.status == SERVICE_BAD || answer.status == SERVICE_BAD_TYPE ||
		        answer.status == SERVICE_TOO_LARGE));
	service_answer_free(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing;
	const struct cairn_bytes body = { data ? data : &nothing, size };

	try_encoding(body, false);
	try_encoding(body, true);
	return 0;
}
