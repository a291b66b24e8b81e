/* SPDX-License-Identifier: MIT */
/* Answers the queries of a service in fuzz targets: the addresses choose the answers, which take the form that they have in a socket. */
#ifndef CAIRN_TESTS_FUZZ_SERVICE_ASKER_H
#define CAIRN_TESTS_FUZZ_SERVICE_ASKER_H

#include "fuzz.h"

#include "service/query.h"

#include <stdlib.h>
#include <string.h>

static void asker_add_address(struct answer_text *answer, uint64_t address, bool known)
{
	static const struct cairn_bytes inner = { (const uint8_t *)"inner", 5 },
					outer = { (const uint8_t *)"_ZN2ns5outerEv", 14 },
					none = { (const uint8_t *)"", 0 };
	const struct cairn_location locations[] = {
		{ .function = inner,
		  .directory = none,
		  .file = inner,
		  .line = 7,
		  .offset = address % 16,
		  .inlined = true },
		{ .function = outer, .directory = outer, .file = inner, .line = 8 },
	};
	const struct cairn_symbol_answer found = { .locations = locations,
		                                   .count = known && address % 4 != 0 ? 2 : 0 };

	answer_add_address(answer, &found, NULL);
}

static enum query_outcome asker_ask(void *context, struct query *query)
{
	struct answer_text answer = { .failed = false };
	struct byte_buffer bytes = { .limit = ANSWER_BYTES_MAX };
	size_t *module = calloc(query->module_count + 1, sizeof(*module));
	struct answer_header header;

	(void)context;
	ALWAYS(module && query_begin(query));
	for (size_t i = 0; i < query->module_count; i++) {
		const struct query_module *m = &query->modules[i];
		const bool known = m->id[0] % 2 == 0;
		module[i] = i;
		ALWAYS(m->id_size > 0 && m->id_size <= QUERY_ID_MAX &&
		       m->name.size <= QUERY_NAME_MAX);
		answer_add_module(&answer, known ? 0 : CAIRN_MISSING_ALL);
		for (size_t j = 0; j < m->address_count; j++)
			asker_add_address(&answer, query->addresses[m->address + j], known);
	}
	ALWAYS(answer_write(&answer, &header, &bytes));
	void *memory = malloc(bytes.size + 1);
	ALWAYS(memory);
	if (bytes.size > 0)
		memcpy(memory, bytes.data, bytes.size);
	ALWAYS(answer_read(&header, memory, module, query->module_count, query));
	byte_buffer_finish(&bytes);
	answer_free(&answer);
	free(module);
	return QUERY_DONE;
}

static bool asker_find_places(void *context, const struct query_module *module,
                              struct elf_places *places)
{
	(void)context;
	*places = (struct elf_places){ .place = { { 0, 0x100000, 0x1000, true } }, .count = 1 };
	return module->id[0] % 2 == 0;
}

static const struct query_asker service_asker = { asker_ask, asker_find_places, NULL };

#endif
