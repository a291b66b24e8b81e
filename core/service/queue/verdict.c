/* SPDX-License-Identifier: MIT */
/*
 * Decides what happens after an answer, or after the crash of the process that should have
 * answered.
 */
#include "verdict.h"

struct verdict verdict_of_result(enum request_result result, struct verdict_past past)
{
	struct verdict verdict = { VERDICT_ANSWER, 0, past };

	switch (result) {
	case REQUEST_DONE:
	case REQUEST_NO_SYMBOLS:
	case REQUEST_NOT_YET:
		break;
	case REQUEST_REJECTED:
		verdict.kind = VERDICT_DEAD;
		break;
	case REQUEST_TRY_AGAIN:
		verdict.kind = past.attempts < past.delays ? VERDICT_LATER : VERDICT_DEAD;
		verdict.delay = past.attempts;
		verdict.past.attempts++;
		break;
	}
	return verdict;
}

struct verdict verdict_of_crash(struct verdict_past past)
{
	struct verdict verdict = { VERDICT_AGAIN, 0, past };

	verdict.past.crashes++;
	if (verdict.past.crashes >= VERDICT_CRASHES) {
		verdict.kind = VERDICT_DEAD;
	} else if (past.delays > 0) {
		verdict.kind = VERDICT_LATER;
		/* later crashes use the longest delay */
		verdict.delay = past.crashes < past.delays ? past.crashes : past.delays - 1;
	}
	return verdict;
}
