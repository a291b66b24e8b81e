/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes profiles, including files with several messages, lists the modules in a profile,
 * and stores the results of lookups. Each function and string is stored once.
 */
#include "profile.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json_reader.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text_table.h"
#include "formats/otlp/json.h"
#include "symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

size_t profile_most_lines(const struct cairn_profile *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->location_count; i++)
		if (p->locations[i].line_count > most)
			most = p->locations[i].line_count;
	return most;
}

/*
 * Maximum number of modules to search for an equal one. Mappings of one module are close together,
 * so search only the latest modules.
 */
enum { NEIGHBOURS = 64 };

enum cairn_status profile_add_module(struct cairn_profile *p, struct profile_mapping *mapping)
{
	size_t first = p->module_count > NEIGHBOURS ? p->module_count - NEIGHBOURS : 0;

	while (first < p->module_count &&
	       !(bytes_equal(p->modules[first].path, mapping->path) &&
	         bytes_equal(p->modules[first].build_id, mapping->build_id)))
		first++;
	mapping->module = (uint32_t)first;
	if (first < p->module_count)
		return CAIRN_OK;
	if (!ARRAY_APPEND(p->modules, p->module_count, p->module_capacity,
	                  (struct cairn_profiled_module){ .size = sizeof(*p->modules),
	                                                  .path = mapping->path,
	                                                  .build_id = mapping->build_id }))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

const char *cairn_profile_reason_text(enum cairn_profile_reason reason)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_PROFILE_UNMAPPED] = "not in any mapping",
		[CAIRN_PROFILE_FILELESS] = "the kernel, the vDSO or memory without a file",
		[CAIRN_PROFILE_OUTSIDE] = "address outside the mapping or the file",
		[CAIRN_PROFILE_NO_FILE] = "file not found",
		[CAIRN_PROFILE_OTHER_BUILD] = "a file from another build was found",
		[CAIRN_PROFILE_OTHER_ID] = "files cannot be compared by this build ID",
		[CAIRN_PROFILE_NO_HEADERS] =
			"symbols were found, but not the program, so its load address is unknown",
		[CAIRN_PROFILE_NO_SYMBOL] = "no symbol covers the address",
		[CAIRN_PROFILE_NOT_ASKED] = "names were not requested",
		[CAIRN_PROFILE_OTHER_CODE] = "code of an interpreter or a JIT compiler",
		[CAIRN_PROFILE_TOO_MANY] = "the names exceed the limit for this profile",
	};

	return TEXT_AT(texts, reason, "");
}

static void count_locations(struct cairn_profile *p)
{
	for (size_t i = 0; i < p->location_count; i++) {
		const struct profile_location *l = &p->locations[i];
		if (l->ignored)
			continue;
		struct profile_mapping *mapping = l->mapping ? &p->mappings[l->mapping - 1] : NULL;
		struct cairn_profiled_module *module =
			mapping ? &p->modules[mapping->module] : &p->unmapped;
		if (mapping) {
			mapping->has &= l->has;
			mapping->used = true;
		}
		if (l->line_count > 0)
			module->named++;
		else if (l->named)
			module->named_before++;
		else
			module->unnamed[l->reason]++;
	}
}

static void reset_counts(struct cairn_profiled_module *module)
{
	*module = (struct cairn_profiled_module){ .size = sizeof(*module),
		                                  .path = module->path,
		                                  .build_id = module->build_id };
}

void profile_recount(struct cairn_profile *p)
{
	for (size_t i = 0; i < p->mapping_count; i++)
		p->mappings[i].has = PPROF_HAS_ALL;
	for (size_t i = 0; i < p->module_count; i++)
		reset_counts(&p->modules[i]);
	p->unmapped = (struct cairn_profiled_module){ .path = { (const uint8_t *)"", 0 },
		                                      .build_id = { (const uint8_t *)"", 0 } };
	reset_counts(&p->unmapped);
	count_locations(p);
}

/* The index module_count denotes the pseudo-module for locations without a mapping. */
bool cairn_profile_module(const struct cairn_profile *p, size_t index,
                          struct cairn_profiled_module *module)
{
	if (index > p->module_count)
		return false;
	const struct cairn_profiled_module *found =
		index == p->module_count ? &p->unmapped : &p->modules[index];
	sized_give(found, sizeof(*found), module);
	return true;
}

