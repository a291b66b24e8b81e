/* SPDX-License-Identifier: MIT */
/*
 * A query of a service to its workers, and the workers' answers: addresses of modules in, calls
 * with names out. Both are sent through a socket between two processes of one program, so they are
 * structs in native layout.
 *
 *	struct query query = { .raw_names = false };
 *	query_add_module(&query, &module);
 *	query_add_address(&query, address);
 *	... the host has it answered
 *	for (size_t i = 0; i < query.address_count; i++)
 *		... query.found[i], query_calls(&query, &query.found[i])
 *	query_finish(&query);
 *
 * wire.h encodes both. The reader of an answer validates it, because the worker has read files that
 * may be hostile.
 */
#ifndef CAIRN_SERVICE_QUERY_QUERY_H
#define CAIRN_SERVICE_QUERY_QUERY_H

#include "formats/elf/elf.h"
#include "requests/request.h"

enum {
	QUERY_ID_MAX = REQUEST_ID_MAX,
	QUERY_NAME_MAX = 1024, /* bytes of a module name */
	QUERY_MODULES_MAX = 1 << 16,
	QUERY_ADDRESSES_MAX = 1 << 20,
	QUERY_PARTS_MAX = 256, /* maximum number of partial answers to a query */
};

/* Size of a debug ID: the first bytes of a build ID, padded with zeros. */
enum { QUERY_DEBUG_ID = 16 };

struct query_module {
	uint8_t id[QUERY_ID_MAX];
	uint8_t id_size;
	bool is_debug_id;
	struct cairn_bytes name; /* last component of the path; borrowed, may be empty */
	enum request_origin origin;
	size_t address, address_count; /* range in query->addresses */
	/* Results. */
	bool is_answered;
	unsigned missing; /* CAIRN_MISSING_... flags */
	bool is_left_out; /* skipped, because reading its files has crashed or blocked workers */
};

/* A call. Strings are indices into the answer that contains the call. */
struct query_call {
	uint64_t start, offset;
	uint32_t function, directory, file, line, column, inlined;
	uint32_t size, unused; /* `size` of the function in bytes; 0: unknown */
};

/* Calls found for one address, innermost first; `part` selects the answer. */
struct query_found {
	uint32_t part, call, count;
};

/* Decoded answer; its arrays point into `memory`. */
struct query_part {
	void *memory;
	const struct query_call *calls;
	const uint32_t *text_ends;
	const uint8_t *texts;
	uint32_t text_count, size; /* `size` of `memory` in bytes */
};

struct query {
	bool raw_names; /* use linkage names, not demangled names */
	struct query_module *modules;
	uint64_t *addresses;
	struct query_found *found; /* one element per address; valid after an answer */
	size_t module_count, module_room, address_count, address_room;
	struct query_part part[QUERY_PARTS_MAX];
	size_t part_count;
	/*
	 * Reserve memory for the answer that is written from the results. Returns false if the
	 * memory is exhausted. NULL: unlimited.
	 */
	bool (*hold)(void *context, size_t size);
	void *hold_context;
};

enum query_outcome {
	QUERY_DONE,
	QUERY_CROWDED, /* the memory reserved for answers is exhausted */
	QUERY_LATE,
	QUERY_BROKEN, /* no worker could be started, or memory is short */
};

/*
 * Functions that answer queries; in a service, through the workers. Unanswered modules have no
 * calls.
 */
struct query_asker {
	enum query_outcome (*ask)(void *context, struct query *query);
	/*
	 * Find the segments of a module's program. Returns false if the program is not found or no
	 * worker answered.
	 */
	bool (*find_places)(void *context, const struct query_module *module,
	                    struct elf_places *places);
	void *context;
};

/*
 * Add a module; addresses added afterwards belong to it. Returns false if memory is short or a
 * limit is reached.
 */
bool query_add_module(struct query *query, const struct query_module *module);
bool query_add_address(struct query *query, uint64_t address);

/* Prepare a query for its answers. Returns false if memory is short. */
bool query_begin(struct query *query);
void query_finish(struct query *query);

const struct query_call *query_calls(const struct query *query, const struct query_found *found);
struct cairn_bytes query_text(const struct query *query, const struct query_found *found,
                              uint32_t number);

/*
 * Write the path of a call's source file to `path`, which holds `size` bytes. Returns an empty
 * string if the file is unknown.
 */
struct cairn_bytes query_path(const struct query *query, const struct query_found *found,
                              const struct query_call *call, char *path, size_t size);

/* Return a call as a location whose strings are valid as long as the query. */
struct cairn_location query_location(const struct query *query, const struct query_found *found,
                                     const struct query_call *call);

#endif
