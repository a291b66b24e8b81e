/* SPDX-License-Identifier: MIT */
/* The outcomes of decoding in words: a name, a phrase, and the status of cairn.h. */
#include "imagemap.h"

struct outcome {
	const char *name;
	enum cairn_status status;
	const char *what;
};

static const struct outcome outcomes[] = {
	[IMAGEMAP_MORE] = { "more", CAIRN_OK, "not at the end yet" },
	[IMAGEMAP_OK] = { "ok", CAIRN_OK, "complete" },
	[IMAGEMAP_EMPTY] = { "empty", CAIRN_TRUNCATED, "there are no bytes" },
	[IMAGEMAP_VERSION] = { "version", CAIRN_UNSUPPORTED, "the version is not 0" },
	[IMAGEMAP_SIZE] = { "size", CAIRN_MALFORMED, "reserved size of words" },
	[IMAGEMAP_SHORT] = { "short", CAIRN_TRUNCATED, "the data ends too early" },
	[IMAGEMAP_COUNT] = { "count", CAIRN_MALFORMED, "a count wider than 64 bits" },
};

static const struct outcome *outcome_of(enum imagemap_outcome outcome)
{
	static const struct outcome unknown = { "unknown", CAIRN_MALFORMED, "unknown outcome" };

	return (size_t)outcome < sizeof(outcomes) / sizeof(outcomes[0]) ? &outcomes[outcome]
	                                                                : &unknown;
}

const char *imagemap_outcome_name(enum imagemap_outcome outcome)
{
	return outcome_of(outcome)->name;
}

bool imagemap_is_error(enum imagemap_outcome outcome)
{
	return outcome_of(outcome)->status != CAIRN_OK;
}

struct cairn_fault imagemap_fault(const struct imagemap *map)
{
	const struct outcome *o = outcome_of(map->outcome);
	return (struct cairn_fault){ o->status, map->at, o->what };
}
