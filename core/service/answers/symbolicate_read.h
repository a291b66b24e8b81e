/* SPDX-License-Identifier: MIT */
/*
 * Parses a request of symbolicate/v5: jobs of modules and stacks, whose frames consist of a module
 * and an offset.
 */
#ifndef CAIRN_SERVICE_ANSWERS_SYMBOLICATE_READ_H
#define CAIRN_SERVICE_ANSWERS_SYMBOLICATE_READ_H

#include "parts.h"

#include "base/json_reader.h"

enum { SYMBOLICATE_ID_MAX = 64, SYMBOLICATE_KEY_MAX = QUERY_NAME_MAX + SYMBOLICATE_ID_MAX + 2 };

struct symbolicate_module {
	struct cairn_bytes name, id;
	uint8_t debug_id[QUERY_DEBUG_ID];
	bool has_id; /* the ID is valid and not all zeros */
	bool is_used;
};

struct symbolicate_frame {
	uint32_t module; /* index in the request's modules */
	bool is_known;   /* false: the client does not know the module or the offset */
	uint64_t offset; /* 0 if unknown */
};

struct symbolicate_stack {
	size_t frame, frame_count;
};

struct symbolicate_job {
	size_t module, module_count, stack, stack_count;
};

struct symbolicate {
	struct symbolicate_job jobs[SERVICE_JOBS_MAX];
	size_t job_count;
	struct symbolicate_module *modules;
	struct symbolicate_stack *stacks;
	struct symbolicate_frame *frames;
	size_t module_count, module_room, stack_count, stack_room, frame_count, frame_room;
};

/*
 * Parse a request. `text` is borrowed until symbolicate_free(), which must be called after an error
 * too. Returns MALFORMED, TRUNCATED or UNSUPPORTED (a limit was exceeded) with *fault, or
 * NO_MEMORY.
 */
enum cairn_status symbolicate_read(struct symbolicate *request, struct cairn_bytes text,
                                   struct cairn_fault *fault);
void symbolicate_free(struct symbolicate *request);

/*
 * Write "NAME/ID", the name of a module in the answer. Returns false if an earlier module of the
 * job has the same name.
 */
bool symbolicate_key(const struct symbolicate *request, const struct symbolicate_job *job,
                     size_t module, char key[SYMBOLICATE_KEY_MAX]);

#endif
