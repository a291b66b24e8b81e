/* SPDX-License-Identifier: MIT */
/* Reads the input of a streamed core and counts its offset. */
#include "stream_input.h"

size_t core_stream_read(struct core_stream *s, void *buffer, size_t size)
{
	size_t got = s->ended ? 0 : s->input->read(s->input->context, buffer, size);

	s->at += got;
	s->ended = s->ended || got < size;
	return got;
}

bool core_stream_skip_to(struct core_stream *s, uint64_t offset)
{
	if (offset < s->at) {
		s->missed = true;
		return false;
	}
	const uint64_t wanted = offset - s->at;
	uint64_t got = wanted == 0 ? 0 : s->ended ? 0 : s->input->skip(s->input->context, wanted);
	s->at += got;
	s->ended = s->ended || got < wanted;
	return got == wanted;
}

bool core_stream_charge(uint64_t *budget, uint64_t size)
{
	if (*budget < size)
		return false;
	*budget -= size;
	return true;
}

void core_stream_problem(struct core_stream *s, const char *part, enum cairn_status status,
                         const char *what)
{
	snapshot_add_problem(s->snapshot, part, (struct cairn_fault){ status, s->at, what });
}
