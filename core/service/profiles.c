/* SPDX-License-Identifier: MIT */
/*
 * Symbolizes the locations in an exported profile, and writes the profile for the next collector.
 */
#include "answer_body.h"

#include "base/byte_buffer.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/wire.h"
#include "unpack/unpack.h"
#include "writers/elf/elf_builder.h"

#include "query.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* maximum size of a substitute program, which consists of ELF headers only */
enum { REMOTE_PROGRAM_MAX = 8192 };

/*
 * A symbolizer that opens no files: each lookup becomes a query to the workers. The symbolizer
 * reads only the build ID and segments of a module's program, so it gets a substitute file that
 * contains just these.
 */
struct remote_symbols {
	const struct query_asker *asker;
	struct cairn_symbolizer *symbolizer;
	struct query query; /* latest query; its strings are still in use */
	struct cairn_location *locations;
	size_t location_capacity;
	enum query_outcome outcome;
	/* ELF headers of the program that was requested last */
	uint8_t program[REMOTE_PROGRAM_MAX];
	size_t program_size;
};

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

/* Query all addresses in one module. Invalidates the strings of the previous query. */
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
                       const struct cairn_symbol_taker *sink)
{
	const struct query_found *found = &remote->query.found[index];
	const struct cairn_symbol_found given = { .locations = remote->locations,
		                                  .count = found->count,
		                                  .all = found->count };

	for (uint32_t i = 0; i < found->count; i++)
		remote->locations[i] = query_location(&remote->query, found,
		                                      query_calls(&remote->query, found) + i);
	sink->take(sink->context, index, &given);
}

static void find_remote(void *opened, const uint64_t *vas, size_t count,
                        const struct cairn_symbol_taker *sink)
{
	struct remote_module *module = opened;
	struct remote_symbols *remote = module->remote;

	if (!ask_module(module, vas, count))
		return;
	for (size_t i = 0; i < count; i++) {
		const uint32_t calls = remote->query.found[i].count;
		if (calls > 0 && array_grow(&remote->locations, &remote->location_capacity, calls,
		                            sizeof(*remote->locations)))
			give_found(remote, i, sink);
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

/* Create the symbolizer. Returns false if allocation fails; the caller must then not close it. */
static bool remote_symbols_open(const struct query_asker *asker, struct remote_symbols *remote)
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
	options.skip = CAIRN_SKIP_BUILTIN_SOURCES | CAIRN_SKIP_MODULE_PATHS | CAIRN_SKIP_SYSTEM;
	options.files = (struct cairn_file_access){ open_headers, close_headers, remote };
	options.fetch = fetch_program;
	options.fetch_context = remote;
	remote->symbolizer = cairn_symbolizer_new(&options);
	if (remote->symbolizer && cairn_symbolizer_add(remote->symbolizer, &source) == CAIRN_OK)
		return true;
	cairn_symbolizer_free(remote->symbolizer);
	return false;
}

static void remote_symbols_close(struct remote_symbols *remote)
{
	cairn_symbolizer_free(remote->symbolizer);
	query_finish(&remote->query);
	free(remote->locations);
}

static const char protobuf_type[] = "application/x-protobuf", json_type[] = "application/json";

/* gRPC status codes, which OTLP uses for errors. */
enum { CODE_INVALID = 3, CODE_TOO_LARGE = 8, CODE_UNAVAILABLE = 14 };

static unsigned choose_code(unsigned status)
{
	if (status >= SERVICE_FAILED)
		return CODE_UNAVAILABLE;
	return status == SERVICE_TOO_LARGE ? CODE_TOO_LARGE : CODE_INVALID;
}

static void give_bytes(struct byte_buffer *bytes, struct service_answer *answer)
{
	answer->body = (char *)bytes->data;
	answer->size = bytes->size;
	bytes->data = NULL;
}

/* Protobuf message Status { int32 code = 1; string message = 2; } */
static void write_status(unsigned code, const char *why, struct service_answer *answer)
{
	struct byte_buffer out = { .limit = 4096 };

	wire_buffer_number(&out, 1, code);
	wire_buffer_bytes(&out, 2, (struct cairn_bytes){ (const uint8_t *)why, strlen(why) });
	give_bytes(&out, answer);
	byte_buffer_finish(&out);
}

static void write_json_status(unsigned code, const char *why, struct service_answer *answer)
{
	struct answer_body body;

	if (!answer_body_begin(&body, 0, NULL, answer))
		return;
	json_object(&body.json, NULL);
	json_number(&body.json, "code", code);
	json_string(&body.json, "message", why);
	json_end(&body.json);
	answer_body_end(&body, answer);
}

void service_profiles_refuse(bool is_json, unsigned status, const char *why,
                             struct service_answer *answer)
{
	*answer = (struct service_answer){ .status = status };
	if (is_json)
		write_json_status(choose_code(status), why, answer);
	else
		write_status(choose_code(status), why, answer);
	answer->status = status;
	answer->type = is_json ? json_type : protobuf_type;
	answer->why = why;
}

/* Answer that all profiles have been accepted: a response without partial_success. */
static void take_profiles(bool is_json, struct service_answer *answer)
{
	struct byte_buffer out = { .limit = 2 };

	if (is_json)
		byte_buffer_bytes(&out, "{}", 2);
	*answer = (struct service_answer){ .status = SERVICE_OK,
		                           .type = is_json ? json_type : protobuf_type };
	give_bytes(&out, answer);
	byte_buffer_finish(&out);
}

static struct cairn_bytes give_whole_body(void *context)
{
	struct cairn_bytes *left = context;
	const struct cairn_bytes piece = *left;

	left->size = 0;
	return piece;
}

static const char *unpack_all(struct unpack_pieces *pieces, size_t limit, struct byte_buffer *out)
{
	enum { PIECE = 1 << 16 };
	size_t got = PIECE;

	out->limit = limit;
	while (got == PIECE) {
		uint8_t *at = byte_buffer_extend(out, PIECE);
		if (!at)
			return "the profile is larger than 64 MiB when decompressed";
		got = unpack_pieces_read(pieces, at, PIECE);
		out->size -= PIECE - got;
	}
	return pieces->end.status == CAIRN_OK ? NULL : "the body is not valid gzip";
}

/*
 * Decompress *body into *out if it is compressed. Returns NULL on success, otherwise the reason for
 * the failure.
 */
static const char *unpack_body(struct cairn_bytes *body, struct byte_buffer *out)
{
	const struct unpack_method *method = unpack_find_method(*body);
	struct unpack_pieces pieces;
	struct cairn_fault fault;
	struct cairn_bytes left = *body;

	if (!method)
		return NULL;
	if (method != &unpack_gzip ||
	    unpack_pieces_open(&pieces, method, give_whole_body, &left, &fault) != CAIRN_OK)
		return "the body is compressed with another method than gzip";
	const char *why = unpack_all(&pieces, SERVICE_PROFILE_MAX, out);
	unpack_pieces_close(&pieces);
	*body = byte_buffer_view(out);
	return why;
}

static int take_bytes(void *context, const void *bytes, size_t size)
{
	struct byte_buffer *out = context;

	byte_buffer_bytes(out, bytes, size);
	return out->failed ? ENOMEM : 0;
}

static enum cairn_status write_profile(const struct cairn_profile *profile, bool is_json,
                                       struct byte_buffer *out, struct cairn_fault *fault)
{
	const struct cairn_profile_output output = { .write = take_bytes, .context = out };

	out->limit = (size_t)4 * SERVICE_PROFILE_MAX;
	return cairn_profile_write(profile, is_json ? CAIRN_PROFILE_OTLP_JSON : CAIRN_PROFILE_OTLP,
	                           &output, fault);
}

static void name_profile(const struct query_asker *asker, struct cairn_profile *profile,
                         bool is_json, struct service_answer *answer)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct byte_buffer out = { .size = 0 };
	struct remote_symbols *remote = malloc(sizeof(*remote));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (remote && remote_symbols_open(asker, remote)) {
		status = cairn_profile_symbolize(profile, remote->symbolizer, 0);
		if (status == CAIRN_OK)
			status = write_profile(profile, is_json, &out, &fault);
		if (status == CAIRN_OK && remote->outcome == QUERY_LATE)
			status = CAIRN_UNREADABLE;
		remote_symbols_close(remote);
	}
	free(remote);
	*answer = (struct service_answer){ .status = SERVICE_OK,
		                           .type = is_json ? json_type : protobuf_type };
	if (status == CAIRN_OK)
		give_bytes(&out, answer);
	else if (status == CAIRN_UNSUPPORTED)
		service_profiles_refuse(is_json, SERVICE_TOO_LARGE, fault.what, answer);
	else
		service_profiles_refuse(
			is_json, SERVICE_TRY_AGAIN,
			status == CAIRN_UNREADABLE
				? "the symbol files took too long to read: try again"
				: "out of memory",
			answer);
	byte_buffer_finish(&out);
}