/*
 * Return a string's index in the pool; index 0 is the empty string. Returns STRING_POOL_FULL if
 * allocation fails or the profile's allowance is exhausted. Replaces invalid UTF-8, because
 * protobuf strings must be UTF-8.
 */
static uint32_t add_text(struct cairn_profile *p, struct cairn_bytes text)
{
	const size_t before = p->pool.blob_size;

	if (p->text_left.over)
		return STRING_POOL_FULL;
	const uint32_t number = string_pool_add_utf8(&p->pool, text);
	return allowance_draw(&p->text_left, p->pool.blob_size - before) ? number
	                                                                 : STRING_POOL_FULL;
}

static uint32_t add_readable(struct cairn_profile *p, struct cairn_bytes name)
{
	const size_t size = demangle_name(name, DEMANGLE_GNU, p->scratch, PROFILE_SCRATCH);

	return add_text(p, size > 0 ? (struct cairn_bytes){ (uint8_t *)p->scratch, size } : name);
}

static uint32_t add_path(struct cairn_profile *p, const struct cairn_location *location)
{
	size_t size = cairn_location_path(location, p->scratch, PROFILE_SCRATCH);

	if (size >= PROFILE_SCRATCH)
		size = PROFILE_SCRATCH - 1;
	return add_text(p, (struct cairn_bytes){ (uint8_t *)p->scratch, size });
}

/*
 * Choose the id for a new function. For pprof, whose existing ids are in arbitrary order, use the
 * lowest free id, because it has the shortest varint.
 */
static uint64_t choose_id(struct cairn_profile *p)
{
	if (p->otlp != OTLP_UNKNOWN)
		return (p->function_count > 0 ? p->function_count : 1) + p->function_gap.padding +
		       p->new_function_count;
	do
		p->next_function++;
	while (profile_number(&p->function_ids, p->next_function) != 0);
	return p->next_function;
}

/*
 * Return true if one of `count` new items would get an index to which the input has a dangling
 * reference.
 */
static bool reaches_barrier(const struct profile_gap *gap, uint64_t count)
{
	return gap->barrier > 0 && gap->padding + count > gap->barrier;
}

/*
 * Return the index plus 1 of a function in new_functions, adding it if necessary. Returns 0 if
 * allocation fails or the profile's allowance is exhausted.
 */
static uint32_t add_new_function(struct cairn_profile *p, const struct cairn_location *location)
{
	struct profile_function f = { .linked_name = add_text(p, location->function) };
	struct number_slot *slot;

	if (f.linked_name == STRING_POOL_FULL)
		return 0;
	f.file = add_path(p, location);
	if (f.file == STRING_POOL_FULL)
		return 0;
	slot = number_map_at(&p->known_functions,
	                     ((uint64_t)f.linked_name + 1) << 32 | ((uint64_t)f.file + 1));
	if (!slot || slot->key != 0)
		return slot ? slot->number : 0;
	f.name = add_readable(p, location->function);
	p->text_left.over |= reaches_barrier(&p->function_gap, p->new_function_count + 1) ||
	                     reaches_barrier(&p->text_gap, p->pool.count);
	if (p->text_left.over || f.name == STRING_POOL_FULL ||
	    p->new_function_count >= UINT32_MAX ||
	    !array_grow(&p->new_functions, &p->new_function_capacity, p->new_function_count + 1,
	                sizeof(f)))
		return 0;
	f.id = choose_id(p);
	p->new_functions[p->new_function_count++] = f;
	*slot = (struct number_slot){ ((uint64_t)f.linked_name + 1) << 32 | ((uint64_t)f.file + 1),
		                      (uint32_t)p->new_function_count };
	p->known_functions.count++;
	return slot->number;
}

static enum cairn_status add_line(struct cairn_profile *p, const struct cairn_location *location)
{
	const uint32_t function = add_new_function(p, location);

	if (function == 0)
		return p->text_left.over ? CAIRN_UNSUPPORTED : CAIRN_NO_MEMORY;
	if (!ARRAY_APPEND(p->new_lines, p->new_line_count, p->new_line_capacity,
	                  (struct profile_line){ function - 1, location->line, location->column }))
		return CAIRN_NO_MEMORY;
	return CAIRN_OK;
}

static bool has_name(const struct cairn_symbol_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		if (answer->locations[i].function.size > 0)
			return true;
	return false;
}

/*
 * Return the PPROF_HAS_* flags for the names in an answer. Symbol sources with line numbers are
 * assumed to include inlined calls.
 */
