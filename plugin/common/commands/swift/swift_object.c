/* SPDX-License-Identifier: MIT */
/* Reads a backtrace from the memory of a Swift program. */
#include "swift_object.h"

bool swift_object_is_meant(const struct command_call *call)
{
	return command_call_option(call, "array") || command_call_option(call, "backtrace");
}

/*
 * Find an array by its address among the results of the last find-cbf, or with -backtrace a value
 * of the type Backtrace.
 */
static enum cairn_status find_object(struct command_call *call, uint64_t address,
                                     struct cairn_found_trace *found)
{
	size_t at = 0;

	if (command_call_option(call, "backtrace"))
		return cairn_found_trace_at(call->session->space, address, found);
	while (cairn_trace_search_next(call->session->space, &at, found))
		if (found->array == address)
			return CAIRN_OK;
	return CAIRN_NOT_FOUND;
}

enum cairn_status swift_object_read(struct command_call *call, uint64_t address,
                                    struct cairn_bytes *bytes, bool *has_images)
{
	struct cairn_space *space = call->session->space;
	struct cairn_found_trace found;
	size_t images;
	const enum cairn_status status = find_object(call, address, &found);

	if (status != CAIRN_OK)
		return status;
	*has_images = cairn_found_trace_images(space, &found, &images) == CAIRN_OK;
	return cairn_found_trace_bytes(space, &found, bytes);
}

void swift_object_report(struct command_call *call, enum cairn_status status)
{
	if (status == CAIRN_NOT_FOUND)
		reply_error(call, "no Swift backtrace there: %s",
		            command_call_option(call, "array") ? "not an array that find-cbf listed"
		                                               : "not a Backtrace value");
	else
		reply_error(call, "%s", cairn_status_text(status));
}
