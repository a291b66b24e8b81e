/* SPDX-License-Identifier: MIT */
/*
 * Writes a line for each stack: names from the outermost to the leaf with ';' between them, a blank and the value. A location
 * without a name is its module and its address.
 */
#include "write.h"

#include "base/array_grow.h"
#include "base/base_name.h"

#include <inttypes.h>
#include <stdio.h>

enum { NUMBER_MAX = 32 }; /* characters of a number with what is around it */

/* How many bytes from `at` on go through as they are, and are ASCII. */
static size_t count_plain(struct cairn_bytes name, size_t at)
{
	size_t end = at;

	while (end < name.size && name.data[end] > ' ' && name.data[end] < 0x7f &&
	       name.data[end] != ';')
		end++;
	return end - at;
}

/* How many bytes the character at `at` has; 0: it is replaced. */
static size_t count_character(struct cairn_bytes name, size_t at)
{
	uint32_t character = 0;
	const size_t size = cairn_character_at(
		(struct cairn_bytes){ name.data + at, name.size - at }, &character);

	return character != ';' && character != ' ' && cairn_character_is_printable(character)
	               ? size
	               : 0;
}

/* ';' divides frames, a blank comes before the value and a line end divides stacks; what is no UTF-8 is not text. */
static void write_folded_name(struct profile_writer *w, struct cairn_bytes name)
{
	for (size_t at = 0; at < name.size;) {
		size_t size = count_plain(name, at);
		if (size == 0)
			size = count_character(name, at);
		writer_bytes(w, size > 0 ? name.data + at : (const uint8_t *)"_",
		             size > 0 ? size : 1);
		at += size > 0 ? size : 1;
	}
}

static void write_divider(struct profile_writer *w, bool *first)
{
	if (!*first)
		writer_bytes(w, ";", 1);
	*first = false;
}

static void write_call_name(struct profile_writer *w, struct cairn_bytes name, bool *first)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };

	write_divider(w, first);
	write_folded_name(w, name.size > 0 ? name : unknown);
}

static void write_address(struct profile_writer *w, const struct profile_location *l, bool *first)
{
	char text[NUMBER_MAX];

	write_divider(w, first);
	if (l->mapping > 0 && w->profile->mappings[l->mapping - 1].path.size > 0) {
		write_folded_name(w, base_name(w->profile->mappings[l->mapping - 1].path));
		writer_bytes(w, "+", 1);
	}
	writer_bytes(w, text, (size_t)snprintf(text, sizeof(text), "0x%" PRIx64, l->address));
}

/* A stack that is being written: its locations, which are read from the leaf, and the old lines of one of them. */
struct stack {
	struct profile_writer *w;
	uint64_t *id;
	size_t room;
	uint64_t *function;
	size_t function_room;
	bool first; /* nothing of it is written yet */
};

/* The function of the next old line of a location. */
static bool next_function(const struct cairn_profile *p, struct cairn_bytes *body,
                          uint64_t *function)
{
	struct pprof_line line;
	struct otlp_line other;

	if (p->otlp == OTLP_UNKNOWN) {
		if (!pprof_next_line(body, &line))
			return false;
		*function = line.function;
		return true;
	}
	if (!otlp_next_line(body, &other))
		return false;
	*function = other.function;
	return true;
}

static void write_old_names(struct stack *s, const struct profile_location *l)
{
	const struct cairn_profile *p = s->w->profile;
	struct cairn_bytes rest = l->body;
	uint64_t function;
	size_t count = 0;

	while (next_function(p, &rest, &function)) {
		if (!array_grow(&s->function, &s->function_room, count + 1, sizeof(function))) {
			s->w->status = CAIRN_NO_MEMORY;
			return;
		}
		s->function[count++] = function;
	}
	for (; count > 0; count--) {
		const uint32_t f = profile_number(&p->function_ids, s->function[count - 1]);
		write_call_name(s->w, profile_text(p, f > 0 ? p->functions[f - 1].name : 0),
		                &s->first);
	}
}

static void write_location(struct stack *s, const struct profile_location *l)
{
	const struct cairn_profile *p = s->w->profile;

	for (uint32_t i = l->line_count; i > 0; i--) {
		const struct profile_line *line = &p->new_lines[l->first_line + i - 1];
		write_call_name(s->w,
		                string_pool_get(&p->pool, p->new_functions[line->function].name),
		                &s->first);
	}
	if (l->line_count == 0 && l->named)
		write_old_names(s, l);
	else if (l->line_count == 0)
		write_address(s->w, l, &s->first);
}

static uint64_t get_value(const struct pprof_sample *sample, size_t index)
{
	struct pprof_numbers values = pprof_numbers(sample, PPROF_SAMPLE_VALUE);
	uint64_t value = 0;

	for (size_t i = 0; i <= index; i++)
		(void)pprof_next_number(&values, &value);
	return value;
}

