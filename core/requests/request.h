/* SPDX-License-Identifier: MIT */
/*
 * Reads and answers a symbolization request, which is a JSON object of one of these kinds:
 *
 *	a thread        printed by `cairn bt --json`: has "tid" or "crashed"
 *	a report        from `cairn crash`, or any object with "threads"
 *	offsets         {"frames":[{"build_id":"..","address":"0x..","kind":"va|file_offset|module_offset"}]}
 *	a reference     {"hash":"..","size":1,"path"|"url":"..","kind":"core|minidump|log"}, whose file the host reads
 *
 *	struct request request;
 *	if (request_open(&request, bytes, &fault) == CAIRN_OK &&
 *	    request_ask(&request, symbolizer, NULL, &fault) == CAIRN_OK)
 *		... request_judge(&request), request.threads, request.frames
 *	request_close(&request);
 *
 * The answer depends only on the request and the available symbols. Frames that already have names
 * keep them. Only modules with a build ID are looked up.
 */
#ifndef CAIRN_REQUESTS_REQUEST_H
#define CAIRN_REQUESTS_REQUEST_H

#include "base/hash.h"
#include "base/json_reader.h"
#include "base/table.h"
#include "formats/elf/elf.h"

enum {
	/* maximum size of a request; a report has at most 16 MiB of threads */
	REQUEST_BYTES_MAX = 1 << 26,
	REQUEST_FRAMES_MAX = 1 << 17,
	/* a 16 MiB report cannot contain more threads, even with only one frame each */
	REQUEST_THREADS_MAX = 1 << 14,
	/* maximum number of calls in an answer, including calls inlined into frames */
	REQUEST_CALLS_MAX = 1 << 20,
	/* maximum total size of the distinct names and paths in an answer, in bytes */
	REQUEST_TEXT_MAX = 1 << 26,
	REQUEST_PATH_MAX = 4096,
	REQUEST_ID_MAX = 64, /* maximum size of a build ID in bytes, enough for a SHA-512 hash */
	REQUEST_BODY_MAX = 1 << 30,
};

enum request_kind {
	REQUEST_THREAD,
	REQUEST_REPORT,
	REQUEST_OFFSETS,
	REQUEST_REFERENCE,
};

enum request_origin {
	REQUEST_VA,            /* link-time address (p_vaddr) */
	REQUEST_MODULE_OFFSET, /* offset from the module's first byte in memory */
	REQUEST_FILE_OFFSET,
};

struct request_module {
	uint8_t build_id[REQUEST_ID_MAX];
	uint8_t id_size;
	bool named; /* at least one address in the module has a name */
	/*
	 * an address in the module has no name, because the module's program or symbols are missing
	 */
	bool wanting;
	/* index in request.texts of the path or name with which the module first occurs */
	uint32_t name;
};

/*
 * A stack frame together with the calls inlined into it, or an address in a REQUEST_OFFSETS
 * request.
 */
struct request_frame {
	uint64_t address;
	enum request_origin origin;
	/* one-based index of the module; 0 if the frame is not looked up */
	uint32_t module;
	bool is_named;
	/*
	 * range of the frame's JSON objects in request.objects, innermost first; empty for
	 * REQUEST_OFFSETS
	 */
	size_t object, object_count;
	/* range of the frame's calls in request.calls, innermost first; set by the lookup */
	size_t call, call_count;
};

struct request_call {
	uint32_t function, file; /* linkage name and path, as indices in request.texts */
	uint32_t line, column;   /* 0 if unknown */
	uint64_t offset;
	bool inlined;
};

struct request_thread {
	struct json_reader_value value;
	size_t frame, frame_count; /* range of the thread's frames in request.frames */
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
	struct string_pool ids;                /* build IDs, in the same order as `modules` */
	const struct request_module **missing; /* modules without symbols, sorted by build ID */
	size_t thread_count, thread_capacity, frame_count, frame_capacity, object_count,
		object_capacity, call_count, call_capacity, module_count, module_capacity,
		missing_count;
	struct request_body body;
};

/*
 * Read a request, which borrows `text` until request_close(). request->hash is set even if the
 * request is rejected. On failure, return MALFORMED, TRUNCATED or UNSUPPORTED (a limit was
 * exceeded) with *fault, or NO_MEMORY.
 */
enum cairn_status request_open(struct request *request, struct cairn_bytes text,
                               struct cairn_fault *fault);

/*
 * Read the stacks of a referenced file into its REQUEST_REFERENCE request. `text` is a JSON report
 * created from that file. The request's kind becomes REQUEST_REPORT, while `top` remains the
 * reference.
 */
enum cairn_status request_read_body(struct request *request, struct cairn_bytes text,
                                    struct cairn_fault *fault);

/*
 * Look up all missing names with a symbolizer. Files at the modules' paths are only opened below
 * `sysroot`, or not at all if it is NULL. Return UNSUPPORTED with *fault if the answer exceeds a
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
 * List the frames to look up, sorted by module, origin and address, for hosts that symbolize by
 * other means. The caller frees the result. Return NULL if allocation fails.
 */
struct request_asked *request_list_asked(const struct request *request, size_t *count);

enum request_result {
	REQUEST_DONE,
	REQUEST_NO_SYMBOLS, /* no frame has a name, and no symbols are missing */
	/* symbols for at least one build ID are missing, so a later request may succeed */
	REQUEST_NOT_YET,
	REQUEST_REJECTED,
	REQUEST_TRY_AGAIN,
};

enum request_result request_judge(const struct request *request);

/* Return the identifier of a result: "done", "no_symbols", "not_yet", "rejected" or "try_again". */
const char *request_result_word(enum request_result result);

struct cairn_bytes request_module_id(const struct request_module *module);
void request_close(struct request *request);

/*
 * Converts addresses of any origin in one module to addresses for a symbolizer:
 *
 *	struct request_lookup lookup = { .symbolizer = symbolizer, .module = module };
 *	if (!request_lookup_begin(&lookup, REQUEST_FILE_OFFSET))
 *		... the program is missing, and no address is found
 *	if (request_lookup_va(&lookup, address, &va))
 *		... cairn_symbolizer_find(symbolizer, &lookup.module, &va, 1, &answer, sizeof(answer))
 */

struct request_lookup {
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_module module;
	enum request_origin origin;
	struct elf_places places; /* segments of the program; used only for REQUEST_FILE_OFFSET */
};

/*
 * Prepare to convert addresses with this origin. Return false for file offsets if the program file
 * cannot be found, because its headers are needed to convert them.
 */
bool request_lookup_begin(struct request_lookup *lookup, enum request_origin origin);

/* Convert `address` to *va. Return false if no segment of the program contains the file offset. */
bool request_lookup_va(const struct request_lookup *lookup, uint64_t address, uint64_t *va);

#endif
