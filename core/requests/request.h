/* SPDX-License-Identifier: MIT */
/*
 * A request for symbolization, read and answered. It is one JSON object:
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
 * The answer depends only on the request and the symbols. Frames that already have a name keep it.
 * Only modules with a build ID are looked up.
 */
#ifndef CAIRN_REQUESTS_REQUEST_H
#define CAIRN_REQUESTS_REQUEST_H

#include "base/hash.h"
#include "base/json_reader.h"
#include "base/table.h"
#include "formats/elf/elf.h"

enum {
	/* Bytes of a request; a report has at most 16 MiB of threads. */
	REQUEST_BYTES_MAX = 1 << 26,
	REQUEST_FRAMES_MAX = 1 << 17,
	/* A 16 MiB report cannot hold more threads with one frame each. */
	REQUEST_THREADS_MAX = 1 << 14,
	/* Calls of an answer, both frames and the calls inlined into them. */
	REQUEST_CALLS_MAX = 1 << 20,
	REQUEST_TEXT_MAX = 1 << 26, /* bytes of distinct names and paths in an answer */
	REQUEST_PATH_MAX = 4096,
	REQUEST_ID_MAX = 64, /* bytes of a build ID; a SHA-512 hash fits */
	REQUEST_BODY_MAX = 1 << 30,
};

enum request_kind {
	REQUEST_THREAD,
	REQUEST_REPORT,
	REQUEST_OFFSETS,
	REQUEST_REFERENCE,
};

enum request_origin {
	REQUEST_VA,            /* an address as linked (p_vaddr) */
	REQUEST_MODULE_OFFSET, /* relative to the first byte of the module in memory */
	REQUEST_FILE_OFFSET,   /* relative to the first byte of the module's file */
};

struct request_module {
	uint8_t build_id[REQUEST_ID_MAX];
	uint8_t id_size;
	bool named;    /* at least one of its addresses has a name */
	bool wanting;  /* an address was looked up and no source has symbols of the module */
	uint32_t name; /* path or name of its first occurrence; index in request.texts */
};

/* A frame of a stack with the calls inlined into it, or an address of REQUEST_OFFSETS. */
struct request_frame {
	uint64_t address;
	enum request_origin origin;
	/* Module number, counted from 1; 0 if the frame is not looked up. */
	uint32_t module;
	bool is_named;
	/* Range of request.objects, innermost first; empty for REQUEST_OFFSETS. */
	size_t object, object_count;
	size_t call, call_count; /* range of request.calls, innermost first */
};

struct request_call {
	uint32_t function, file; /* linkage name and path; indices in request.texts */
	uint32_t line, column;   /* 0 if unknown */
	uint64_t offset;
	bool inlined;
};

struct request_thread {
	struct json_reader_value value;
	size_t frame, frame_count; /* range of request.frames */
};

struct request_body {
	uint8_t hash[SHA256_SIZE];
	uint64_t size;
	enum { REQUEST_CORE, REQUEST_MINIDUMP, REQUEST_LOG } kind;
	bool is_url;
	char place[REQUEST_PATH_MAX];
};

struct request {
	enum request_kind kind;
	uint8_t hash[SHA256_SIZE]; /* SHA-256 of the request without trailing line ends */
	struct json_reader_value top;
	struct request_thread *threads;
	struct request_frame *frames;
	struct json_reader_value *objects;
	struct request_call *calls;
	struct request_module *modules;
	struct string_pool texts;
	struct string_pool ids;                /* build IDs, in the order of `modules` */
	const struct request_module **missing; /* modules without symbols, sorted by build ID */
	size_t thread_count, thread_room, frame_count, frame_room, object_count, object_room,
		call_count, call_room, module_count, module_room, missing_count;
	struct request_body body; /* only for REQUEST_REFERENCE */
};

/*
 * Read a request, which borrows `text` until request_close(). request->hash is set even if the
 * request is rejected; it ignores line ends after the text. Return MALFORMED, TRUNCATED or
 * UNSUPPORTED (a limit) with *fault, or NO_MEMORY.
 */
enum cairn_status request_open(struct request *request, struct cairn_bytes text,
                               struct cairn_fault *fault);

/*
 * Read the stacks of the file that a reference names into the REQUEST_REFERENCE request. `text` is
 * a report in JSON made from that file. The kind becomes REQUEST_REPORT; `top` remains the JSON of
 * the reference.
 */
enum cairn_status request_read_body(struct request *request, struct cairn_bytes text,
                                    struct cairn_fault *fault);

/*
 * Ask a symbolizer for all missing names. Paths of modules are only opened below `sysroot`; if it
 * is NULL, they are not opened at all. Return UNSUPPORTED with *fault if the answer exceeds a
 * limit, or NO_MEMORY.
 */
enum cairn_status request_ask(struct request *request, struct cairn_symbolizer *symbolizer,
                              const char *sysroot, struct cairn_fault *fault);

/* A frame to look up; `frame` is its index in request.frames. */
struct request_asked {
	uint32_t module, frame;
	uint64_t address;
	enum request_origin origin;
};

/*
 * List the frames to look up, for a host that symbolizes by other means. Sorted by module, origin
 * and address. Caller frees the result; NULL if allocation fails.
 */
struct request_asked *request_list_asked(const struct request *request, size_t *count);

enum request_result {
	REQUEST_DONE,
	REQUEST_NO_SYMBOLS, /* no frame has a name, and no symbols are missing */
	/* Symbols of at least one build ID are missing; a later request may succeed. */
	REQUEST_NOT_YET,
	REQUEST_REJECTED,
	REQUEST_TRY_AGAIN,
};

/* Return REQUEST_DONE, REQUEST_NO_SYMBOLS or REQUEST_NOT_YET for a request that was answered. */
enum request_result request_judge(const struct request *request);

/* Return a constant: "done", "no_symbols", "not_yet", "rejected" or "try_again". */
const char *request_result_word(enum request_result result);

struct cairn_bytes request_module_id(const struct request_module *module);
void request_close(struct request *request);

/*
 * Converts addresses of one module, whatever they are relative to, into addresses that a symbolizer
 * looks up:
 *
 *	struct request_lookup lookup = { .symbolizer = symbolizer, .module = module };
 *	if (!request_lookup_begin(&lookup, REQUEST_FILE_OFFSET))
 *		... the program is missing, and no address is found
 *	if (request_lookup_va(&lookup, address, &va))
 *		... cairn_symbolizer_find(symbolizer, &lookup.module, &va, 1, &answer)
 */

struct request_lookup {
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_module module;
	enum request_origin origin;
	struct elf_places places; /* segments of the program; only for REQUEST_FILE_OFFSET */
};

/*
 * Prepare the conversion of addresses of kind `origin`. Return false if the program file is needed
 * and cannot be found: only its program headers map file offsets to addresses.
 */
bool request_lookup_begin(struct request_lookup *lookup, enum request_origin origin);

/* Convert `address` to *va. Return false if no segment of the program contains that file offset. */
bool request_lookup_va(const struct request_lookup *lookup, uint64_t address, uint64_t *va);

#endif
