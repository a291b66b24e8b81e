/* SPDX-License-Identifier: MIT */
/*
 * Iterates over a profile's samples, and over the calls at a location: the looked-up calls if there
 * are any, otherwise the calls in the input.
 */
#include "samples.h"

#include "base/bytes.h"
#include "base/memory.h"

struct profile_calls profile_calls(const struct cairn_profile *p, const struct profile_location *l)
{
	return (struct profile_calls){ p, l, l->body, 0 };
}

static void read_new_call(const struct profile_calls *c, struct profile_call *call)
{
	const struct cairn_profile *p = c->profile;
	const struct profile_line *line = &p->new_lines[c->location->first_line + c->next];
	const struct profile_function *f = &p->new_functions[line->function];

	*call = (struct profile_call){ string_pool_get(&p->pool, f->name),
		                       string_pool_get(&p->pool, f->linked_name),
		                       string_pool_get(&p->pool, f->file),
		                       f->id,
		                       line->line,
		                       line->column };
}

/* Read the next line in the input. OTLP lines are converted to pprof's struct. */
static bool read_line(struct profile_calls *c, struct pprof_line *line)
{
	struct otlp_line other;

	if (c->profile->otlp == OTLP_UNKNOWN)
		return pprof_next_line(&c->rest, line);
	if (!otlp_next_line(&c->rest, &other))
		return false;
	*line = (struct pprof_line){ other.function, other.line, other.column };
	return true;
}

static bool read_old_call(struct profile_calls *c, struct profile_call *call)
{
	const struct cairn_profile *p = c->profile;
	struct pprof_line line;

	if (!read_line(c, &line))
		return false;
	const uint32_t number = p->otlp == OTLP_UNKNOWN
	                                ? profile_number(&p->function_ids, line.function)
	                                : profile_place_number(p->function_count, line.function);
	const struct pprof_function none = { 0 };
	const struct pprof_function *f = number > 0 ? &p->functions[number - 1] : &none;
	*call = (struct profile_call){ profile_text(p, f->name),
		                       profile_text(p, f->linked_name),
		                       profile_text(p, f->file),
		                       number > 0 ? line.function : 0,
		                       line.line,
		                       line.column };
	return true;
}

bool profile_next_call(struct profile_calls *c, struct profile_call *call)
{
	if (c->location->line_count == 0)
		return read_old_call(c, call);
	if (c->next >= c->location->line_count)
		return false;
	read_new_call(c, call);
	c->next++;
	return true;
}

unsigned profile_judge_calls(const struct cairn_profile *p, const struct profile_location *l)
{
	unsigned has = PPROF_HAS_FILES | PPROF_HAS_LINES, named = 0, count = 0;
	struct profile_calls calls = profile_calls(p, l);
	struct profile_call call;

	for (; profile_next_call(&calls, &call); count++) {
		if (call.name.size > 0)
			named = PPROF_HAS_FUNCTIONS;
		if (call.file.size == 0)
			has &= ~(unsigned)PPROF_HAS_FILES;
		if (call.line == 0)
			has &= ~(unsigned)PPROF_HAS_LINES;
	}
	return count == 0 ? 0 : has | named | (count > 1 ? PPROF_HAS_INLINES : 0);
}

static const struct cairn_bytes no_text = { (const uint8_t *)"", 0 };

void profile_samples_begin(struct profile_samples *s, const struct cairn_profile *p)
{
	*s = (struct profile_samples){ .profile = p,
		                       .in = pprof_open(p->bytes),
		                       .steps = allowance_of(PROFILE_STEPS_LEAST,
		                                             PROFILE_STEPS_TIMES, p->bytes.size),
		                       .all = p->bytes,
		                       .scopes = no_text,
		                       .profiles = no_text,
		                       .rest = no_text,
		                       .times = no_text,
		                       .body = no_text };
	s->value = calloc(p->type_count ? p->type_count : 1, sizeof(*s->value));
	if (!s->value)
		s->status = CAIRN_NO_MEMORY;
}

