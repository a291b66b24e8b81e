/* SPDX-License-Identifier: MIT */
/*
 * Converts an OTLP message to pprof. Table indices become ids, the profiles' types become value
 * types, and attributes and links become labels. Strings are written last, after everything that
 * refers to them.
 */
#include "samples.h"
#include "write.h"

#include "base/encoding.h"
#include "base/wire.h"

#include <stdlib.h>

enum { FIELD_MAX = 128, LABEL_MAX = 64, ID_MAX = 16, NUMBER_MAX = 10 };

struct conversion {
	struct profile_writer *w;
	struct string_pool texts;
	struct byte_buffer body;
	struct byte_buffer numbers;
	struct allowance steps; /* limits the total size of looked-up strings */
};

/* Return a string's index in the output, after replacing invalid UTF-8. */
static uint64_t number_text(struct conversion *c, struct cairn_bytes text)
{
	if (!allowance_draw(&c->steps, text.size)) {
		c->w->status = CAIRN_UNSUPPORTED;
		return 0;
	}
	const uint32_t number = string_pool_add_utf8(&c->texts, text);
	if (number != STRING_POOL_FULL)
		return number;
	c->w->status = CAIRN_NO_MEMORY;
	return 0;
}

static void add_to_body(struct conversion *c, const struct sink *part)
{
	byte_buffer_bytes(&c->body, part->data, part->size);
	if (c->body.failed)
		c->w->status = CAIRN_NO_MEMORY;
}

static void write_body(struct conversion *c, uint32_t field)
{
	uint8_t memory[FIELD_MAX];
	struct sink head = sink_open(memory, sizeof(memory));

	wire_put_head(&head, field, c->body.size);
	writer_bytes(c->w, memory, head.size);
	writer_bytes(c->w, c->body.data, c->body.size);
	c->body.size = 0;
}

static void write_type(struct conversion *c, uint32_t field, const struct pprof_type *type)
{
	const struct cairn_profile *p = c->w->profile;
	uint8_t memory[FIELD_MAX];
	struct sink out = sink_open(memory, sizeof(memory));
	const struct pprof_type written = { number_text(c, profile_text(p, type->type)),
		                            number_text(c, profile_text(p, type->unit)) };

	pprof_put_type(&out, field, &written);
	writer_bytes(c->w, memory, out.size);
}

static void write_mappings(struct conversion *c)
{
	const struct cairn_profile *p = c->w->profile;
	uint8_t memory[FIELD_MAX];

	for (size_t i = 1; i < p->mapping_count; i++) {
		const struct profile_mapping *m = &p->mappings[i];
		struct sink out = sink_open(memory, sizeof(memory));
		pprof_put_mapping(&out, &(struct pprof_mapping){ i, m->stored.start,
		                                                 m->stored.limit, m->stored.offset,
		                                                 number_text(c, m->path),
		                                                 number_text(c, m->build_id),
		                                                 m->used ? m->has : 0 });
		writer_bytes(c->w, memory, out.size);
	}
}

static void add_pprof_line(struct conversion *c, const struct profile_call *call)
{
	uint8_t memory[FIELD_MAX], inner[FIELD_MAX];
	struct sink line = sink_open(inner, sizeof(inner)), out = sink_open(memory, sizeof(memory));

	wire_put_number(&line, 1, call->function);
	if (call->line != 0)
		wire_put_number(&line, 2, call->line);
	if (call->column != 0)
		wire_put_number(&line, 3, call->column);
	wire_put_bytes(&out, 4, (struct cairn_bytes){ inner, line.size });
	add_to_body(c, &out);
}

static void write_locations(struct conversion *c)
{
	const struct cairn_profile *p = c->w->profile;
	uint8_t memory[FIELD_MAX];
	struct profile_call call;

	for (size_t i = 1; i < p->location_count && c->w->status == CAIRN_OK; i++) {
		const struct profile_location *l = &p->locations[i];
		struct profile_calls calls = profile_calls(p, l);
		struct sink out = sink_open(memory, sizeof(memory));
		wire_put_number(&out, 1, i);
		if (l->mapping > 1)
			wire_put_number(&out, 2, l->mapping - 1);
		wire_put_number(&out, 3, l->address);
		add_to_body(c, &out);
		while (c->w->status == CAIRN_OK && profile_next_call(&calls, &call))
			add_pprof_line(c, &call);
		out = sink_open(memory, sizeof(memory));
		if (l->folded)
			wire_put_number(&out, 5, 1);
		add_to_body(c, &out);
		write_body(c, PPROF_LOCATION);
	}
}