static uint8_t judge_names(const struct cairn_symbol_answer *answer, bool inlines)
{
	const struct cairn_location *outermost = &answer->locations[answer->count - 1];
	unsigned has = PPROF_HAS_FUNCTIONS;

	if (outermost->file.size > 0)
		has |= PPROF_HAS_FILES;
	if (outermost->line > 0)
		has |= PPROF_HAS_LINES | (inlines ? PPROF_HAS_INLINES : 0u);
	return (uint8_t)has;
}

enum cairn_status profile_add_names(struct cairn_profile *p, struct profile_location *location,
                                    const struct cairn_symbol_answer *answer, bool inlines)
{
	const size_t first = p->new_line_count;
	enum cairn_status status = CAIRN_OK;

	if (!has_name(answer)) {
		location->reason = CAIRN_PROFILE_NO_SYMBOL;
		return CAIRN_OK;
	}
	if (!allowance_draw(&p->lines_left, answer->count) || answer->count > UINT32_MAX - first)
		status = CAIRN_UNSUPPORTED;
	for (size_t i = 0; status == CAIRN_OK && i < answer->count; i++)
		status = add_line(p, &answer->locations[i]);
	if (status != CAIRN_OK) {
		p->new_line_count = first;
		location->reason = CAIRN_PROFILE_TOO_MANY;
		return status == CAIRN_UNSUPPORTED ? CAIRN_OK : status;
	}
	location->first_line = (uint32_t)first;
	location->line_count = (uint32_t)answer->count;
	location->folded = answer->all > answer->count;
	location->has = judge_names(answer, inlines);
	p->mappings[location->mapping - 1].changed = true;
	return CAIRN_OK;
}

/*
 * Files with several OTLP messages. Each message is a JSON object, usually on a line of its own, or
 * a protobuf message preceded by its length as a 32-bit big-endian number.
 */

/*
 * Return the size of the first object including the white space after it. A damaged object extends
 * to the end of the file, so that cairn_profile_open() reports the damage.
 */
static size_t measure_object(struct cairn_bytes text)
{
	struct json_walk walk = json_walk_open(text);
	struct json_step step;
	bool more = json_walk_next(&walk, &step);

	while (more && walk.depth > 0)
		more = json_walk_next(&walk, &step);
	size_t end = walk.in.at;
	while (end < text.size && text.data[end] && strchr(" \t\r\n", text.data[end]))
		end++;
	return more && end < text.size && text.data[end] == '{' ? end : text.size;
}

static struct cairn_bytes next_object(struct cairn_bytes *rest)
{
	const struct cairn_bytes object = { rest->data, measure_object(*rest) };

	rest->data += object.size;
	rest->size -= object.size;
	return object;
}

bool cairn_profile_next_message(struct cairn_bytes *rest, struct cairn_bytes *message)
{
	if (profile_is_json(*rest)) {
		*message = next_object(rest);
		return true;
	}
	struct reader r = reader_open(*rest, true);
	const uint32_t size = reader_u32(&r);
	const struct cairn_bytes body = reader_bytes(&r, size);

	if (!reader_ok(&r))
		return false;
	*message = body;
	rest->data += r.at;
	rest->size -= r.at;
	return true;
}

/*
 * A single protobuf message is not taken for a stream, because its first four bytes, read as a
 * length, exceed the file's size.
 */
bool cairn_profile_is_stream(struct cairn_bytes bytes)
{
	struct cairn_bytes message;

	if (profile_is_json(bytes))
		return measure_object(bytes) < bytes.size;
	return cairn_profile_next_message(&bytes, &message) && message.size > 0 &&
	       otlp_guess(message) != OTLP_UNKNOWN;
}

static struct cairn_profile *make_profile(struct cairn_bytes bytes)
{
	struct cairn_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->bytes = bytes;
	p->lines_left = allowance_of(PROFILE_LINES_LEAST, PROFILE_LINES_TIMES, bytes.size);
	p->text_left = allowance_of(PROFILE_TEXT_LEAST, PROFILE_TEXT_TIMES, bytes.size);
	p->scratch = malloc(PROFILE_SCRATCH);
	if (p->scratch &&
	    string_pool_add(&p->pool, (struct cairn_bytes){ (const uint8_t *)"", 0 }) == 0)
		return p;
	cairn_profile_close(p);
	return NULL;
}

static void take_reasons(struct cairn_profile *p)
{
	for (size_t i = 0; i < p->location_count; i++)
		p->locations[i].reason = CAIRN_PROFILE_NOT_ASKED;
	profile_recount(p);
}

