/* SPDX-License-Identifier: MIT */
/*
 * A request for names, read and answered. It is one JSON object:
 *
 *	a thread        as `cairn bt --json` prints it: it has "tid" or "crashed"
 *	a report        of `cairn crash`, or any object with "threads"
 *	offsets         {"frames":[{"build_id":"..","address":"0x..","kind":"va|file_offset|module_offset"}]}
 *	a reference     {"hash":"..","size":1,"path"|"url":"..","kind":"core|minidump|log"}, whose file the host reads
 *
 *	struct request request;
 *	if (request_open(&request, bytes, &fault) == CAIRN_OK &&
 *	    request_ask(&request, symbolizer, NULL, &fault) == CAIRN_OK)
 *		... request_judge(&request), request.threads, request.frames
 *	request_close(&request);
 *
 * The answer is a function of the request and of the symbols alone. Names that a frame of a stack brings stay. Only modules with a
 * build ID are asked about.
 */
#ifndef CAIRN_REQUESTS_REQUEST_H
#define CAIRN_REQUESTS_REQUEST_H

#include "base/json/json_reader.h"
#include "base/sha256.h"
#include "base/table/string_pool.h"

enum {
	REQUEST_BYTES_MAX = 1 << 26,   /* of a request; a report has 16 MiB of threads at most */
	REQUEST_FRAMES_MAX = 1 << 17,  /* of all of its stacks */
	REQUEST_THREADS_MAX = 1 << 14, /* a report of 16 MiB has no more with a frame each */
	REQUEST_CALLS_MAX = 1 << 20,   /* of an answer: frames with the calls inlined in them */
	REQUEST_TEXT_MAX = 1 << 26,    /* bytes of different names and paths of an answer */
	REQUEST_PATH_MAX = 4096,       /* bytes of a path */
	REQUEST_ID_MAX = 64,           /* bytes of a build ID; SHA-512 has them */
	REQUEST_BODY_MAX = 1 << 30,    /* bytes of the file of a reference */
};

enum request_kind {
	REQUEST_THREAD,
	REQUEST_REPORT,
	REQUEST_OFFSETS,
	REQUEST_REFERENCE,
};

/* From where an address counts. */
enum request_origin {
	REQUEST_VA,            /* it is that of the linker */
	REQUEST_MODULE_OFFSET, /* from the first byte of the module in memory */
	REQUEST_FILE_OFFSET,   /* from the first byte of the module's file */
};

struct request_module {
	uint8_t build_id[REQUEST_ID_MAX];
	uint8_t id_size;
	bool named;    /* an address of it has a name */
	bool wanting;  /* no source has symbols of it, and an address was asked for */
	uint32_t name; /* the path or name where it came first, a text of the request's pool */
};

/* A frame of a stack with the calls inlined in it, or an address of REQUEST_OFFSETS. */
struct request_frame {
	uint64_t address; /* to be looked up */
	enum request_origin origin;
	uint32_t module;             /* its number from 1; 0: it is not asked about */
	bool is_named;               /* the request has a name for it */
	size_t object, object_count; /* of request->objects, innermost first; none of offsets */
	size_t call, call_count;     /* of request->calls, innermost first */
};

struct request_call {
	uint32_t function, file; /* texts of the pool: the linker's name, and a path */
	uint32_t line, column;   /* 0: not known */
	uint64_t offset;         /* from the start of the function */
	bool inlined;
};

struct request_thread {
	struct json_reader_value value;
	size_t frame, frame_count; /* of request->frames */
};

/* Parts of a reference, which are NUL-terminated texts. */
struct request_body {
	uint8_t hash[SHA256_SIZE];
	uint64_t size;
	enum { REQUEST_CORE, REQUEST_MINIDUMP, REQUEST_LOG } kind;
	bool is_url;
	char place[REQUEST_PATH_MAX];
};

struct request {
	enum request_kind kind;
	uint8_t hash[SHA256_SIZE]; /* of its bytes, without line ends after them */
	struct json_reader_value top;
	struct request_thread *threads;
	struct request_frame *frames;
	struct json_reader_value *objects;
	struct request_call *calls;
	struct request_module *modules;
	struct string_pool texts;
	struct string_pool ids; /* of the modules, in their order */
	const struct request_module *
		*missing; /* whose symbols are missing, in the order of their IDs */
	size_t thread_count, thread_room, frame_count, frame_room, object_count, object_room,
		call_count, call_room, module_count, module_room, missing_count;
	struct request_body body; /* of REQUEST_REFERENCE */
};

/*
 * Reads a request, which is borrowed until request_close(); the texts of its hash are those of `text` without line ends after them.
 * MALFORMED, TRUNCATED or UNSUPPORTED (a limit) with *fault: it is rejected, and *request has its hash. NO_MEMORY.
 */
enum cairn_status request_open(struct request *request, struct cairn_bytes text,
                               struct cairn_fault *fault);

/*
 * Reads the stacks of a reference's file, a report of which `text` is the JSON, into a request that is one; its kind becomes
 * REQUEST_REPORT, and `top` stays the reference.
 */
enum cairn_status request_read_body(struct request *request, struct cairn_bytes text,
                                    struct cairn_fault *fault);

/*
 * Asks a symbolizer for all names that are missing. Paths of modules lead to files below `sysroot` alone; NULL: to none. UNSUPPORTED
 * with *fault: the answer is above a limit. NO_MEMORY.
 */
enum cairn_status request_ask(struct request *request, struct cairn_symbolizer *symbolizer,
                              const char *sysroot, struct cairn_fault *fault);

/* A frame that is to be named: its place in request->frames, and what is asked of it. */
struct request_asked {
	uint32_t module, frame;
	uint64_t address;
	enum request_origin origin;
};

/*
 * For a host that asks somebody else. Lists the frames that are to be named, module by module, those whose addresses count from
 * one place together, in the order of addresses; to be freed. NULL: memory is short.
 */
struct request_asked *request_list_asked(const struct request *request, size_t *count);

enum request_result {
	REQUEST_DONE,
	REQUEST_NO_SYMBOLS, /* nothing has a name, and no symbols could give one */
	REQUEST_NOT_YET,    /* symbols of a build ID are missing that somebody may have later */
	REQUEST_REJECTED,
	REQUEST_TRY_AGAIN,
};

/* One of the first three. */
enum request_result request_judge(const struct request *request);

/* "done", "no_symbols", "not_yet", "rejected", "try_again"; a constant. */
const char *request_result_word(enum request_result result);

struct cairn_bytes request_module_id(const struct request_module *module);
void request_close(struct request *request);

#endif
