/* SPDX-License-Identifier: MIT */
/* Chooses by the members of an object what a request is. */
#include "parts.h"

#include "base/bytes_split.h"
#include "base/fault.h"

#include <stdlib.h>

enum cairn_status request_open(struct request *request, struct cairn_bytes text,
                               struct cairn_fault *fault)
{
	enum { TID, CRASHED, REPORT, HASH, MEMBERS };
	static const char *const names[MEMBERS] = { "tid", "crashed", "crash_report", "hash" };
	struct json_reader_value value[MEMBERS];
	struct sha256 hash = sha256_open();
	struct record_thread thread;

	*request = (struct request){ .kind = REQUEST_THREAD };
	sha256_put(&hash, bytes_trim(text, "", "\r\n"));
	sha256_finish(&hash, request->hash);
	if (text.size > REQUEST_BYTES_MAX) {
		return fault_set_at(fault, CAIRN_UNSUPPORTED, REQUEST_BYTES_MAX,
		                    "a request of more than 64 MiB");
	}
	const enum cairn_status status = record_open(text, names, MEMBERS, value, &thread, fault);
	if (status != CAIRN_OK)
		return status;
	request->top = thread.object;
	if (thread.reported.text.data || value[REPORT].text.data) {
		request->kind = REQUEST_REPORT;
		return request_read_threads(request, &thread, text, fault);
	}
	if (value[TID].text.data || value[CRASHED].text.data)
		return request_read_thread(request, &thread, text, fault);
	if (thread.frames.text.data) {
		request->kind = REQUEST_OFFSETS;
		return request_read_offsets(request, &thread.frames, text, fault);
	}
	if (value[HASH].text.data) {
		request->kind = REQUEST_REFERENCE;
		return request_read_reference(request, text, fault);
	}
	return request_refuse(fault, CAIRN_MALFORMED, &request->top, text,
	                      "no stack, report, list of frames or reference");
}

enum cairn_status request_read_body(struct request *request, struct cairn_bytes text,
                                    struct cairn_fault *fault)
{
	struct record_thread report;
	const enum cairn_status status = record_open(text, NULL, 0, NULL, &report, fault);

	request->kind = REQUEST_REPORT;
	return status == CAIRN_OK ? request_read_threads(request, &report, text, fault) : status;
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
