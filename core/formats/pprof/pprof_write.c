/* SPDX-License-Identifier: MIT */
/* Writes pprof messages. Zeros are omitted, as in the format's other writers. */
#include "pprof.h"

#include <string.h>

enum { LOCATION_LINE = 4, LOCATION_FOLDED = 5, MAPPING_HAS = 7 };

static void put_number(struct sink *out, uint32_t field, uint64_t value)
{
	if (value != 0)
		wire_put_number(out, field, value);
}

void pprof_put_mapping(struct sink *out, const struct pprof_mapping *m)
{
	uint64_t value[10] = { m->id, m->start, m->limit, m->offset, m->path, m->build_id };

	for (unsigned i = 0; i < 4; i++)
		value[MAPPING_HAS - 1 + i] = m->has >> i & 1;
	wire_put_numbers(out, PPROF_MAPPING, value, 10);
}

void pprof_put_function(struct sink *out, const struct pprof_function *f)
{
	const uint64_t value[] = { f->id, f->name, f->linked_name, f->file, f->line };

	wire_put_numbers(out, PPROF_FUNCTION, value, 5);
}

void pprof_put_type(struct sink *out, uint32_t field, const struct pprof_type *type)
{
	const uint64_t value[] = { type->type, type->unit };

	wire_put_numbers(out, field, value, 2);
}

void pprof_put_text(struct sink *out, struct cairn_bytes text)
{
	wire_put_bytes(out, PPROF_TEXT, text);
}

static void copy_fields(struct sink *out, struct cairn_bytes body, uint32_t first, uint32_t last)
{
	const uint8_t *at = body.data, *end = at + body.size;
	struct wire_field part;

	while (at < end && wire_field(&at, end, &part))
		if (part.number < first || part.number > last)
			sink_bytes(out, part.whole.data, part.whole.size);
}

static void put_mapping_body(struct sink *out, struct cairn_bytes body, unsigned has)
{
	copy_fields(out, body, MAPPING_HAS, MAPPING_HAS + 3);
	for (unsigned i = 0; i < 4; i++)
		put_number(out, MAPPING_HAS + i, has >> i & 1);
}

void pprof_put_mapping_with(struct sink *out, struct cairn_bytes body, unsigned has)
{
	struct sink measured = sink_open(NULL, 0);

	put_mapping_body(&measured, body, has);
	wire_put_head(out, PPROF_MAPPING, measured.size);
	put_mapping_body(out, body, has);
}

static void put_location_body(struct sink *out, struct cairn_bytes body, bool folded,
                              const struct pprof_line *lines, size_t count)
{
	copy_fields(out, body, LOCATION_LINE, LOCATION_FOLDED);
	for (size_t i = 0; i < count; i++) {
		const uint64_t value[] = { lines[i].function, lines[i].line, lines[i].column };
		wire_put_numbers(out, LOCATION_LINE, value, 3);
	}
	put_number(out, LOCATION_FOLDED, folded);
}

void pprof_put_location_with(struct sink *out, struct cairn_bytes body, bool folded,
                             const struct pprof_line *lines, size_t count)
{
	struct sink measured = sink_open(NULL, 0);

	put_location_body(&measured, body, folded, lines, count);
	wire_put_head(out, PPROF_LOCATION, measured.size);
	put_location_body(out, body, folded, lines, count);
}
