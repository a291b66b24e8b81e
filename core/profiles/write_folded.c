/* SPDX-License-Identifier: MIT */
/*
 * Writes folded stacks for flame graphs: one line per distinct stack, with names from the outermost
 * frame to the leaf separated by ';', a space, and the value. A location without a name is written
 * as MODULE+ADDRESS. Stacks with different addresses can produce the same line, so the first pass
 * adds up values by a hash of the line, and the second pass writes each line at its first
 * occurrence.
 */
#include "write.h"

#include "samples.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/table.h"

#include <inttypes.h>
#include <stdio.h>

enum { NUMBER_MAX = 32 };

static size_t count_plain(struct cairn_bytes name, size_t at)
{
	size_t end = at;

	while (end < name.size && name.data[end] > ' ' && name.data[end] < 0x7f &&
	       name.data[end] != ';')
		end++;
	return end - at;
}

/* Return the size of the character at `at`, or 0 if it must be replaced. */
static size_t count_character(struct cairn_bytes name, size_t at)
{
	uint32_t character = 0;
	const size_t size = cairn_character_at(
		(struct cairn_bytes){ name.data + at, name.size - at }, &character);

	return character != ';' && character != ' ' && cairn_character_is_printable(character)
	               ? size
	               : 0;
}

enum {
	/*
	 * Maximum number of bytes hashed in the first pass, because samples can share stacks and
	 * names.
	 */
	HASHED_LEAST = 1 << 30,
	HASHED_TIMES = 256,
};

/* The writer's state. `name` contains the names at one location, innermost first. */
struct folded {
	struct profile_writer *w;
	struct cairn_bytes *name;
	size_t capacity;
	bool first;   /* no frame of the stack has been written yet */
	bool adds_up; /* this is the first pass, which adds up values */
	uint64_t hash;
	struct allowance hashed;
	struct number_map line; /* maps a hash to a line number plus 1 */
	uint64_t *sum;          /* value of each line; set to 0 when the line has been written */
	uint32_t *number;       /* line number of each sample with a nonzero value */
	size_t sum_count, sum_capacity, number_count, number_capacity;
};

static void put_bytes(struct folded *f, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	if (!f->adds_up)
		writer_bytes(f->w, at, size);
	else if (!allowance_draw(&f->hashed, size))
		f->w->status = CAIRN_UNSUPPORTED;
	else
		for (size_t i = 0; i < size; i++)
			f->hash = (f->hash ^ at[i]) * 0x100000001b3; /* FNV-1a */
}

/*
 * Write a name without the format's delimiters: ';' between frames, a space before the value, and a
 * newline after a stack. These and invalid UTF-8 are replaced by '_'.
 */
static void write_folded_name(struct folded *f, struct cairn_bytes name)
{
	for (size_t at = 0; at < name.size && f->w->status == CAIRN_OK;) {
		size_t size = count_plain(name, at);
		if (size == 0)
			size = count_character(name, at);
		put_bytes(f, size > 0 ? name.data + at : (const uint8_t *)"_", size > 0 ? size : 1);
		at += size > 0 ? size : 1;
	}
}

static void write_divider(struct folded *f)
{
	if (!f->first)
		put_bytes(f, ";", 1);
	f->first = false;
}

static void write_address(struct folded *f, const struct profile_location *l)
{
	const struct profile_mapping *mappings = f->w->profile->mappings;
	uint64_t address = writer_shown_address(f->w, l);
	char text[NUMBER_MAX];
	size_t at = sizeof(text);

	write_divider(f);
	if (l->mapping > 0 && mappings[l->mapping - 1].path.size > 0) {
		write_folded_name(f, base_name(mappings[l->mapping - 1].path));
		put_bytes(f, "+", 1);
	}
	/*
	 * format by hand, because snprintf() would dominate the run time for profiles without names
	 */
	do
		text[--at] = "0123456789abcdef"[address & 15];
	while ((address >>= 4) > 0);
	text[--at] = 'x';
	text[--at] = '0';
	put_bytes(f, text + at, sizeof(text) - at);
}