/* A stack of which `count` locations are in s->id, the leaf first. */
static void write_stack(struct stack *s, size_t count, int64_t value)
{
	const struct cairn_profile *p = s->w->profile;
	char text[NUMBER_MAX];

	s->first = true;
	for (; count > 0; count--) {
		const uint32_t number = profile_number(&p->location_ids, s->id[count - 1]);
		if (number > 0)
			write_location(s, &p->locations[number - 1]);
	}
	if (!s->first)
		writer_bytes(s->w, text,
		             (size_t)snprintf(text, sizeof(text), " %" PRId64 "\n", value));
}

/* Keeps a location for write_stack(). */
static bool keep_id(struct stack *s, size_t at, uint64_t id)
{
	if (!array_grow(&s->id, &s->room, at + 1, sizeof(id)))
		s->w->status = CAIRN_NO_MEMORY;
	else
		s->id[at] = id;
	return s->w->status == CAIRN_OK;
}

static void write_sample(struct stack *s, const struct pprof_sample *sample, uint64_t value)
{
	struct pprof_numbers ids = pprof_numbers(sample, PPROF_SAMPLE_LOCATION);
	size_t count = 0;
	uint64_t id;

	if (value == 0)
		return;
	while (pprof_next_number(&ids, &id) && keep_id(s, count, id))
		count++;
	write_stack(s, count, (int64_t)value);
}

/* The place of the value that is counted; false: no type has the name. */
static bool find_type(const struct profile_writer *w, size_t *index)
{
	const struct cairn_profile *p = w->profile;
	struct cairn_bytes name = profile_text(p, p->default_type);

	if (w->output->sample_type)
		name = (struct cairn_bytes){ (const uint8_t *)w->output->sample_type,
			                     strlen(w->output->sample_type) };
	for (*index = 0; *index < p->type_count; ++*index) {
		const struct cairn_bytes type = profile_text(p, p->types[*index].type);
		if (name.size > 0 && type.size == name.size &&
		    memcmp(type.data, name.data, name.size) == 0)
			return true;
	}
	*index = p->type_count > 0 ? p->type_count - 1 : 0;
	return !w->output->sample_type;
}

static void write_samples(struct stack *s, size_t type)
{
	struct pprof in = pprof_open(s->w->profile->bytes);
	struct pprof_sample sample;
	struct wire_field field;

	while (s->w->status == CAIRN_OK && pprof_next(&in, &field))
		if (field.number == PPROF_SAMPLE && field.type == WIRE_BYTES &&
		    pprof_read_sample(&in, &field, &sample))
			write_sample(s, &sample, get_value(&sample, type));
}

/* A sample of OpenTelemetry's: its values are summed up, and without values its times are counted. */
static void write_otlp_sample(struct stack *s, struct cairn_bytes body)
{
	const struct cairn_profile *p = s->w->profile;
	struct otlp_sample sample;
	size_t count = 0;
	uint64_t id;

	if (!otlp_read_sample(body, p->otlp, &sample) || sample.stack >= p->stack_count ||
	    sample.stack == 0 || sample.value == 0)
		return;
	struct otlp_numbers ids = otlp_numbers(p->stacks[sample.stack], OTLP_STACK_LOCATION);
	while (otlp_next_number(&ids, &id) && keep_id(s, count, id))
		count++;
	write_stack(s, count, sample.value);
}

static struct cairn_bytes name_type(const struct stack *s, struct cairn_bytes profile)
{
	const uint64_t type = otlp_profile_type(profile);

	return profile_text(s->w->profile, type < s->w->profile->text_count ? type : 0);
}

static bool is_same_type(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void write_otlp_profile(struct stack *s, struct cairn_bytes profile)
{
	struct cairn_bytes sample;

	while (s->w->status == CAIRN_OK && otlp_next_part(&profile, OTLP_PROFILE_SAMPLE, &sample))
		write_otlp_sample(s, sample);
}

/* Writes the samples of one type: of the first profile's if none is asked for. Returns whether there are any. */
static bool write_otlp_samples(struct stack *s)
{
	struct cairn_bytes all = s->w->profile->bytes, scopes, profiles, profile, wanted;
	const char *asked = s->w->output->sample_type;
	bool found = false;

	wanted = (struct cairn_bytes){ (const uint8_t *)(asked ? asked : ""),
		                       asked ? strlen(asked) : 0 };
	while (otlp_next_part(&all, OTLP_RESOURCE, &scopes))
		while (otlp_next_part(&scopes, OTLP_PROFILES, &profiles))
			while (otlp_next_part(&profiles, OTLP_PROFILES, &profile)) {
				const struct cairn_bytes type = name_type(s, profile);
				if (!found && !asked)
					wanted = type;
				if (!is_same_type(type, wanted))
					continue;
				found = true;
				write_otlp_profile(s, profile);
			}
	return found;
}

enum cairn_status profile_write_folded(struct profile_writer *w, struct cairn_fault *fault)
{
	struct stack stack = { .w = w };
	bool found;
	size_t type = 0;

	if (w->profile->otlp != OTLP_UNKNOWN) {
		found = write_otlp_samples(&stack) || !w->output->sample_type;
	} else {
		found = find_type(w, &type);
		if (found)
			write_samples(&stack, type);
	}
	free(stack.id);
	free(stack.function);
	if (!found)
		*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0,
			                       "the profile has no values of this type" };
	return found ? CAIRN_OK : CAIRN_NOT_FOUND;
}
