/* SPDX-License-Identifier: MIT */
/* Maps outcomes of decoding to names, messages and status codes. */
#include "imagemap.h"

struct outcome {
	const char *name;
	enum cairn_status status;
	const char *what;
};

static struct outcome outcome_of(enum imagemap_outcome outcome)
{
	switch (outcome) {
	case IMAGEMAP_MORE:
		return (struct outcome){ "more", CAIRN_OK, "not at the end yet" };
	case IMAGEMAP_OK:
		return (struct outcome){ "ok", CAIRN_OK, "complete" };
	case IMAGEMAP_EMPTY:
		return (struct outcome){ "empty", CAIRN_TRUNCATED, "there are no bytes" };
	case IMAGEMAP_VERSION:
		return (struct outcome){ "version", CAIRN_UNSUPPORTED, "the version is not 0" };
	case IMAGEMAP_SIZE:
		return (struct outcome){ "size", CAIRN_MALFORMED, "reserved size of words" };
	case IMAGEMAP_SHORT:
		return (struct outcome){ "short", CAIRN_TRUNCATED, "the data ends too early" };
	case IMAGEMAP_COUNT:
		return (struct outcome){ "count", CAIRN_MALFORMED, "a count wider than 64 bits" };
	}
	return (struct outcome){ "unknown", CAIRN_MALFORMED, "unknown outcome" };
}

const char *imagemap_outcome_name(enum imagemap_outcome outcome)
{
	return outcome_of(outcome).name;
}

bool imagemap_is_error(enum imagemap_outcome outcome)
{
	return outcome_of(outcome).status != CAIRN_OK;
}

struct cairn_fault imagemap_fault(const struct imagemap *map)
{
	struct outcome o = outcome_of(map->outcome);
	return (struct cairn_fault){ o.status, map->at, o.what };
}