static void write_calls(struct folded *f, const struct profile_location *l)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };
	struct profile_calls calls = profile_calls(f->w->profile, l);
	struct profile_call call;
	size_t count = 0;

	while (profile_next_call(&calls, &call))
		if (!ARRAY_APPEND(f->name, count, f->capacity, call.name)) {
			f->w->status = CAIRN_NO_MEMORY;
			return;
		}
	for (; count > 0 && f->w->status == CAIRN_OK; count--) {
		const struct cairn_bytes name = f->name[count - 1];
		write_divider(f);
		write_folded_name(f, name.size > 0 ? name : unknown);
	}
}

static void write_location(struct folded *f, const struct profile_location *l)
{
	if (l->line_count > 0 || l->named)
		write_calls(f, l);
	else
		write_address(f, l);
}

static void write_stack(struct folded *f, const struct profile_samples *s)
{
	const struct cairn_profile *p = f->w->profile;

	f->first = true;
	for (size_t i = s->count; i > 0 && f->w->status == CAIRN_OK; i--)
		write_location(f, &p->locations[s->location[i - 1] - 1]);
}

static bool add_up_stack(struct folded *f, const struct profile_samples *s, uint64_t value)
{
	f->hash = 0xcbf29ce484222325;
	write_stack(f, s);
	f->hash += f->hash == 0; /* 0 is not a valid key */
	struct number_slot *slot = number_map_at(&f->line, f->hash);
	if (slot && slot->key == 0 && ARRAY_APPEND(f->sum, f->sum_count, f->sum_capacity, 0)) {
		*slot = (struct number_slot){ f->hash, (uint32_t)f->sum_count };
		f->line.count++;
	}
	if (!slot || slot->key == 0 ||
	    !ARRAY_APPEND(f->number, f->number_count, f->number_capacity, slot->number))
		return false;
	f->sum[slot->number - 1] += f->first ? 0 : value;
	return true;
}

static void write_sum(struct folded *f, const struct profile_samples *s, uint64_t *sum)
{
	char text[NUMBER_MAX];

	if (*sum == 0)
		return;
	write_stack(f, s);
	put_bytes(f, text, (size_t)snprintf(text, sizeof(text), " %" PRId64 "\n", (int64_t)*sum));
	*sum = 0;
}

static enum cairn_status pass_samples(struct folded *f, size_t type)
{
	struct profile_writer *w = f->w;
	struct profile_samples samples;
	size_t at = 0;

	profile_samples_begin(&samples, w->profile);
	while (w->status == CAIRN_OK && profile_next_sample(&samples)) {
		if (type >= w->profile->type_count || samples.value[type] == 0)
			continue;
		if (!f->adds_up)
			write_sum(f, &samples, &f->sum[f->number[at++] - 1]);
		else if (!add_up_stack(f, &samples, (uint64_t)samples.value[type]))
			w->status = CAIRN_NO_MEMORY;
	}
	return profile_samples_end(&samples);
}

enum cairn_status profile_write_folded(struct profile_writer *w, struct cairn_fault *fault)
{
	struct folded folded = { .w = w,
		                 .adds_up = true,
		                 .hashed = allowance_of(HASHED_LEAST, HASHED_TIMES,
		                                        w->profile->bytes.size) };
	enum cairn_status status;
	size_t type;

	if (!profile_find_type(w->profile, w->output->sample_type, &type)) {
		return fault_set(fault, CAIRN_NOT_FOUND, "the profile has no values of this type");
	}
	status = pass_samples(&folded, type);
	folded.adds_up = false;
	if (w->status == CAIRN_OK && status == CAIRN_OK)
		status = pass_samples(&folded, type);
	if (w->status == CAIRN_OK)
		w->status = status;
	free(folded.name);
	free(folded.line.slot);
	free(folded.sum);
	free(folded.number);
	return CAIRN_OK;
}