static void answer_profile(const struct query_asker *asker, struct cairn_bytes body, bool is_json,
                           struct service_answer *answer)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct cairn_profile *profile;
	const enum cairn_status status =
		cairn_profile_open(body, CAIRN_PROFILE_GUESSED, &profile, &fault);

	if (status == CAIRN_NO_MEMORY) {
		service_profiles_refuse(is_json, SERVICE_TRY_AGAIN, "out of memory", answer);
		return;
	}
	if (status != CAIRN_OK) {
		service_profiles_refuse(is_json, SERVICE_BAD, fault.what, answer);
		return;
	}
	if (cairn_profile_format(profile) !=
	    (is_json ? CAIRN_PROFILE_OTLP_JSON : CAIRN_PROFILE_OTLP))
		service_profiles_refuse(
			is_json, SERVICE_BAD_TYPE,
			"the body is not an OpenTelemetry profile in the encoding that "
			"Content-Type names",
			answer);
	else
		name_profile(asker, profile, is_json, answer);
	cairn_profile_close(profile);
}

/* An empty message is valid and contains no profiles. */
void service_profiles(const struct query_asker *asker, struct cairn_bytes body, bool is_json,
                      struct service_answer *answer)
{
	struct byte_buffer unpacked = { .size = 0 };
	const char *why = unpack_body(&body, &unpacked);

	if (why)
		service_profiles_refuse(is_json, unpacked.failed ? SERVICE_TOO_LARGE : SERVICE_BAD,
		                        why, answer);
	else if (body.size == 0)
		take_profiles(is_json, answer);
	else
		answer_profile(asker, body, is_json, answer);
	byte_buffer_finish(&unpacked);
}
