/* SPDX-License-Identifier: MIT */
/*
 * Tells the host now and then that the bytes read so far are not needed for a while, so that a
 * mapped recording of hundreds of megabytes is never resident as a whole.
 */
#include "recording.h"

enum { DONE_STEP = 8 << 20 };

struct recording_parts recording_parts(const struct cairn_recording_options *options)
{
	const size_t least =
		offsetof(struct cairn_recording_options, part_count) + sizeof(options->part_count);

	if (options->size < least)
		return (struct recording_parts){ NULL, 0 };
	return (struct recording_parts){ options->parts, options->part_count };
}

/* Return true if the host's version of the options has the callback and it is set. */
static bool tells_host(const struct recording *r)
{
	const size_t least =
		offsetof(struct cairn_recording_options, done_with) + sizeof(r->options->done_with);

	return r->options->size >= least && r->options->done_with;
}

/*
 * Release the whole file and not only the record, because replaying in time order alternates
 * between distant parts of the file.
 */
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