enum cairn_status profile_samples_end(struct profile_samples *s)
{
	free(s->location);
	free(s->value);
	free(s->label);
	return s->status;
}

static bool add_location(struct profile_samples *s, uint64_t id)
{
	const struct cairn_profile *p = s->profile;
	const uint32_t number = p->otlp == OTLP_UNKNOWN
	                                ? profile_number(&p->location_ids, id)
	                                : profile_place_number(p->location_count, id);

	if (!allowance_draw(&s->steps, 1))
		s->status = CAIRN_UNSUPPORTED;
	else if (number == 0)
		return true;
	else if (!ARRAY_APPEND(s->location, s->count, s->location_capacity, number))
		s->status = CAIRN_NO_MEMORY;
	return s->status == CAIRN_OK;
}

static void add_label(struct profile_samples *s, struct profile_label label)
{
	if (!allowance_draw(&s->steps, 1))
		s->status = CAIRN_UNSUPPORTED;
	else if (!ARRAY_APPEND(s->label, s->label_count, s->label_capacity, label))
		s->status = CAIRN_NO_MEMORY;
}

static void take_pprof_labels(struct profile_samples *s, const struct pprof_sample *sample)
{
	const struct cairn_profile *p = s->profile;
	struct cairn_bytes rest = sample->body;
	struct pprof_label label;

	while (pprof_next_label(&rest, &label))
		add_label(s, (struct profile_label){ profile_text(p, label.key),
		                                     profile_text(p, label.text),
		                                     profile_text(p, label.unit),
		                                     (int64_t)label.number, label.is_number });
}

static bool take_pprof_sample(struct profile_samples *s, const struct pprof_sample *sample)
{
	struct pprof_numbers numbers = pprof_numbers(sample, PPROF_SAMPLE_LOCATION);
	uint64_t id;

	s->count = s->label_count = 0;
	s->whole = sample->body;
	while (pprof_next_number(&numbers, &id) && add_location(s, id))
		;
	numbers = pprof_numbers(sample, PPROF_SAMPLE_VALUE);
	for (size_t i = 0; i < s->profile->type_count; i++)
		if (!pprof_next_number(&numbers, &s->value[i]))
			s->value[i] = 0;
	take_pprof_labels(s, sample);
	return s->status == CAIRN_OK;
}

static bool next_pprof_sample(struct profile_samples *s)
{
	struct pprof_sample sample;
	struct wire_field field;

	while (pprof_next(&s->in, &field))
		if (field.number == PPROF_SAMPLE && field.type == WIRE_BYTES &&
		    pprof_read_sample(&s->in, &field, &sample))
			return take_pprof_sample(s, &sample);
	return false;
}

static struct cairn_bytes find_table_text(const struct cairn_profile *p, uint64_t number)
{
	return number < p->text_count ? profile_text(p, number) : no_text;
}

/*
 * Add an attribute as a label. Drop lists and floating-point values, because only OTLP can express
 * them.
 */
static void add_attribute(struct profile_samples *s, const struct otlp_attribute *a)
{
	const struct cairn_profile *p = s->profile;

	if (a->has_text || a->is_reference || a->is_number)
		add_label(s,
		          (struct profile_label){
				  a->key_text.size > 0 ? a->key_text : find_table_text(p, a->key),
				  a->has_text       ? a->text
				  : a->is_reference ? find_table_text(p, a->reference)
						    : no_text,
				  find_table_text(p, a->unit), (int64_t)a->number, a->is_number });
}

static void take_resource(struct profile_samples *s, struct cairn_bytes body)
{
	struct cairn_bytes resource, part;
	struct otlp_attribute attribute;

	s->label_count = 0;
	while (otlp_next_part(&body, OTLP_RESOURCE_ITSELF, &resource))
		while (otlp_next_part(&resource, OTLP_RESOURCE_ATTRIBUTE, &part))
			if (otlp_read_resource_attribute(part, &attribute))
				add_attribute(s, &attribute);
	s->resource_labels = s->label_count;
}

