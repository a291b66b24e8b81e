/* SPDX-License-Identifier: MIT */
/* The outcomes of decoding in words: a name, a phrase, and the status of cairn.h. */
#include "cbf.h"

struct outcome {
	const char *name;
	enum cairn_status status;
	const char *what;
};

static const struct outcome outcomes[] = {
	[CBF_MORE] = { "more", CAIRN_OK, "not at the end yet" },
	[CBF_END] = { "end", CAIRN_OK, "complete, with an end mark" },
	[CBF_TRUNC] = { "trunc", CAIRN_OK, "cut by its producer" },
	[CBF_EOF] = { "eof", CAIRN_OK, "complete, without an end mark" },
	[CBF_EMPTY] = { "empty", CAIRN_TRUNCATED, "there are no bytes" },
	[CBF_VERSION] = { "version", CAIRN_UNSUPPORTED, "the version is not 0" },
	[CBF_SIZE] = { "size", CAIRN_MALFORMED, "reserved size of words" },
	[CBF_SHORT] = { "short", CAIRN_TRUNCATED, "data ends inside an operand" },
	[CBF_RESERVED] = { "reserved", CAIRN_MALFORMED, "reserved instruction" },
	[CBF_ORPHAN_REP] = { "orphan-rep", CAIRN_MALFORMED, "a repetition with nothing before it" },
	[CBF_COUNT] = { "count", CAIRN_MALFORMED, "a number of omitted frames wider than 64 bits" },
};

static const struct outcome *outcome_of(enum cbf_outcome outcome)
{
	static const struct outcome unknown = { "unknown", CAIRN_MALFORMED, "unknown outcome" };

	return (size_t)outcome < sizeof(outcomes) / sizeof(outcomes[0]) ? &outcomes[outcome]
	                                                                : &unknown;
}

const char *cbf_outcome_name(enum cbf_outcome outcome)
{
	return outcome_of(outcome)->name;
}

bool cbf_is_error(enum cbf_outcome outcome)
{
	return outcome_of(outcome)->status != CAIRN_OK;
}

struct cairn_fault cbf_fault(const struct cbf *cbf)
{
	const struct outcome *o = outcome_of(cbf->outcome);
	return (struct cairn_fault){ o->status, cbf->at, o->what };
}