static void write_pprof_function(struct conversion *c, uint64_t id, struct cairn_bytes name,
                                 struct cairn_bytes linked_name, struct cairn_bytes file,
                                 uint64_t line)
{
	uint8_t memory[FIELD_MAX];
	struct sink out = sink_open(memory, sizeof(memory));

	pprof_put_function(&out, &(struct pprof_function){ id, number_text(c, name),
	                                                   number_text(c, linked_name),
	                                                   number_text(c, file), line });
	writer_bytes(c->w, memory, out.size);
}

static void write_functions(struct conversion *c)
{
	const struct cairn_profile *p = c->w->profile;

	for (size_t i = 1; i < p->function_count; i++) {
		const struct pprof_function *f = &p->functions[i];
		const struct cairn_bytes name = profile_text(p, f->name),
					 linked = profile_text(p, f->linked_name);
		write_pprof_function(c, i, name, linked.size > 0 ? linked : name,
		                     profile_text(p, f->file), f->line);
	}
	for (size_t i = 0; i < p->new_function_count; i++) {
		const struct profile_function *f = &p->new_functions[i];
		write_pprof_function(c, f->id, string_pool_get(&p->pool, f->name),
		                     string_pool_get(&p->pool, f->linked_name),
		                     string_pool_get(&p->pool, f->file), 0);
	}
}

static void add_label(struct conversion *c, const struct profile_label *label)
{
	uint8_t memory[LABEL_MAX], inner[LABEL_MAX];
	struct sink body = sink_open(inner, sizeof(inner)), out = sink_open(memory, sizeof(memory));

	wire_put_number(&body, 1, number_text(c, label->key));
	if (!label->is_number)
		wire_put_number(&body, 2, number_text(c, label->text));
	else
		wire_put_number(&body, 3, (uint64_t)label->number);
	if (label->is_number && label->unit.size > 0)
		wire_put_number(&body, 4, number_text(c, label->unit));
	wire_put_bytes(&out, PPROF_SAMPLE_LABEL, (struct cairn_bytes){ inner, body.size });
	add_to_body(c, &out);
}

static void add_link_part(struct conversion *c, const char *key, struct cairn_bytes id)
{
	char text[2 * ID_MAX + 1];
	const struct cairn_bytes digits = { (const uint8_t *)text, 2 * id.size };

	if (id.size == 0 || id.size > ID_MAX)
		return;
	hex_encode(id, text);
	add_label(
		c,
		&(struct profile_label){
			{ (const uint8_t *)key, strlen(key) }, digits, CAIRN_NO_BYTES, 0, false });
}

static void add_link(struct conversion *c, const struct profile_samples *s)
{
	const struct cairn_profile *p = s->profile;
	struct otlp_sample sample;
	struct cairn_bytes rest, part;

	if (!otlp_read_sample(s->whole, p->otlp, &sample) || sample.link == 0 ||
	    sample.link >= p->link_count)
		return;
	for (rest = p->links[sample.link]; otlp_next_part(&rest, 1, &part);)
		add_link_part(c, "trace_id", part);
	for (rest = p->links[sample.link]; otlp_next_part(&rest, 2, &part);)
		add_link_part(c, "span_id", part);
}

static void add_number(struct conversion *c, uint32_t field, uint64_t number)
{
	uint8_t memory[2 * NUMBER_MAX];
	struct sink out = sink_open(memory, sizeof(memory));

	wire_put_number(&out, field, number);
	add_to_body(c, &out);
}

/*
 * Return the input index of the value type that is written at index `place`. In OTLP the default is
 * the first type. In pprof it is selected by name, or it is the last type if no name is given.
 * Therefore the first type is written last if it has no name.
 */
static size_t type_at(const struct cairn_profile *p, size_t place)
{
	const bool is_named = profile_text(p, p->types[0].type).size > 0;

	return is_named ? place : (place + 1) % p->type_count;
}

static void write_sample(struct conversion *c, const struct profile_samples *s)
{
	const struct cairn_profile *p = s->profile;

	c->numbers.size = 0;
	for (size_t i = 0; i < s->count; i++)
		byte_buffer_uleb(&c->numbers, s->location[i] - 1);
	if (s->count > 0)
		wire_buffer_bytes(&c->body, PPROF_SAMPLE_LOCATION, byte_buffer_view(&c->numbers));
	if (c->numbers.failed || c->body.failed)
		c->w->status = CAIRN_NO_MEMORY;
	for (size_t i = 0; i < p->type_count; i++)
		add_number(c, PPROF_SAMPLE_VALUE, s->value[type_at(p, i)]);
	for (size_t i = 0; i < s->label_count; i++)
		add_label(c, &s->label[i]);
	add_link(c, s);
	write_body(c, PPROF_SAMPLE);
}