/*
 * Reject unknown formats, and versions without a table of stacks, which no current collector
 * writes.
 */
static enum cairn_status check_version(enum otlp_version version, struct cairn_fault *fault)
{
	if (version == OTLP_UNKNOWN)
		return fault_set(fault, CAIRN_UNSUPPORTED, "not a profile that cairn can read");
	if (version == OTLP_1_5)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "an OpenTelemetry 1.5 or 1.6 profile (1.8 to 1.11 are supported)");
	if (version == OTLP_1_7)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "an OpenTelemetry 1.7 profile (1.8 to 1.11 are supported)");
	return CAIRN_OK;
}

/*
 * Return true if the first TEXT_PEEK bytes contain no control characters. A protobuf message
 * contains bytes below 0x20 in its first fields.
 */
static bool is_text(struct cairn_bytes bytes)
{
	enum { TEXT_LEAST = 8, TEXT_PEEK = 256 };

	for (size_t i = 0; i < bytes.size && i < TEXT_PEEK; i++)
		if (bytes.data[i] < ' ' && !memchr("\t\n\r\033", bytes.data[i], 4))
			return false;
	return bytes.size >= TEXT_LEAST;
}

/* Set *version to OTLP_UNKNOWN for pprof, otherwise to the OTLP version. */
static enum cairn_status recognize_format(struct cairn_bytes bytes,
                                          enum cairn_profile_version wanted,
                                          enum otlp_version *version, struct cairn_fault *fault)
{
	/*
	 * OTLP_1_8_COMMENTED also covers messages without comments, which the conversion does not
	 * change
	 */
	static const enum otlp_version versions[] = {
		[CAIRN_PROFILE_1_8] = OTLP_1_8_COMMENTED, [CAIRN_PROFILE_1_9] = OTLP_1_9,
		[CAIRN_PROFILE_1_10] = OTLP_1_10,         [CAIRN_PROFILE_1_5] = OTLP_1_5,
		[CAIRN_PROFILE_1_7] = OTLP_1_7,
	};

	*version = OTLP_UNKNOWN;
	if (bytes_begin_with(bytes, "PERFFILE") || bytes_begin_with(bytes, "ELIFFREP"))
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a recording in perf's first format of 2009,");
	if (is_text(bytes))
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "text, such as the output of 'perf script',");
	switch (pprof_recognize(bytes)) {
	case PPROF_PROFILE:
		return CAIRN_OK;
	case PPROF_LEGACY:
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a profile in the legacy format of gperftools");
	case PPROF_NONE:
		break;
	}
	*version = otlp_guess(bytes);
	if (*version != OTLP_UNKNOWN && wanted != CAIRN_PROFILE_GUESSED)
		*version = versions[wanted];
	return check_version(*version, fault);
}

/* Load the tables and set *profile. Closes `p` on failure. */
static enum cairn_status fill_profile(struct cairn_profile *p, struct cairn_profile **profile,
                                      struct cairn_fault *fault)
{
	const enum cairn_status status =
		p->otlp == OTLP_UNKNOWN ? profile_load(p, fault) : profile_load_otlp(p, fault);

	if (status != CAIRN_OK) {
		cairn_profile_close(p);
		return status;
	}
	take_reasons(p);
	*profile = p;
	return CAIRN_OK;
}

/* Do the same as fill_profile(), but first convert the comments of 1.8 to attributes. */
static enum cairn_status fill_commented(struct cairn_profile *p, struct cairn_profile **profile,
                                        struct cairn_fault *fault)
{
	enum cairn_status status = profile_move_comments(p->bytes, &p->uncommented, fault);

	if (status != CAIRN_OK) {
		cairn_profile_close(p);
		return status;
	}
	p->otlp = OTLP_1_8;
	p->bytes = byte_buffer_view(&p->uncommented);
	status = fill_profile(p, profile, fault);
	fault->offset = 0; /* an offset in the converted message is meaningless to the user */
	return status;
}

/*
 * Return true for a JSON message without profiles: all member names are known, but none of them is
 * specific to an OTLP version.
 */
static bool is_empty_json(const struct cairn_profile *p)
{
	return p->left_out == 0 && otlp_guess(p->bytes) == OTLP_UNKNOWN;
}

/*
 * Open a JSON profile and infer its OTLP version from the member names. Rejects samples that do not
 * refer to a table of stacks, because all versions with these member names have such a table. The
 * fault's offset is cleared if it refers to the translated message instead of the JSON text.
 */
