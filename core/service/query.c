/* SPDX-License-Identifier: MIT */
/* Builds a query and gives access to its results. */
#include "query.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool query_add_module(struct query *query, const struct query_module *module)
{
	if (query->module_count >= QUERY_MODULES_MAX ||
	    !array_grow(&query->modules, &query->module_capacity, query->module_count + 1,
	                sizeof(*query->modules)))
		return false;
	struct query_module *added = &query->modules[query->module_count++];
	*added = *module;
	added->address = query->address_count;
	added->address_count = 0;
	added->is_answered = false;
	added->missing = 0;
	return true;
}

bool query_add_address(struct query *query, uint64_t address)
{
	if (query->module_count == 0 || query->address_count >= QUERY_ADDRESSES_MAX ||
	    !ARRAY_APPEND(query->addresses, query->address_count, query->address_capacity, address))
		return false;
	query->modules[query->module_count - 1].address_count++;
	return true;
}

bool query_begin(struct query *query)
{
	query->found = calloc(query->address_count + 1, sizeof(*query->found));
	return query->found != NULL;
}

void query_finish(struct query *query)
{
	for (size_t i = 0; i < query->part_count; i++)
		free(query->part[i].memory);
	free(query->modules);
	free(query->addresses);
	free(query->found);
	*query = (struct query){ .raw_names = false };
}

const struct query_call *query_calls(const struct query *query, const struct query_found *found)
{
	return query->part[found->part].calls + found->call;
}

struct cairn_bytes query_text(const struct query *query, const struct query_found *found,
                              uint32_t number)
{
	const struct query_part *part = &query->part[found->part];
	const uint32_t begin = number > 0 ? part->text_ends[number - 1] : 0;

	return (struct cairn_bytes){ part->texts + begin, part->text_ends[number] - begin };
}

struct cairn_location query_location(const struct query *query, const struct query_found *found,
                                     const struct query_call *call)
{
	return (struct cairn_location){ .function = query_text(query, found, call->function),
		                        .directory = query_text(query, found, call->directory),
		                        .file = query_text(query, found, call->file),
		                        .start = call->start,
		                        .offset = call->offset,
		                        .line = call->line,
		                        .inlined = call->inlined != 0,
		                        .column = call->column };
}

struct cairn_bytes query_path(const struct query *query, const struct query_found *found,
                              const struct query_call *call, char *path, size_t size)
{
	const struct cairn_location location = query_location(query, found, call);
	const size_t length = cairn_location_path(&location, path, size);

	return (struct cairn_bytes){ (const uint8_t *)path, length < size ? length : size - 1 };
}

/*
 * Encodes questions and answers, and validates received answers. A question is the share of a query
 * that is sent to one worker.
 */

bool question_write(const struct query *query, const size_t *module, size_t count,
                    struct question_text *text)
{
	struct byte_buffer *out = &text->bytes;

	*text = (struct question_text){ .bytes = { .limit = QUESTION_BYTES_MAX } };
	text->header.module_count = (uint32_t)count;
	text->header.raw_names = query->raw_names;
	for (size_t i = 0; i < count; i++) {
		const struct query_module *m = &query->modules[module[i]];
		text->header.address_count += (uint32_t)m->address_count;
		if (m->address_count > 0)
			byte_buffer_bytes(out, query->addresses + m->address,
			                  m->address_count * sizeof(*query->addresses));
	}
	for (size_t i = 0; i < count; i++) {
		const struct query_module *m = &query->modules[module[i]];
		struct question_module written = { .id_size = m->id_size,
			                           .is_debug_id = m->is_debug_id,
			                           .name_size = (uint32_t)m->name.size,
			                           .origin = m->origin,
			                           .address_count = (uint32_t)m->address_count };
		memcpy(written.id, m->id, m->id_size);
		byte_buffer_bytes(out, &written, sizeof(written));
	}
	for (size_t i = 0; i < count; i++)
		if (query->modules[module[i]].name.size > 0)
			byte_buffer_bytes(out, query->modules[module[i]].name.data,
			                  query->modules[module[i]].name.size);
	text->header.size = (uint32_t)out->size;
	return !out->failed;
}

