/* SPDX-License-Identifier: MIT */
/*
 * Returns the library version, names and phrases for status codes, stop reasons and unwind methods,
 * and the path of a location. For a recorded frame, returns its lookup address and the number of
 * frames that it stands for.
 */
#include "text_table.h"

#include <cairn.h>

#include <string.h>

const char *cairn_version(void)
{
	return CAIRN_VERSION;
}

const char *cairn_status_text(enum cairn_status status)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_OK] = "no error",
		[CAIRN_NOT_FOUND] = "nothing covers the address",
		[CAIRN_TRUNCATED] = "the data ends inside a record",
		[CAIRN_MALFORMED] = "the data contradicts its format",
		[CAIRN_UNSUPPORTED] = "a version or feature that is not supported",
		[CAIRN_UNREADABLE] = "memory of the target cannot be read",
		[CAIRN_NO_MEMORY] = "out of memory",
		[CAIRN_MISMATCH] = "belongs to another build",
		[CAIRN_CANCELLED] = "cancelled by the host",
		[CAIRN_LIMIT] = "a limit has been reached",
	};

	return TEXT_AT(texts, status, "unknown outcome");
}

const char *cairn_status_name(enum cairn_status status)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_OK] = "ok",
		[CAIRN_NOT_FOUND] = "not-found",
		[CAIRN_TRUNCATED] = "truncated",
		[CAIRN_MALFORMED] = "malformed",
		[CAIRN_UNSUPPORTED] = "unsupported",
		[CAIRN_UNREADABLE] = "unreadable",
		[CAIRN_NO_MEMORY] = "no-memory",
		[CAIRN_MISMATCH] = "mismatch",
		[CAIRN_CANCELLED] = "cancelled",
		[CAIRN_LIMIT] = "limit",
	};

	return TEXT_AT(texts, status, "unknown");
}

const char *cairn_stop_text(enum cairn_stop stop)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_STOP_NONE] = "there is a caller",
		[CAIRN_STOP_OUTERMOST] = "outermost frame",
		[CAIRN_STOP_NO_MODULE] = "the pc is in no module",
		[CAIRN_STOP_NO_TABLE] = "the module has no usable .sframe",
		[CAIRN_STOP_NO_ROW] = "no row covers the pc",
		[CAIRN_STOP_BAD_TABLE] = "the table is damaged here",
		[CAIRN_STOP_MACHINE] = "the module is for another machine",
		[CAIRN_STOP_CFA_UNKNOWN] = "the CFA cannot be computed",
		[CAIRN_STOP_CFA_IMPLAUSIBLE] = "the CFA does not move up the stack",
		[CAIRN_STOP_LINK_UNKNOWN] = "the return address was in a register that is lost",
		[CAIRN_STOP_RA_UNREADABLE] = "the return address cannot be read",
		[CAIRN_STOP_RA_IMPLAUSIBLE] = "the return address is not a code address",
	};

	return TEXT_AT(texts, stop, "unknown reason");
}

const char *cairn_stop_name(enum cairn_stop stop)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_STOP_NONE] = "none",
		[CAIRN_STOP_OUTERMOST] = "outermost",
		[CAIRN_STOP_NO_MODULE] = "no-module",
		[CAIRN_STOP_NO_TABLE] = "no-table",
		[CAIRN_STOP_NO_ROW] = "no-row",
		[CAIRN_STOP_BAD_TABLE] = "bad-table",
		[CAIRN_STOP_MACHINE] = "machine",
		[CAIRN_STOP_CFA_UNKNOWN] = "cfa-unknown",
		[CAIRN_STOP_CFA_IMPLAUSIBLE] = "cfa-implausible",
		[CAIRN_STOP_LINK_UNKNOWN] = "lr-unknown",
		[CAIRN_STOP_RA_UNREADABLE] = "ra-unreadable",
		[CAIRN_STOP_RA_IMPLAUSIBLE] = "bad-pc",
	};

	return TEXT_AT(texts, stop, "unknown");
}

const char *cairn_unwind_method_name(enum cairn_unwind_method method)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_UNWIND_METHOD_NONE] = "none",
		[CAIRN_UNWIND_METHOD_SFRAME] = "sframe",
		[CAIRN_UNWIND_METHOD_CFI] = "cfi",
		[CAIRN_UNWIND_METHOD_FRAME_POINTER] = "frame-pointer",
		[CAIRN_UNWIND_METHOD_SIGNAL] = "signal",
		[CAIRN_UNWIND_METHOD_CALL] = "call",
		[CAIRN_UNWIND_METHOD_STACK_CFI] = "stack-cfi",
		[CAIRN_UNWIND_METHOD_GO] = "go",
		[CAIRN_UNWIND_METHOD_SCAN] = "scan",
		[CAIRN_UNWIND_METHOD_LINK] = "link",
	};

	return TEXT_AT(texts, method, "unknown");
}

/* A path under construction. `length` is the full length, even if the path is truncated. */
struct path {
	char *text;
	size_t capacity, length;
};

static void append_path_text(struct path *path, const void *text, size_t size)
{
	if (size > 0 && path->capacity > 0 && path->length < path->capacity - 1) {
		size_t left = path->capacity - 1 - path->length;
		memcpy(path->text + path->length, text, size < left ? size : left);
	}
	path->length += size;
}

static char choose_separator(struct cairn_bytes directory)
{
	if (directory.size == 0)
		return '\0';
	bool slash = memchr(directory.data, '/', directory.size) != NULL;
	bool backslash = memchr(directory.data, '\\', directory.size) != NULL;
	char own = backslash && !slash ? '\\' : '/';

	return directory.data[directory.size - 1] != (uint8_t)own ? own : '\0';
}

size_t cairn_location_path(const struct cairn_location *location, char *path, size_t size)
{
	/* for code without source, Swift records this file name and the directory "/" */
	static const char generated[] = "<compiler-generated>";
	struct path p = { path, size, 0 };
	struct cairn_bytes directory = location->directory;

	if (location->file.size == sizeof(generated) - 1 &&
	    memcmp(location->file.data, generated, sizeof(generated) - 1) == 0)
		directory.size = 0;
	char between = choose_separator(directory);

	append_path_text(&p, directory.data, directory.size);
	if (between)
		append_path_text(&p, &between, 1);
	append_path_text(&p, location->file.data, location->file.size);
	if (size > 0)
		path[p.length < size ? p.length : size - 1] = '\0';
	return p.length;
}

uint64_t cairn_frame_lookup_address(const struct cairn_frame *frame)
{
	return frame->kind == CAIRN_FRAME_RETURN ? frame->value - 1 : frame->value;
}

uint64_t cairn_frame_count(const struct cairn_frame *frame)
{
	uint64_t each = frame->kind == CAIRN_FRAME_OMITTED ? frame->value : 1;

	if (each > 0 && frame->times > UINT64_MAX / each)
		return UINT64_MAX;
	return each * frame->times;
}