static void write_samples(struct conversion *c)
{
	struct profile_samples samples;
	enum cairn_status status;

	profile_samples_begin(&samples, c->w->profile);
	while (c->w->status == CAIRN_OK && profile_next_sample(&samples))
		write_sample(c, &samples);
	status = profile_samples_end(&samples);
	if (c->w->status == CAIRN_OK)
		c->w->status = status;
}

static void write_number(struct conversion *c, uint32_t field, uint64_t number)
{
	if (number == 0)
		return;
	add_number(c, field, number);
	writer_bytes(c->w, c->body.data, c->body.size);
	c->body.size = 0;
}

/* Write the attributes of the first profile in the message, which apply to all of its profiles. */
static void write_attributes(struct conversion *c, struct cairn_bytes profile)
{
	const struct cairn_profile *p = c->w->profile;
	const struct otlp_type type = otlp_profile_type(profile, OTLP_PROFILE_PERIOD_TYPE);

	if (type.type != 0 && type.type < p->text_count && type.unit < p->text_count)
		write_type(c, PPROF_PERIOD_TYPE, &(struct pprof_type){ type.type, type.unit });
	write_number(c, PPROF_TIME, otlp_profile_number(profile, OTLP_PROFILE_TIME));
	write_number(c, PPROF_DURATION, otlp_profile_number(profile, OTLP_PROFILE_DURATION));
	write_number(c, PPROF_PERIOD, otlp_profile_number(profile, OTLP_PROFILE_PERIOD));
}

static void write_head(struct conversion *c)
{
	const struct cairn_profile *p = c->w->profile;
	struct cairn_bytes all = p->bytes, scopes, profiles, profile = { p->bytes.data, 0 };

	for (size_t i = 0; i < p->type_count; i++)
		write_type(c, PPROF_SAMPLE_TYPE, &p->types[type_at(p, i)]);
	bool found = false;
	while (!found && otlp_next_part(&all, OTLP_RESOURCE, &scopes))
		while (!found && otlp_next_part(&scopes, OTLP_PROFILES, &profiles))
			found = otlp_next_part(&profiles, OTLP_PROFILES, &profile);
	if (found)
		write_attributes(c, profile);
	if (p->type_count > 1)
		write_number(c, PPROF_DEFAULT_TYPE,
		             number_text(c, profile_text(p, p->types[0].type)));
}

static void write_texts(struct conversion *c)
{
	for (uint32_t i = 0; i < c->texts.count && c->w->status == CAIRN_OK; i++) {
		const struct cairn_bytes text = string_pool_get(&c->texts, i);
		uint8_t *buffer = writer_reserve(c->w, text.size + FIELD_MAX);
		struct sink out = sink_open(buffer, buffer ? text.size + FIELD_MAX : 0);
		pprof_put_text(&out, text);
		if (buffer)
			c->w->buffer.size -= text.size + FIELD_MAX - out.size;
	}
}

void profile_write_as_pprof(struct profile_writer *w)
{
	struct conversion c = { .w = w,
		                .body = { .limit = SIZE_MAX },
		                .numbers = { .limit = SIZE_MAX },
		                .steps = allowance_of(PROFILE_STEPS_LEAST, PROFILE_STEPS_TIMES,
		                                      w->profile->bytes.size) };

	(void)number_text(&c, (struct cairn_bytes)CAIRN_NO_BYTES);
	write_head(&c);
	write_samples(&c);
	write_mappings(&c);
	write_locations(&c);
	write_functions(&c);
	write_texts(&c);
	string_pool_finish(&c.texts);
	byte_buffer_finish(&c.body);
	byte_buffer_finish(&c.numbers);
}

/*
 * Writes a pprof profile. The input is copied, except for the mappings and locations for which
 * names were found. New functions and strings are appended, so existing indices stay valid.
 */

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
	uint8_t *buffer = writer_reserve(w, measured.size);
	struct sink out = sink_open(buffer, measured.size);
	if (buffer)
		pprof_put_location_with(&out, location->body, location->folded, lines,
		                        location->line_count);
}

static void write_mapping(struct profile_writer *w, struct cairn_bytes body, unsigned has)
{
	struct sink measured = sink_open(NULL, 0);

	pprof_put_mapping_with(&measured, body, has);
	uint8_t *buffer = writer_reserve(w, measured.size);
	struct sink out = sink_open(buffer, measured.size);
	if (buffer)
		pprof_put_mapping_with(&out, body, has);
}

static void write_new_functions(struct profile_writer *w)
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

static void write_new_texts(struct profile_writer *w)
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
	write_new_functions(w);
	write_new_texts(w);
}
