/* SPDX-License-Identifier: MIT */
/* Opens and closes a profile. */
#include "profile.h"

#include <stdlib.h>

static enum cairn_status reject_profile(struct cairn_fault *fault, enum cairn_status status,
                                        const char *what)
{
	*fault = (struct cairn_fault){ status, 0, what };
	return status;
}

/* The tables of an empty profile, and text number 0 of the new ones. */
static struct cairn_profile *make_profile(struct cairn_bytes bytes)
{
	struct cairn_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->bytes = bytes;
	p->lines_left = allowance_of(PROFILE_LINES_LEAST, PROFILE_LINES_TIMES, bytes.size);
	p->text_left = allowance_of(PROFILE_TEXT_LEAST, PROFILE_TEXT_TIMES, bytes.size);
	p->scratch = malloc(PROFILE_SCRATCH);
	if (p->scratch &&
	    string_pool_add(&p->pool, (struct cairn_bytes){ (const uint8_t *)"", 0 }) == 0)
		return p;
	cairn_profile_close(p);
	return NULL;
}

static void take_reasons(struct cairn_profile *p)
{
	for (size_t i = 0; i < p->location_count; i++)
		p->locations[i].reason = CAIRN_PROFILE_NOT_ASKED;
	profile_recount(p);
}

enum cairn_status cairn_profile_open(struct cairn_bytes bytes, struct cairn_profile **profile,
                                     struct cairn_fault *fault)
{
	switch (pprof_recognize(bytes)) {
	case PPROF_NONE:
		return reject_profile(fault, CAIRN_UNSUPPORTED, "no profile that cairn reads");
	case PPROF_LEGACY:
		return reject_profile(fault, CAIRN_UNSUPPORTED,
		                      "a profile in the legacy format of gperftools");
	case PPROF_PROFILE:
		break;
	}
	struct cairn_profile *p = make_profile(bytes);
	if (!p)
		return reject_profile(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	const enum cairn_status status = profile_load(p, fault);
	if (status != CAIRN_OK) {
		cairn_profile_close(p);
		return status;
	}
	take_reasons(p);
	*profile = p;
	return CAIRN_OK;
}

void cairn_profile_close(struct cairn_profile *p)
{
	if (!p)
		return;
	free(p->texts);
	free(p->mappings);
	free(p->locations);
	free(p->functions);
	free(p->types);
	free(p->mapping_ids.slot);
	free(p->location_ids.slot);
	free(p->function_ids.slot);
	free(p->modules);
	string_pool_finish(&p->pool);
	free(p->new_functions);
	free(p->new_lines);
	free(p->known_functions.slot);
	free(p->scratch);
	free(p);
}