static bool check_modules(const struct question *question, size_t names_size)
{
	size_t addresses = 0, names = 0;

	for (size_t i = 0; i < question->header.module_count; i++) {
		const struct question_module *m = &question->modules[i];
		if (m->id_size == 0 || m->id_size > QUERY_ID_MAX || m->name_size > QUERY_NAME_MAX ||
		    m->origin > REQUEST_FILE_OFFSET ||
		    m->address_count > question->header.address_count - addresses ||
		    m->name_size > names_size - names)
			return false;
		addresses += m->address_count;
		names += m->name_size;
	}
	return addresses == question->header.address_count && names == names_size;
}

bool question_read(const struct question_header *header, void *memory, struct question *question)
{
	const size_t modules = (size_t)header->module_count * sizeof(struct question_module),
		     addresses = (size_t)header->address_count * sizeof(uint64_t);

	*question = (struct question){ .header = *header, .addresses = memory };
	if (header->module_count <= QUERY_MODULES_MAX &&
	    header->address_count <= QUERY_ADDRESSES_MAX && modules <= header->size &&
	    addresses <= header->size - modules) {
		uint8_t *behind = (uint8_t *)memory + addresses;
		question->modules = (struct question_module *)(void *)behind;
		question->names = behind + modules;
		if (check_modules(question, header->size - modules - addresses))
			return true;
	}
	question_free(question);
	return false;
}

void question_free(struct question *question)
{
	free(question->addresses);
	*question = (struct question){ .modules = NULL };
}

static uint32_t pool_text(struct answer_text *answer, struct cairn_bytes text)
{
	const uint32_t number = string_pool_add(&answer->texts, text);

	answer->failed |=
		number == STRING_POOL_FULL || answer->texts.blob_size > ANSWER_BYTES_MAX / 2;
	return number;
}

void answer_add_module(struct answer_text *answer, unsigned missing)
{
	if (!array_grow(&answer->missing, &answer->module_capacity, answer->module_count + 1,
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
	                  !array_grow(&answer->calls, &answer->call_capacity,
	                              answer->call_count + 1, sizeof(call));
	if (!answer->failed)
		answer->calls[answer->call_count++] = call;
}

void answer_add_address(struct answer_text *answer, const struct cairn_symbol_answer *found,
                        struct cairn_bytes (*readable)(struct cairn_bytes name))
{
	const size_t before = answer->call_count;

	if (!array_grow(&answer->counts, &answer->address_capacity, answer->address_count + 1,
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

struct answer_view {
	struct query_part part;
	const uint32_t *missing, *counts;
};

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

/*
 * Return true if all indices and strings lie within the answer, and each call belongs to exactly
 * one address.
 */
static bool check_answer(const struct answer_header *header, const struct answer_view *view)
{
	uint32_t before = 0, left = header->call_count;

	for (uint32_t i = 0; i < header->text_count; before = view->part.text_ends[i++])
		if (view->part.text_ends[i] < before || view->part.text_ends[i] > header->text_size)
			return false;
	for (uint32_t i = 0; i < header->call_count; i++) {
		const struct query_call *call = &view->part.calls[i];
		if (call->function >= header->text_count || call->directory >= header->text_count ||
		    call->file >= header->text_count)
			return false;
	}
	for (uint32_t i = 0; i < header->address_count; i++) {
		if (view->counts[i] > left)
			return false;
		left -= view->counts[i];
	}
	return left == 0;
}

bool answer_read(const struct answer_header *header, void *memory, const size_t *module,
                 size_t count, struct query *query)
{
	const uint32_t part = (uint32_t)query->part_count;
	struct answer_view view;
	size_t addresses = 0, at = 0;
	uint32_t call = 0;

	for (size_t i = 0; i < count; i++)
		addresses += query->modules[module[i]].address_count;
	if (part == QUERY_PARTS_MAX || !view_answer(header, memory, &view) ||
	    header->module_count != count || header->address_count != addresses ||
	    !check_answer(header, &view)) {
		free(memory);
		return false;
	}
	query->part[query->part_count++] = view.part;
	for (size_t i = 0; i < count; i++) {
		struct query_module *m = &query->modules[module[i]];
		m->is_answered = true;
		m->missing = view.missing[i];
		for (size_t j = 0; j < m->address_count; j++, at++) {
			query->found[m->address + j] =
				(struct query_found){ part, call, view.counts[at] };
			call += view.counts[at];
		}
	}
	return true;
}
