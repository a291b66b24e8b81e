/* SPDX-License-Identifier: MIT */
/*
 * A symbol source that forwards lookups to a query_asker. In place of a module's program it
 * supplies a file with the program's build ID and segments only, because the symbolizer does not
 * read anything else.
 */
#include "remote_symbols.h"

#include "base/byte_buffer.h"
#include "base/memory.h"
#include "base/path.h"
#include "writers/elf/elf_builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Path under which the symbolizer opens the substitute program. Opening any other path fails with
 * ENOENT.
 */
static const char program_path[] = "/program";

struct remote_module {
	struct remote_symbols *remote;
	struct query_module module;
};

static bool describe_remote_module(const struct cairn_symbol_module *from,
                                   struct query_module *module)
{
	*module = (struct query_module){ .origin = REQUEST_VA };
	if (from->build_id.size == 0 || from->build_id.size > QUERY_ID_MAX)
		return false;
	module->id_size = (uint8_t)from->build_id.size;
	memcpy(module->id, from->build_id.data, from->build_id.size);
	if (from->path)
		module->name = base_name(
			(struct cairn_bytes){ (const uint8_t *)from->path, strlen(from->path) });
	if (module->name.size > QUERY_NAME_MAX)
		module->name.size = 0;
	return true;
}

static enum cairn_status open_remote(void *context, struct cairn_symbol_search *search,
                                     void **opened, struct cairn_fault *fault)
{
	struct remote_module *made = malloc(sizeof(*made));

	(void)fault;
	if (!made)
		return CAIRN_NO_MEMORY;
	made->remote = context;
	if (!describe_remote_module(search->module, &made->module)) {
		free(made);
		return CAIRN_NOT_FOUND;
	}
	*opened = made;
	return CAIRN_OK;
}

/* Query all addresses of one module. Invalidates the strings of the previous query. */
static bool ask_module(struct remote_module *opened, const uint64_t *vas, size_t count)
{
	struct remote_symbols *remote = opened->remote;
	struct query *query = &remote->query;

	query_finish(query);
	query->raw_names = true;
	bool done = query_add_module(query, &opened->module);
	for (size_t i = 0; done && i < count; i++)
		done = query_add_address(query, vas[i]);
	const enum query_outcome outcome =
		done ? remote->asker->ask(remote->asker->context, query) : QUERY_BROKEN;
	if (outcome > remote->outcome)
		remote->outcome = outcome;
	return outcome == QUERY_DONE;
}

static void give_found(struct remote_symbols *remote, size_t index,
                       const struct cairn_symbol_taker *taker)
{
	const struct query_found *found = &remote->query.found[index];
	const struct cairn_symbol_found given = { .locations = remote->locations,
		                                  .count = found->count,
		                                  .all = found->count };

	for (uint32_t i = 0; i < found->count; i++)
		remote->locations[i] = query_location(&remote->query, found,
		                                      query_calls(&remote->query, found) + i);
	taker->take(taker->context, index, &given);
}

static void find_remote(void *opened, const uint64_t *vas, size_t count,
                        const struct cairn_symbol_taker *taker)
{
	struct remote_module *module = opened;
	struct remote_symbols *remote = module->remote;

	if (!ask_module(module, vas, count))
		return;
	for (size_t i = 0; i < count; i++) {
		const uint32_t calls = remote->query.found[i].count;
		if (calls > 0 && array_grow(&remote->locations, &remote->location_room, calls,
		                            sizeof(*remote->locations)))
			give_found(remote, i, taker);
	}
}

static void write_segment(struct byte_buffer *out, uint32_t type, uint32_t flags,
                          const struct elf_place *place)
{
	elf_file_segment(out, true,
	                 &(struct elf_segment){ .type = type,
	                                        .flags = flags,
	                                        .offset = place->offset,
	                                        .va = place->va,
	                                        .file_size = place->size,
	                                        .memory_size = place->size,
	                                        .align = 1 });
}

static bool write_program(struct remote_symbols *remote, const struct elf_places *places,
                          struct cairn_bytes build_id)
{
	struct byte_buffer out = { .limit = REMOTE_PROGRAM_MAX };
	const unsigned segments = places->count + 1;
	const struct elf_place note = {
		.offset = ELF_FILE_HEADER + (uint64_t)segments * ELF_SEGMENT_WIDE,
		.size = elf_file_note_size(build_id),
	};

	elf_file_header(&out, true, ELF_EM_X86_64, 0, segments);
	for (unsigned i = 0; i < places->count; i++)
		write_segment(&out, ELF_PT_LOAD,
		              places->place[i].code ? ELF_PF_READ | ELF_PF_EXECUTE : ELF_PF_READ,
		              &places->place[i]);
	write_segment(&out, ELF_PT_NOTE, ELF_PF_READ, &note);
	elf_file_note(&out, build_id);
	if (!out.failed)
		memcpy(remote->program, out.data, out.size);
	remote->program_size = out.failed ? 0 : out.size;
	byte_buffer_finish(&out);
	return remote->program_size > 0;
}

static bool fetch_program(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
                          char *path, size_t size)
{
	struct remote_symbols *remote = context;
	struct cairn_symbol_module from = CAIRN_SYMBOL_MODULE;
	struct query_module module;
	struct elf_places places;

	from.build_id = build_id;
	return wanted == CAIRN_FILE_PROGRAM && describe_remote_module(&from, &module) &&
	       remote->asker->find_places(remote->asker->context, &module, &places) &&
	       write_program(remote, &places, build_id) &&
	       (size_t)snprintf(path, size, "%s", program_path) < size;
}

static int open_headers(void *context, const char *path, struct cairn_open_file *file)
{
	const struct remote_symbols *remote = context;
	uint8_t *copy;

	if (strcmp(path, program_path) != 0)
		return ENOENT;
	copy = malloc(remote->program_size + 1);
	if (!copy)
		return ENOMEM;
	memcpy(copy, remote->program, remote->program_size);
	*file = (struct cairn_open_file){ .bytes = { copy, remote->program_size }, .handle = copy };
	return 0;
}

static void close_headers(void *context, struct cairn_open_file *file)
{
	(void)context;
	free(file->handle);
}

bool remote_symbols_open(const struct query_asker *asker, struct remote_symbols *remote)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	const struct cairn_symbol_source source = { .size = sizeof(source),
		                                    .rank = 1,
		                                    .name = "service",
		                                    .context = remote,
		                                    .open = open_remote,
		                                    .find = find_remote,
		                                    .close = free,
		                                    .whole = true };

	*remote = (struct remote_symbols){ .asker = asker, .outcome = QUERY_DONE };
	options.bare = true;
	options.only_files_given = true;
	options.no_system_folders = true;
	options.files = (struct cairn_file_access){ open_headers, close_headers, remote };
	options.fetch = fetch_program;
	options.fetch_context = remote;
	remote->symbolizer = cairn_symbolizer_new(&options);
	if (remote->symbolizer && cairn_symbolizer_add(remote->symbolizer, &source) == CAIRN_OK)
		return true;
	cairn_symbolizer_free(remote->symbolizer);
	return false;
}

void remote_symbols_close(struct remote_symbols *remote)
{
	cairn_symbolizer_free(remote->symbolizer);
	query_finish(&remote->query);
	free(remote->locations);
}
