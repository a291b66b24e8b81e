/* SPDX-License-Identifier: MIT */
/*
 * A query from a service to its workers: addresses in modules. The workers answer with the names of
 * the calls at each address. Queries and answers are sent through a socket between two processes of
 * the same program, so they are structs in native layout.
 *
 *	struct query query = { .raw_names = false };
 *	query_add_module(&query, &module);
 *	query_add_address(&query, address);
 *	... the host passes the query to query_asker.ask()
 *	for (size_t i = 0; i < query.address_count; i++)
 *		... query.found[i], query_calls(&query, &query.found[i])
 *	query_finish(&query);
 *
 * question_write() encodes a worker's share of a query. answer_read() validates the answer, because
 * a hostile file may have taken control of the worker.
 */
#ifndef CAIRN_SERVICE_QUERY_H
#define CAIRN_SERVICE_QUERY_H

#include "base/byte_buffer.h"
#include "base/table.h"
#include "formats/elf/elf.h"
#include "requests/request.h"

enum {
	QUERY_ID_MAX = REQUEST_ID_MAX,
	QUERY_NAME_MAX = 1024,
	QUERY_MODULES_MAX = 1 << 16,
	QUERY_ADDRESSES_MAX = 1 << 20,
	QUERY_PARTS_MAX = 256,
};

/* Size of a debug ID: the first bytes of a build ID, padded with zeros. */
enum { QUERY_DEBUG_ID = 16 };

struct query_module {
	uint8_t id[QUERY_ID_MAX];
	uint8_t id_size;
	bool is_debug_id;
	struct cairn_bytes name; /* last component of the module's path; borrowed, may be empty */
	enum request_origin origin;
	size_t address, address_count; /* range of the module's addresses in query->addresses */
	bool is_answered;
	unsigned missing; /* CAIRN_MISSING_... flags */
	/* the module has been skipped, because reading its files has crashed or blocked workers */
	bool is_left_out;
};

/* A call. Its strings are indices into the answer that contains the call. */
struct query_call {
	uint64_t start, offset;
	uint32_t function, directory, file, line, column, inlined;
	uint32_t size, unused; /* `size` is the function's size in bytes; 0 if unknown */
};

/*
 * Calls found for one address, innermost first. `part` is the index of the answer that contains
 * them.
 */
struct query_found {
	uint32_t part, call, count;
};

struct query_part {
	void *memory;
	const struct query_call *calls;
	const uint32_t *text_ends;
	const uint8_t *texts;
	uint32_t text_count, size; /* `size` is the size of `memory` in bytes */
};

struct query {
	bool raw_names; /* use linkage names instead of demangled names */
	struct query_module *modules;
	uint64_t *addresses;
	struct query_found *found;
	size_t module_count, module_capacity, address_count, address_capacity;
	struct query_part part[QUERY_PARTS_MAX];
	size_t part_count;
	/*
	 * Reserve memory for the response that the service writes from the results. Returns false
	 * if the memory limit has been reached. NULL disables the limit.
	 */
	bool (*hold)(void *context, size_t size);
	void *hold_context;
};

enum query_outcome {
	QUERY_DONE,
	QUERY_CROWDED,
	QUERY_LATE,
	QUERY_BROKEN, /* no worker could be started, or allocation failed */
};

/*
 * Callbacks that answer queries, by passing them to the workers of a service. Modules without an
 * answer get no calls.
 */
struct query_asker {
	enum query_outcome (*ask)(void *context, struct query *query);
	/*
	 * Find the segments of a module's program. Returns false if the program is not found or no
	 * worker has answered.
	 */
	bool (*find_places)(void *context, const struct query_module *module,
	                    struct elf_places *places);
	void *context;
};

/*
 * Add a module; addresses added afterwards belong to it. Returns false if allocation fails or a
 * limit is reached.
 */
bool query_add_module(struct query *query, const struct query_module *module);
bool query_add_address(struct query *query, uint64_t address);

/*
 * Allocate the results. Call this after the last address has been added. Returns false if
 * allocation fails.
 */
bool query_begin(struct query *query);
void query_finish(struct query *query);

