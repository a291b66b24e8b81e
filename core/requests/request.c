/* SPDX-License-Identifier: MIT */
/* Chooses by the members of an object what a request is. */
#include "parts.h"

#include "base/bytes_split.h"
#include "base/fault.h"

#include <stdlib.h>

enum { TID, CRASHED, THREADS, REPORT, FRAMES, HASH, MEMBERS };

static const char *const member_names[MEMBERS] = { "tid",          "crashed", "threads",
	                                           "crash_report", "frames",  "hash" };

static enum cairn_status read_kind(struct request *request, struct cairn_bytes text,
                                   struct cairn_fault *fault)
{
	struct json_reader_value value[MEMBERS];

	json_reader_members(&request->top, member_names, MEMBERS, value);
	if (value[THREADS].text.data || value[REPORT].text.data) {
		request->kind = REQUEST_REPORT;
		return request_read_threads(request, &request->top, text, fault);
	}
	if (value[TID].text.data || value[CRASHED].text.data) {
		request->kind = REQUEST_THREAD;
		return request_read_thread(request, &request->top, text, fault);
	}
	if (value[FRAMES].text.data) {
		request->kind = REQUEST_OFFSETS;
		return request_read_offsets(request, &value[FRAMES], text, fault);
	}
	if (value[HASH].text.data) {
		request->kind = REQUEST_REFERENCE;
		return request_read_reference(request, text, fault);
	}
	return request_refuse(fault, CAIRN_MALFORMED, &request->top, text,
	                      "no stack, report, list of frames or reference");
}

enum cairn_status request_open(struct request *request, struct cairn_bytes text,
                               struct cairn_fault *fault)
{
	struct sha256 hash = sha256_open();

	*request = (struct request){ .kind = REQUEST_THREAD };
	sha256_put(&hash, bytes_trim(text, "", "\r\n"));
	sha256_finish(&hash, request->hash);
	if (text.size > REQUEST_BYTES_MAX) {
		return fault_set_at(fault, CAIRN_UNSUPPORTED, REQUEST_BYTES_MAX,
		                    "a request of more than 64 MiB");
	}
	const enum cairn_status status = json_reader_open(text, &request->top, fault);
	return status == CAIRN_OK ? read_kind(request, text, fault) : status;
}

enum cairn_status request_read_body(struct request *request, struct cairn_bytes text,
                                    struct cairn_fault *fault)
{
	struct json_reader_value top;
	const enum cairn_status status = json_reader_open(text, &top, fault);

	request->kind = REQUEST_REPORT;
	return status == CAIRN_OK ? request_read_threads(request, &top, text, fault) : status;
}

void request_close(struct request *request)
{
	free(request->threads);
	free(request->frames);
	free(request->objects);
	free(request->calls);
	free(request->modules);
	string_pool_finish(&request->texts);
	free(request->missing);
	string_pool_finish(&request->ids);
	*request = (struct request){ .kind = REQUEST_THREAD };
}
