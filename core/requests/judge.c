/* SPDX-License-Identifier: MIT */
/* Tells what has come of a request, and which symbols are missing. */
#include "parts.h"

#include "base/bytes_compare.h"

#include <stdlib.h>

const char *request_result_word(enum request_result result)
{
	switch (result) {
	case REQUEST_DONE:
		return "done";
	case REQUEST_NO_SYMBOLS:
		return "no_symbols";
	case REQUEST_NOT_YET:
		return "not_yet";
	case REQUEST_REJECTED:
		return "rejected";
	case REQUEST_TRY_AGAIN:
		break;
	}
	return "try_again";
}

static int compare_module_ids(const void *a, const void *b)
{
	const struct request_module *const *one = a, *const *other = b;

	return bytes_order(request_module_id(*one), request_module_id(*other));
}

bool request_find_missing(struct request *request)
{
	request->missing = calloc(request->module_count + 1, sizeof(*request->missing));
	if (!request->missing)
		return false;
	for (size_t i = 0; i < request->module_count; i++)
		if (request->modules[i].wanting && !request->modules[i].named)
			request->missing[request->missing_count++] = &request->modules[i];
	qsort(request->missing, request->missing_count, sizeof(*request->missing),
	      compare_module_ids);
	return true;
}

static bool has_any_name(const struct request *request)
{
	for (size_t i = 0; i < request->frame_count; i++)
		if (request->frames[i].is_named || request->frames[i].call_count > 0)
			return true;
	return false;
}

enum request_result request_judge(const struct request *request)
{
	const bool is_empty = request->frame_count == 0 && request->kind == REQUEST_OFFSETS;

	if (request->missing_count > 0)
		return REQUEST_NOT_YET;
	return is_empty || has_any_name(request) ? REQUEST_DONE : REQUEST_NO_SYMBOLS;
}