static enum cairn_status open_json(struct cairn_bytes text, struct cairn_profile **profile,
                                   struct cairn_fault *fault)
{
	struct cairn_profile *p = make_profile(text);
	enum cairn_status status;

	if (!p)
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	status = check_version(otlp_json_version(text), fault);
	if (status == CAIRN_OK)
		status = profile_translate_json(text, p, fault);
	if (status == CAIRN_OK && p->otlp == OTLP_1_10 && !is_empty_json(p)) {
		const enum otlp_version guess = otlp_guess(p->bytes);
		if (guess == OTLP_1_5 || guess == OTLP_1_7)
			status = fault_set(fault, CAIRN_UNSUPPORTED,
			                   "samples have stacks that no table contains");
		else
			status = check_version(guess, fault);
	}
	if (status != CAIRN_OK) {
		cairn_profile_close(p);
		return status;
	}
	if (p->otlp == OTLP_1_8_COMMENTED)
		return fill_commented(p, profile, fault);
	status = fill_profile(p, profile, fault);
	if (status != CAIRN_OK)
		fault->offset = 0;
	return status;
}

enum cairn_status cairn_profile_open(struct cairn_bytes bytes, enum cairn_profile_version version,
                                     struct cairn_profile **profile, struct cairn_fault *fault)
{
	enum otlp_version otlp;
	enum cairn_status status;

	if (profile_is_json(bytes))
		return open_json(bytes, profile, fault);
	status = recognize_format(bytes, version, &otlp, fault);
	if (status != CAIRN_OK)
		return status;
	struct cairn_profile *p = make_profile(bytes);
	if (!p)
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	p->otlp = otlp;
	return otlp == OTLP_1_8_COMMENTED ? fill_commented(p, profile, fault)
	                                  : fill_profile(p, profile, fault);
}

enum cairn_status profile_open_recorded(uint8_t *message, size_t size,
                                        const struct cairn_recording_counts *counts,
                                        uint64_t without_user, struct cairn_profile **profile,
                                        struct cairn_fault *fault)
{
	struct cairn_profile *p = make_profile((struct cairn_bytes){ message, size });

	if (!p) {
		free(message);
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	}
	p->made = message;
	p->counts = *counts;
	p->without_user = without_user;
	p->otlp = OTLP_1_10;
	return fill_profile(p, profile, fault);
}

bool cairn_profile_recording(const struct cairn_profile *p, struct cairn_recording_counts *counts)
{
	if (p->made)
		sized_give(&p->counts, sizeof(p->counts), counts);
	return p->made != NULL;
}

enum cairn_profile_format cairn_profile_format(const struct cairn_profile *profile)
{
	if (profile->translated)
		return CAIRN_PROFILE_OTLP_JSON;
	return profile->otlp == OTLP_UNKNOWN ? CAIRN_PROFILE_PPROF : CAIRN_PROFILE_OTLP;
}

const char *cairn_profile_format_text(const struct cairn_profile *profile)
{
	if (profile->made)
		return "perf";
	if (profile->translated)
		return "JSON of OpenTelemetry";
	switch (profile->otlp) {
	case OTLP_UNKNOWN:
		return "pprof";
	case OTLP_1_5:
	case OTLP_1_7:
		break; /* cairn_profile_open() rejects these versions */
	case OTLP_1_8:
	case OTLP_1_8_COMMENTED:
		return "OpenTelemetry 1.8";
	case OTLP_1_9:
		return "OpenTelemetry 1.9";
	case OTLP_1_10:
		return "OpenTelemetry 1.10 or 1.11";
	}
	return "";
}

uint64_t cairn_profile_left_out(const struct cairn_profile *profile)
{
	return profile->left_out;
}

void cairn_profile_close(struct cairn_profile *p)
{
	if (!p)
		return;
	free(p->made);
	free(p->translated);
	byte_buffer_finish(&p->uncommented);
	free(p->stacks);
	free(p->attributes);
	free(p->links);
	free(p->texts);
	free(p->mappings);
	free(p->locations);
	free(p->functions);
	free(p->types);
	free(p->mapping_ids.slot);
	free(p->location_ids.slot);
	free(p->function_ids.slot);
	free(p->modules);
	string_pool_finish(&p->pool);
	free(p->new_functions);
	free(p->new_lines);
	free(p->known_functions.slot);
	free(p->scratch);
	free(p);
}
