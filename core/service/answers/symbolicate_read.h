/* SPDX-License-Identifier: MIT */
/* A request of symbolicate/v5, read: jobs with modules and stacks, whose frames are a module and an offset in it. */
#ifndef CAIRN_SERVICE_ANSWERS_SYMBOLICATE_READ_H
#define CAIRN_SERVICE_ANSWERS_SYMBOLICATE_READ_H

#include "parts.h"

#include "base/json/json_reader.h"

enum { SYMBOLICATE_ID_MAX = 64, SYMBOLICATE_KEY_MAX = QUERY_NAME_MAX + SYMBOLICATE_ID_MAX + 2 };

struct symbolicate_module {
	struct cairn_bytes name, id; /* texts of the request */
	uint8_t debug_id[QUERY_DEBUG_ID];
	bool has_id; /* the ID is one, and not all zeros */
	bool is_used;
};

struct symbolicate_frame {
	uint32_t module; /* of the request's modules */
	bool is_known;   /* false: the client does not know the module or the offset */
	uint64_t offset; /* 0 if it is not known */
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
 * Reads a request, which is borrowed until symbolicate_free(), whatever comes of it. MALFORMED, TRUNCATED or UNSUPPORTED (a limit) with
 * *fault; NO_MEMORY.
 */
enum cairn_status symbolicate_read(struct symbolicate *request, struct cairn_bytes text,
                                   struct cairn_fault *fault);
void symbolicate_free(struct symbolicate *request);

/* "NAME/ID", by which an answer calls a module; false: a module of the job before it is called so. */
bool symbolicate_key(const struct symbolicate *request, const struct symbolicate_job *job,
                     size_t module, char key[SYMBOLICATE_KEY_MAX]);

#endif
