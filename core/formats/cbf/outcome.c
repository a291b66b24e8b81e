/* SPDX-License-Identifier: MIT */
/* Maps outcomes of decoding to names, messages and status codes. */
#include "cbf.h"

struct outcome {
	const char *name;
	enum cairn_status status;
	const char *what;
};

static struct outcome outcome_of(enum cbf_outcome outcome)
{
	switch (outcome) {
	case CBF_MORE:
		return (struct outcome){ "more", CAIRN_OK, "not at the end yet" };
	case CBF_END:
		return (struct outcome){ "end", CAIRN_OK, "complete, with an end mark" };
	case CBF_TRUNC:
		return (struct outcome){ "trunc", CAIRN_OK, "cut by its producer" };
	case CBF_EOF:
		return (struct outcome){ "eof", CAIRN_OK, "complete, without an end mark" };
	case CBF_EMPTY:
		return (struct outcome){ "empty", CAIRN_TRUNCATED, "there are no bytes" };
	case CBF_VERSION:
		return (struct outcome){ "version", CAIRN_UNSUPPORTED, "the version is not 0" };
	case CBF_SIZE:
		return (struct outcome){ "size", CAIRN_MALFORMED, "reserved size of words" };
	case CBF_SHORT:
		return (struct outcome){ "short", CAIRN_TRUNCATED, "data ends inside an operand" };
	case CBF_RESERVED:
		return (struct outcome){ "reserved", CAIRN_MALFORMED, "reserved instruction" };
	case CBF_ORPHAN_REP:
		return (struct outcome){ "orphan-rep", CAIRN_MALFORMED,
			                 "a repetition with nothing before it" };
	case CBF_COUNT:
		return (struct outcome){ "count", CAIRN_MALFORMED,
			                 "a number of omitted frames wider than 64 bits" };
	}
	return (struct outcome){ "unknown", CAIRN_MALFORMED, "unknown outcome" };
}

const char *cbf_outcome_name(enum cbf_outcome outcome)
{
	return outcome_of(outcome).name;
}

bool cbf_is_error(enum cbf_outcome outcome)
{
	return outcome_of(outcome).status != CAIRN_OK;
}

struct cairn_fault cbf_fault(const struct cbf *cbf)
{
	struct outcome o = outcome_of(cbf->outcome);
	return (struct cairn_fault){ o.status, cbf->at, o.what };
}
