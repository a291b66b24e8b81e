/* SPDX-License-Identifier: MIT */
/*
 * What a service asks of its workers, and what they answer: addresses of modules in, calls with names out. Both go through a
 * socket between two processes of one program, so that they are structs as they are in memory.
 *
 *	struct query query = { .raw_names = false };
 *	query_add_module(&query, &module);
 *	query_add_address(&query, address);
 *	... the host has it answered
 *	for (size_t i = 0; i < query.address_count; i++)
 *		... query.found[i], query_calls(&query, &query.found[i])
 *	query_finish(&query);
 *
 * wire.h has the two ways through the socket. The reader of an answer does not believe it: the worker has read files that may be
 * hostile.
 */
#ifndef CAIRN_SERVICE_QUERY_QUERY_H
#define CAIRN_SERVICE_QUERY_QUERY_H

#include "formats/elf/places.h"
#include "requests/request.h"

enum {
	QUERY_ID_MAX = REQUEST_ID_MAX,
	QUERY_NAME_MAX = 1024,       /* bytes of the name of a module */
	QUERY_MODULES_MAX = 1 << 16, /* of one question */
	QUERY_ADDRESSES_MAX = 1 << 20,
	QUERY_PARTS_MAX = 256, /* answers that one query holds */
};

/* The size of a debug ID: the first bytes of a build ID, zeros after a shorter one. */
enum { QUERY_DEBUG_ID = 16 };

struct query_module {
	uint8_t id[QUERY_ID_MAX];
	uint8_t id_size;
	bool is_debug_id;        /* `id` is a debug ID: the beginning of a build ID */
	struct cairn_bytes name; /* the last part of its path; borrowed, may be empty */
	enum request_origin origin;
	size_t address, address_count; /* of query->addresses */
	/* of the answer */
	bool is_answered;
	unsigned missing; /* CAIRN_MISSING_... */
	bool is_left_out; /* its files have ended workers, and are not read now */
};

/* Texts are numbers of the answer that the call is in. */
struct query_call {
	uint64_t start, offset;
	uint32_t function, directory, file, line, column, inlined;
	uint32_t size, unused; /* of the function in bytes; 0: not known */
};

/* What is known of one address: calls of an answer, innermost first. */
struct query_found {
	uint32_t part, call, count;
};

/* One answer, whose arrays lie in its memory. */
struct query_part {
	void *memory;
	const struct query_call *calls;
	const uint32_t *text_ends;
	const uint8_t *texts;
	uint32_t text_count, size; /* size: bytes of `memory` */
};

struct query {
	bool raw_names; /* functions are called as the linker calls them */
	struct query_module *modules;
	uint64_t *addresses;
	struct query_found *found; /* of each address, once it was answered */
	size_t module_count, module_room, address_count, address_room;
	struct query_part part[QUERY_PARTS_MAX];
	size_t part_count;
	/* Reserves memory for what is written of the answers; false: there is too little. NULL: there is no bound. */
	bool (*hold)(void *context, size_t size);
	void *hold_context;
};

enum query_outcome {
	QUERY_DONE,
	QUERY_CROWDED, /* its answers would take more memory than there is for them */
	QUERY_LATE,    /* its time was over before all modules were answered */
	QUERY_BROKEN,  /* nobody could be asked, or memory is short */
};

/* Functions that answer queries: the workers in a service. Modules that are not answered have no calls. */
struct query_asker {
	enum query_outcome (*ask)(void *context, struct query *query);
	/* Where the segments of a module's program are. False: there is none, or nobody could tell. */
	bool (*find_places)(void *context, const struct query_module *module,
	                    struct elf_places *places);
	void *context;
};

/* Adds a module; the addresses that are added next are its. False: memory is short, or there are too many. */
bool query_add_module(struct query *query, const struct query_module *module);
bool query_add_address(struct query *query, uint64_t address);

/* Before the query is answered. False: memory is short. */
bool query_begin(struct query *query);
void query_finish(struct query *query);

const struct query_call *query_calls(const struct query *query, const struct query_found *found);
struct cairn_bytes query_text(const struct query *query, const struct query_found *found,
                              uint32_t number);

/* The path of the file of a call, in `path`, which has room for `size` bytes; empty: it is not known. */
struct cairn_bytes query_path(const struct query *query, const struct query_found *found,
                              const struct query_call *call, char *path, size_t size);

/* A call as a location, whose texts live as long as the query. */
struct cairn_location query_location(const struct query *query, const struct query_found *found,
                                     const struct query_call *call);

#endif
