/* SPDX-License-Identifier: MIT */
/* Tells the host while a recording is read that it is not needed for a while, so that a mapped file of hundreds of megabytes is never in memory as a whole. */
#include "recording.h"

enum { DONE_STEP = 8 << 20 }; /* bytes */

struct recording_parts recording_parts(const struct cairn_recording_options *options)
{
	const size_t least =
		offsetof(struct cairn_recording_options, part_count) + sizeof(options->part_count);

	if (options->size < least)
		return (struct recording_parts){ NULL, 0 };
	return (struct recording_parts){ options->parts, options->part_count };
}

/* Is this option one of the host's version, and used? */
static bool tells_host(const struct recording *r)
{
	const size_t least =
		offsetof(struct cairn_recording_options, done_with) + sizeof(r->options->done_with);

	return r->options->size >= least && r->options->done_with;
}

/* Records are replayed in the order of their times, in which parts of the file alternate: all of it is given back. */
void recording_done(struct recording *r, const struct perfdata_record *record)
{
	const struct recording_parts parts = recording_parts(r->options);

	r->read_bytes += record->body.size;
	if (r->read_bytes < DONE_STEP || !tells_host(r))
		return;
	r->read_bytes = 0;
	r->options->done_with(r->options->context, r->file.bytes);
	for (size_t i = 0; i < parts.count; i++)
		r->options->done_with(r->options->context, parts.bytes[i]);
}
