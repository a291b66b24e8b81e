/* SPDX-License-Identifier: MIT */
/*
 * Writes a line for each stack: names from the outermost to the leaf with ';' between them, a blank and the value. A location
 * without a name is its module and its address.
 */
#include "write.h"

#include "base/array_grow.h"

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
static void write_name(struct profile_writer *w, struct cairn_bytes name)
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
	write_name(w, name.size > 0 ? name : unknown);
}

static void write_address(struct profile_writer *w, const struct profile_location *l, bool *first)
{
	char text[NUMBER_MAX];

	write_divider(w, first);
	if (l->mapping > 0 && w->profile->mappings[l->mapping - 1].path.size > 0) {
		write_name(w, profile_basename(w->profile->mappings[l->mapping - 1].path));
		writer_bytes(w, "+", 1);
	}
	writer_bytes(w, text, (size_t)snprintf(text, sizeof(text), "0x%" PRIx64, l->address));
}

/* A stack that is being written: its locations, which are read from the leaf, and the old lines of one of them. */
struct stack {
	struct profile_writer *w;
	uint64_t *id;
	size_t room;
	struct pprof_line *line;
	size_t line_room;
	bool first; /* nothing of it is written yet */
};

static void write_old_names(struct stack *s, const struct profile_location *l)
{
	const struct cairn_profile *p = s->w->profile;
	struct cairn_bytes rest = l->body;
	struct pprof_line line;
	size_t count = 0;

	while (pprof_next_line(&rest, &line)) {
		if (!array_grow(&s->line, &s->line_room, count + 1, sizeof(line))) {
			s->w->status = CAIRN_NO_MEMORY;
			return;
		}
		s->line[count++] = line;
	}
	while (count-- > 0) {
		const uint32_t f = profile_number(&p->function_ids, s->line[count].function);
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

static void write_stack(struct stack *s, const struct pprof_sample *sample, uint64_t value)
{
	const struct cairn_profile *p = s->w->profile;
	struct pprof_numbers ids = pprof_numbers(sample, PPROF_SAMPLE_LOCATION);
	char text[NUMBER_MAX];
	size_t count = 0;

	if (value == 0 || sample->locations == 0)
		return;
	s->first = true;
	while (count < s->room && pprof_next_number(&ids, &s->id[count]))
		count++;
	while (count-- > 0)
		write_location(s,
		               &p->locations[profile_number(&p->location_ids, s->id[count]) - 1]);
	writer_bytes(s->w, text,
	             (size_t)snprintf(text, sizeof(text), " %" PRId64 "\n", (int64_t)value));
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

static bool make_room(const struct cairn_profile *p, struct stack *stack)
{
	struct pprof in = pprof_open(p->bytes);
	struct pprof_sample sample;
	struct wire_field field;

	stack->room = 1;
	while (pprof_next(&in, &field))
		if (field.number == PPROF_SAMPLE && field.type == WIRE_BYTES &&
		    pprof_read_sample(&in, &field, &sample) && sample.locations > stack->room)
			stack->room = sample.locations;
	stack->id = calloc(stack->room, sizeof(*stack->id));
	return stack->id != NULL;
}

enum cairn_status profile_write_folded(struct profile_writer *w, struct cairn_fault *fault)
{
	struct pprof in = pprof_open(w->profile->bytes);
	struct pprof_sample sample;
	struct wire_field field;
	struct stack stack = { .w = w };
	size_t type;

	if (!find_type(w, &type)) {
		*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0,
			                       "the profile has no values of this type" };
		return CAIRN_NOT_FOUND;
	}
	if (!make_room(w->profile, &stack)) {
		w->status = CAIRN_NO_MEMORY;
		return CAIRN_OK;
	}
	while (w->status == CAIRN_OK && pprof_next(&in, &field))
		if (field.number == PPROF_SAMPLE && field.type == WIRE_BYTES &&
		    pprof_read_sample(&in, &field, &sample))
			write_stack(&stack, &sample, get_value(&sample, type));
	free(stack.id);
	free(stack.line);
	return CAIRN_OK;
}