static void take_attributes(struct profile_samples *s)
{
	const struct cairn_profile *p = s->profile;
	struct otlp_numbers numbers = otlp_numbers(s->body, otlp_sample_attributes(p->otlp));
	struct otlp_attribute attribute;
	uint64_t number;

	s->label_count = s->resource_labels;
	while (otlp_next_number(&numbers, &number))
		if (number != 0 && number < p->attribute_count &&
		    otlp_read_attribute(p->attributes[number], &attribute))
			add_attribute(s, &attribute);
}

static bool take_otlp_sample(struct profile_samples *s, const struct otlp_sample *sample)
{
	const struct cairn_profile *p = s->profile;
	uint64_t id;

	s->count = 0;
	if (sample->stack != 0 && sample->stack < p->stack_count) {
		struct otlp_numbers ids =
			otlp_numbers(p->stacks[sample->stack], OTLP_STACK_LOCATION);
		while (otlp_next_number(&ids, &id) && add_location(s, id))
			;
	}
	for (size_t i = 0; i < p->type_count; i++)
		s->value[i] = 0;
	s->value[s->type] = (uint64_t)sample->value;
	if (p->made)
		s->value[0] = sample->times;
	s->has_times = sample->times > 0;
	s->whole = s->body;
	s->times = no_text;
	take_attributes(s);
	return s->status == CAIRN_OK;
}

static bool next_otlp_profile(struct profile_samples *s)
{
	while (!otlp_next_part(&s->profiles, OTLP_PROFILES, &s->rest)) {
		if (otlp_next_part(&s->scopes, OTLP_PROFILES, &s->profiles))
			continue;
		if (!otlp_next_part(&s->all, OTLP_RESOURCE, &s->scopes))
			return false;
		take_resource(s, s->scopes);
	}
	s->type = profile_type_index(s->profile, otlp_profile_type(s->rest, OTLP_PROFILE_TYPE));
	return true;
}

static bool next_otlp_sample(struct profile_samples *s)
{
	struct otlp_sample sample;

	for (;;) {
		while (!otlp_next_part(&s->rest, OTLP_PROFILE_SAMPLE, &s->body))
			if (!next_otlp_profile(s))
				return false;
		if (otlp_read_sample(s->body, s->profile->otlp, &sample) &&
		    s->type < s->profile->type_count)
			return take_otlp_sample(s, &sample);
	}
}

bool profile_next_sample(struct profile_samples *s)
{
	if (s->status != CAIRN_OK)
		return false;
	return s->profile->otlp == OTLP_UNKNOWN ? next_pprof_sample(s) : next_otlp_sample(s);
}

bool profile_sample_time(struct profile_samples *s, uint64_t *time)
{
	return s->has_times && otlp_next_time(&s->body, &s->times, time);
}

/*
 * Find the sample type `asked` or, if it is NULL, the type that the profile declares as its
 * default. Without a declared default, OTLP's default is the first type, and pprof's the last.
 */
bool profile_find_type(const struct cairn_profile *p, const char *asked, size_t *index)
{
	/* string 0 means that none is declared, even if a damaged table has text there */
	struct cairn_bytes name = profile_text(p, p->default_type);

	if (p->default_type == 0)
		name.size = 0;
	if (asked)
		name = (struct cairn_bytes){ (const uint8_t *)asked, strlen(asked) };
	for (*index = 0; *index < p->type_count; ++*index) {
		const struct cairn_bytes type = profile_text(p, p->types[*index].type);
		if (name.size > 0 && bytes_equal(type, name))
			return true;
	}
	*index = p->type_count > 0 && p->otlp == OTLP_UNKNOWN ? p->type_count - 1 : 0;
	return !asked;
}
