/* SPDX-License-Identifier: MIT */
/* What all kinds of requests do alike: frames are counted, and what is wrong has a place. */
#include "parts.h"

#include "base/array_grow.h"

enum cairn_status request_refuse(struct cairn_fault *fault, enum cairn_status status,
                                 const struct json_reader_value *value, struct cairn_bytes text,
                                 const char *what)
{
	const size_t at = value->text.data ? (size_t)(value->text.data - text.data) : 0,
		     quote = value->text.data && value->kind == JSON_READER_STRING;

	*fault = (struct cairn_fault){ status, at - quote, what };
	return status;
}

struct request_frame *request_add_frame(struct request *request, struct cairn_fault *fault)
{
	if (request->frame_count >= REQUEST_FRAMES_MAX) {
		*fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0, "more than 131,072 frames" };
		return NULL;
	}
	if (!array_grow(&request->frames, &request->frame_room, request->frame_count + 1,
	                sizeof(*request->frames))) {
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, 0, "out of memory" };
		return NULL;
	}
	struct request_frame *frame = &request->frames[request->frame_count++];
	*frame = (struct request_frame){ .address = 0 };
	return frame;
}
