/* SPDX-License-Identifier: MIT */
/*
 * Questions and answers between the processes of a service, of any bytes: the header first, then what follows it. Always:
 *   - a question that is taken has its modules, addresses and names within it;
 *   - an answer that is taken has calls for each address, and each text of a call can be read;
 *   - an answer that is refused answers no module.
 */
#include "fuzz.h"

#include "service/query.h"

#include <stdlib.h>
#include <string.h>

static void try_question(const uint8_t *data, size_t size)
{
	struct question_header header;
	struct question question;
	size_t names = 0, addresses = 0;

	if (size < sizeof(header))
		return;
	memcpy(&header, data, sizeof(header));
	if (header.size != size - sizeof(header))
		return;
	void *memory = malloc((size_t)header.size + 1);
	ALWAYS(memory);
	memcpy(memory, data + sizeof(header), header.size);
	if (!question_read(&header, memory, &question))
		return;
	for (uint32_t i = 0; i < header.module_count; i++) {
		names += question.modules[i].name_size;
		addresses += question.modules[i].address_count;
		ALWAYS(question.modules[i].id_size <= QUERY_ID_MAX);
	}
	ALWAYS(addresses == header.address_count && names <= header.size);
	question_free(&question);
}

static void read_all(const struct query *query)
{
	char path[64];

	for (size_t i = 0; i < query->address_count; i++)
		for (uint32_t j = 0; j < query->found[i].count; j++) {
			const struct query_call *call = query_calls(query, &query->found[i]) + j;
			query_text(query, &query->found[i], call->function);
			ALWAYS(query_path(query, &query->found[i], call, path, sizeof(path)).size <
			       sizeof(path));
		}
}

static void try_answer(const uint8_t *data, size_t size)
{
	static const size_t module[] = { 0, 1 };
	struct query query = { .raw_names = false };
	struct query_module named = { .id = { 1 }, .id_size = 1 };
	struct answer_header header;

	if (size < sizeof(header))
		return;
	memcpy(&header, data, sizeof(header));
	header.size = (uint32_t)(size - sizeof(header));
	void *memory = malloc((size_t)header.size + 1);
	ALWAYS(memory);
	memcpy(memory, data + sizeof(header), header.size);
	ALWAYS(query_add_module(&query, &named) && query_add_address(&query, 1) &&
	       query_add_address(&query, 2) && query_add_module(&query, &named) &&
	       query_add_address(&query, 3) && query_begin(&query));
	if (answer_read(&header, memory, module, 2, &query))
		read_all(&query);
	else
		ALWAYS(!query.modules[0].is_answered && !query.modules[1].is_answered);
	query_finish(&query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_question(data, size);
	try_answer(data, size);
	return 0;
}
