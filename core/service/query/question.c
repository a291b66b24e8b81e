/* SPDX-License-Identifier: MIT */
/* Writes and reads questions. */
#include "question.h"

#include <stdlib.h>
#include <string.h>

static void write_module(const struct query_module *module, struct byte_buffer *out)
{
	struct question_module written = { .id_size = module->id_size,
		                           .is_debug_id = module->is_debug_id,
		                           .name_size = (uint32_t)module->name.size,
		                           .origin = module->origin,
		                           .address_count = (uint32_t)module->address_count };

	memcpy(written.id, module->id, module->id_size);
	byte_buffer_bytes(out, &written, sizeof(written));
}

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
	for (size_t i = 0; i < count; i++)
		write_module(&query->modules[module[i]], out);
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
