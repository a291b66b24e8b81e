/* SPDX-License-Identifier: MIT */
/*
 * Writes a pprof profile, copying all fields except mappings and locations that got names. New
 * functions and strings are appended, so existing indices stay valid.
 */
#include "write.h"

#include <stdlib.h>

enum { FIELD_MAX = 128 };

static void write_location(struct profile_writer *w, const struct profile_location *location,
                           struct pprof_line *lines)
{
	const struct cairn_profile *p = w->profile;
	struct sink measured = sink_open(NULL, 0);

	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct profile_line *line = &p->new_lines[location->first_line + i];
		lines[i] = (struct pprof_line){ p->new_functions[line->function].id, line->line,
			                        line->column };
	}
	pprof_put_location_with(&measured, location->body, location->folded, lines,
	                        location->line_count);
	uint8_t *room = writer_room(w, measured.size);
	struct sink out = sink_open(room, measured.size);
	if (room)
		pprof_put_location_with(&out, location->body, location->folded, lines,
		                        location->line_count);
}

static void write_mapping(struct profile_writer *w, struct cairn_bytes body, unsigned has)
{
	struct sink measured = sink_open(NULL, 0);

	pprof_put_mapping_with(&measured, body, has);
	uint8_t *room = writer_room(w, measured.size);
	struct sink out = sink_open(room, measured.size);
	if (room)
		pprof_put_mapping_with(&out, body, has);
}

static void write_functions(struct profile_writer *w)
{
	const struct cairn_profile *p = w->profile;
	uint8_t memory[FIELD_MAX];

	for (size_t i = 0; i < p->new_function_count; i++) {
		const struct profile_function *f = &p->new_functions[i];
		struct sink out = sink_open(memory, sizeof(memory));
		pprof_put_function(&out,
		                   &(struct pprof_function){ f->id, profile_new_text(p, f->name),
		                                             profile_new_text(p, f->linked_name),
		                                             profile_new_text(p, f->file), 0 });
		writer_bytes(w, memory, out.size);
	}
}

static void write_texts(struct profile_writer *w)
{
	const struct string_pool *pool = &w->profile->pool;
	uint8_t memory[FIELD_MAX];

	for (uint32_t i = 1; i < pool->count; i++) {
		const struct cairn_bytes text = string_pool_get(pool, i);
		struct sink out = sink_open(memory, sizeof(memory));
		wire_put_head(&out, PPROF_TEXT, text.size);
		writer_bytes(w, memory, out.size);
		writer_bytes(w, text.data, text.size);
	}
}

static void write_fields(struct profile_writer *w, struct pprof_line *lines)
{
	const struct cairn_profile *p = w->profile;
	struct pprof in = pprof_open(p->bytes);
	size_t mapping = 0, location = 0;
	struct wire_field field;

	while (pprof_next(&in, &field)) {
		const bool message = field.type == WIRE_BYTES;
		const struct profile_mapping *m =
			message && field.number == PPROF_MAPPING ? &p->mappings[mapping++] : NULL;
		const struct profile_location *l = message && field.number == PPROF_LOCATION
		                                           ? &p->locations[location++]
		                                           : NULL;
		if (m && m->changed)
			write_mapping(w, field.bytes, m->has);
		else if (l && l->line_count > 0)
			write_location(w, l, lines);
		else
			writer_bytes(w, field.whole.data, field.whole.size);
	}
}

void profile_write_pprof(struct profile_writer *w)
{
	const size_t most = profile_most_lines(w->profile);
	struct pprof_line *lines = calloc(most ? most : 1, sizeof(*lines));

	if (!lines) {
		w->status = CAIRN_NO_MEMORY;
		return;
	}
	write_fields(w, lines);
	free(lines);
	write_functions(w);
	write_texts(w);
}