const struct query_call *query_calls(const struct query *query, const struct query_found *found);
struct cairn_bytes query_text(const struct query *query, const struct query_found *found,
                              uint32_t number);

/*
 * Write the path of a call's source file to `path`, which has a capacity of `size` bytes. Returns
 * an empty string if the file is unknown.
 */
struct cairn_bytes query_path(const struct query *query, const struct query_found *found,
                              const struct query_call *call, char *path, size_t size);

struct cairn_location query_location(const struct query *query, const struct query_found *found,
                                     const struct query_call *call);

/*
 * Encodes questions and answers for the socket. A question is the share of a query that is sent to
 * one worker: a header followed by `size` bytes of addresses, modules and names. An answer is a
 * header followed by `size` bytes: the calls, a mask of missing files per module, the number of
 * calls per address, and strings with their end offsets.
 *
 *	struct question_text text = { 0 };
 *	if (question_write(&query, chosen, count, &text))
 *		... send text.header and text.bytes
 *
 *	struct question question;
 *	if (question_read(&header, memory, &question))
 *		... question.modules[i]
 *	question_free(&question);
 */
enum question_kind {
	QUESTION_NAMES,
	QUESTION_PLACES,  /* query the segments of the first module's program */
	QUESTION_PROGRAM, /* request a descriptor for the first module's program */
	QUESTION_DEBUG,   /* request a descriptor for the first module's separate debug file */
};

enum { QUESTION_BYTES_MAX = 1 << 25, ANSWER_BYTES_MAX = 1 << 28 };

struct question_header {
	uint32_t kind, size, module_count, address_count, raw_names, look_again;
};

struct question_module {
	uint8_t id[QUERY_ID_MAX];
	uint32_t id_size, is_debug_id, name_size, origin, address_count;
};

struct question {
	struct question_header header;
	uint64_t *addresses; /* allocated with malloc(); the same block contains the other arrays */
	struct question_module *modules;
	uint8_t *names;
};

struct question_text {
	struct question_header header;
	struct byte_buffer bytes;
};

/*
 * Encode a question about the modules with these indices. Returns false if allocation fails or the
 * question is too large.
 */
bool question_write(const struct query *query, const size_t *module, size_t count,
                    struct question_text *text);

/*
 * Decode the bytes after a question's header. Takes ownership of `memory`, which was allocated with
 * malloc(): question_free() frees it later. If the question is invalid, frees the memory at once
 * and returns false.
 */
bool question_read(const struct question_header *header, void *memory, struct question *question);
void question_free(struct question *question);

struct answer_header {
	uint32_t size, module_count, address_count, call_count, text_count, text_size;
	uint32_t has_file; /* 1 if a descriptor is sent with the header */
};

struct answer_text {
	struct query_call *calls;
	/* missing-file flags per module, and number of calls per address */
	uint32_t *missing, *counts;
	size_t call_count, call_capacity, module_count, module_capacity, address_count,
		address_capacity;
	struct string_pool texts;
	bool failed;
};

/*
 * End the current module after its last address has been added, and store the flags of its missing
 * files.
 */
void answer_add_module(struct answer_text *answer, unsigned missing);

/* Add the result for the next address. `readable` demangles names; NULL keeps linkage names. */
void answer_add_address(struct answer_text *answer, const struct cairn_symbol_answer *found,
                        struct cairn_bytes (*readable)(struct cairn_bytes name));

/*
 * Append the encoded answer to *out and set *header. Returns false if an earlier allocation or
 * limit check has failed.
 */
bool answer_write(const struct answer_text *answer, struct answer_header *header,
                  struct byte_buffer *out);

/* Reset the answer for the next question, but keep the memory of its arrays. */
void answer_clear(struct answer_text *answer);
void answer_free(struct answer_text *answer);

/*
 * Decode an answer about the modules with these indices into the query. Takes ownership of
 * `memory`, which was allocated with malloc(), in all cases. Returns false and leaves the query
 * unchanged if the answer is invalid.
 */
bool answer_read(const struct answer_header *header, void *memory, const size_t *module,
                 size_t count, struct query *query);

#endif
