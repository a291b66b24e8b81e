/* SPDX-License-Identifier: MIT */
/* Writes answers in a worker, and reads them in the process that does not believe it. */
#include "answer.h"

#include "base/array_grow.h"

#include <stdlib.h>

static uint32_t pool_text(struct answer_text *answer, struct cairn_bytes text)
{
	const uint32_t number = string_pool_add(&answer->texts, text);

	answer->failed |=
		number == STRING_POOL_FULL || answer->texts.blob_size > ANSWER_BYTES_MAX / 2;
	return number;
}

void answer_add_module(struct answer_text *answer, unsigned missing)
{
	if (!array_grow(&answer->missing, &answer->module_room, answer->module_count + 1,
	                sizeof(*answer->missing))) {
		answer->failed = true;
		return;
	}
	answer->missing[answer->module_count++] = missing;
}

static void add_call(struct answer_text *answer, const struct cairn_location *location,
                     struct cairn_bytes (*readable)(struct cairn_bytes name))
{
	struct query_call call = { .start = location->start,
		                   .offset = location->offset,
		                   .line = location->line,
		                   .column = location->column,
		                   .size = location->size,
		                   .inlined = location->inlined };

	call.function =
		pool_text(answer, readable ? readable(location->function) : location->function);
	call.directory = pool_text(answer, location->directory);
	call.file = pool_text(answer, location->file);
	answer->failed |= answer->call_count >= REQUEST_CALLS_MAX ||
	                  !array_grow(&answer->calls, &answer->call_room, answer->call_count + 1,
	                              sizeof(call));
	if (!answer->failed)
		answer->calls[answer->call_count++] = call;
}

void answer_add_address(struct answer_text *answer, const struct cairn_symbol_answer *found,
                        struct cairn_bytes (*readable)(struct cairn_bytes name))
{
	const size_t before = answer->call_count;

	if (!array_grow(&answer->counts, &answer->address_room, answer->address_count + 1,
	                sizeof(*answer->counts))) {
		answer->failed = true;
		return;
	}
	for (size_t i = 0; i < found->count && !answer->failed; i++)
		add_call(answer, &found->locations[i], readable);
	answer->counts[answer->address_count++] = (uint32_t)(answer->call_count - before);
}

static void put_array(struct byte_buffer *out, const void *array, size_t count, size_t size)
{
	if (count > 0)
		byte_buffer_bytes(out, array, count * size);
}

bool answer_write(const struct answer_text *answer, struct answer_header *header,
                  struct byte_buffer *out)
{
	const struct string_pool *texts = &answer->texts;

	*header = (struct answer_header){ .module_count = (uint32_t)answer->module_count,
		                          .address_count = (uint32_t)answer->address_count,
		                          .call_count = (uint32_t)answer->call_count,
		                          .text_count = (uint32_t)texts->count,
		                          .text_size = (uint32_t)texts->blob_size };
	put_array(out, answer->calls, answer->call_count, sizeof(*answer->calls));
	put_array(out, answer->missing, answer->module_count, sizeof(*answer->missing));
	put_array(out, answer->counts, answer->address_count, sizeof(*answer->counts));
	if (texts->count > 0)
		put_array(out, texts->at + 1, texts->count, sizeof(*texts->at));
	put_array(out, texts->blob, texts->blob_size, 1);
	header->size = (uint32_t)out->size;
	return !answer->failed && !out->failed;
}

void answer_clear(struct answer_text *answer)
{
	string_pool_finish(&answer->texts);
	answer->texts = (struct string_pool){ .blob = NULL };
	answer->call_count = answer->module_count = answer->address_count = 0;
	answer->failed = false;
}

void answer_free(struct answer_text *answer)
{
	string_pool_finish(&answer->texts);
	free(answer->calls);
	free(answer->missing);
	free(answer->counts);
	*answer = (struct answer_text){ .failed = false };
}

/* The arrays of an answer, in its memory. */
struct answer_view {
	struct query_part part;
	const uint32_t *missing, *counts;
};

/* Takes `count` items of `size` bytes; false: so many bytes are not there. */
static bool take_array(const uint8_t **at, size_t *left, size_t count, size_t size,
                       const void **array)
{
	if (count > *left / size)
		return false;
	*array = *at;
	*at += count * size;
	*left -= count * size;
	return true;
}

static bool view_answer(const struct answer_header *header, void *memory, struct answer_view *view)
{
	const void *calls, *missing, *counts, *ends, *texts;
	size_t left = header->size;
	const uint8_t *at = memory;

	if (!take_array(&at, &left, header->call_count, sizeof(struct query_call), &calls) ||
	    !take_array(&at, &left, header->module_count, sizeof(uint32_t), &missing) ||
	    !take_array(&at, &left, header->address_count, sizeof(uint32_t), &counts) ||
	    !take_array(&at, &left, header->text_count, sizeof(uint32_t), &ends) ||
	    !take_array(&at, &left, header->text_size, 1, &texts) || left > 0)
		return false;
	*view = (struct answer_view){
		{ memory, calls, ends, texts, header->text_count, header->size }, missing, counts
	};
	return true;
}

static bool check_calls(const struct answer_header *header, const struct answer_view *view)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < header->text_count; before = view->part.text_ends[i++])
		if (view->part.text_ends[i] < before || view->part.text_ends[i] > header->text_size)
			return false;
	for (uint32_t i = 0; i < header->call_count; i++) {
		const struct query_call *call = &view->part.calls[i];
		if (call->function >= header->text_count || call->directory >= header->text_count ||
		    call->file >= header->text_count)
			return false;
	}
	return true;
}

static bool check_counts(const struct answer_header *header, const struct answer_view *view)
{
	uint32_t left = header->call_count;

	for (uint32_t i = 0; i < header->address_count; i++) {
		if (view->counts[i] > left)
			return false;
		left -= view->counts[i];
	}
	return left == 0;
}

/* Is it about these modules? */
static bool fits_question(const struct answer_header *header, const size_t *module, size_t count,
                          const struct query *query)
{
	size_t addresses = 0;

	for (size_t i = 0; i < count; i++)
		addresses += query->modules[module[i]].address_count;
	return header->module_count == count && header->address_count == addresses;
}

static void spread_answer(const struct answer_view *view, const size_t *module, size_t count,
                          struct query *query)
{
	const uint32_t part = (uint32_t)query->part_count - 1;
	uint32_t call = 0;
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		struct query_module *m = &query->modules[module[i]];
		m->is_answered = true;
		m->missing = view->missing[i];
		for (size_t j = 0; j < m->address_count; j++, at++) {
			query->found[m->address + j] =
				(struct query_found){ part, call, view->counts[at] };
			call += view->counts[at];
		}
	}
}

bool answer_read(const struct answer_header *header, void *memory, const size_t *module,
                 size_t count, struct query *query)
{
	struct answer_view view;

	if (query->part_count == QUERY_PARTS_MAX || !view_answer(header, memory, &view) ||
	    !fits_question(header, module, count, query) || !check_calls(header, &view) ||
	    !check_counts(header, &view)) {
		free(memory);
		return false;
	}
	query->part[query->part_count++] = view.part;
	spread_answer(&view, module, count, query);
	return true;
}
