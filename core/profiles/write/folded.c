/* SPDX-License-Identifier: MIT */
/*
 * Writes a line for each stack: names from the outermost to the leaf with ';' between them, a blank and the value. A location
 * without a name is its module and its address.
 */
#include "write.h"

#include "profiles/samples.h"

#include "base/array_grow.h"
#include "base/base_name.h"
#include "base/fault.h"

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

static void write_address(struct profile_writer *w, const struct profile_location *l, bool *first)
{
	char text[NUMBER_MAX];

	write_divider(w, first);
	if (l->mapping > 0 && w->profile->mappings[l->mapping - 1].path.size > 0) {
		write_folded_name(w, base_name(w->profile->mappings[l->mapping - 1].path));
		writer_bytes(w, "+", 1);
	}
	writer_bytes(
		w, text,
		(size_t)snprintf(text, sizeof(text), "0x%" PRIx64, writer_shown_address(w, l)));
}

/* The calls of one location, which are read from the innermost one on. */
struct folded {
	struct profile_writer *w;
	struct cairn_bytes *name;
	size_t room;
	bool first; /* nothing of the stack is written yet */
};

static void write_calls(struct folded *f, const struct profile_location *l)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };
	struct profile_calls calls = profile_calls(f->w->profile, l);
	struct profile_call call;
	size_t count = 0;

	while (profile_next_call(&calls, &call))
		if (!ARRAY_APPEND(f->name, count, f->room, call.name)) {
			f->w->status = CAIRN_NO_MEMORY;
			return;
		}
	for (; count > 0; count--) {
		const struct cairn_bytes name = f->name[count - 1];
		write_divider(f->w, &f->first);
		write_folded_name(f->w, name.size > 0 ? name : unknown);
	}
}

static void write_location(struct folded *f, const struct profile_location *l)
{
	if (l->line_count > 0 || l->named)
		write_calls(f, l);
	else
		write_address(f->w, l, &f->first);
}

static void write_stack(struct folded *f, const struct profile_samples *s, int64_t value)
{
	const struct cairn_profile *p = f->w->profile;
	char text[NUMBER_MAX];

	f->first = true;
	for (size_t i = s->count; i > 0; i--)
		write_location(f, &p->locations[s->location[i - 1] - 1]);
	if (!f->first)
		writer_bytes(f->w, text,
		             (size_t)snprintf(text, sizeof(text), " %" PRId64 "\n", value));
}

enum cairn_status profile_write_folded(struct profile_writer *w, struct cairn_fault *fault)
{
	struct folded folded = { .w = w };
	struct profile_samples samples;
	enum cairn_status status;
	size_t type;

	if (!profile_find_type(w->profile, w->output->sample_type, &type)) {
		return fault_set(fault, CAIRN_NOT_FOUND, "the profile has no values of this type");
	}
	profile_samples_begin(&samples, w->profile);
	while (w->status == CAIRN_OK && profile_next_sample(&samples))
		if (type < w->profile->type_count && samples.value[type] != 0)
			write_stack(&folded, &samples, (int64_t)samples.value[type]);
	status = profile_samples_end(&samples);
	if (w->status == CAIRN_OK)
		w->status = status;
	free(folded.name);
	return CAIRN_OK;
}
