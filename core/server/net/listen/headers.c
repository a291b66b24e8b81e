/* SPDX-License-Identifier: MIT */
/* Finds and counts request headers. */
#include "headers.h"

#include <string.h>
#include <strings.h>

const char *headers_find(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

bool headers_read_body_size(struct MHD_Connection *connection, uint64_t *size)
{
	const char *text = headers_find(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	uint64_t sum = 0;

	if (!text || !*text || headers_find(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING))
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		unsigned digit = (unsigned)(*text - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*size = sum;
	return *text == '\0';
}

struct header_count {
	const char *name;
	unsigned count;
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
	struct header_count *counted = context;

	(void)kind, (void)value;
	counted->count += strcasecmp(name, counted->name) == 0;
	return MHD_YES;
}

unsigned headers_count(struct MHD_Connection *connection, const char *name)
{
	struct header_count counted = { name, 0 };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &counted);
	return counted.count;
}

bool headers_have_host(struct MHD_Connection *connection, bool is_http_1_0)
{
	const unsigned count = headers_count(connection, MHD_HTTP_HEADER_HOST);

	return count == 1 || (count == 0 && is_http_1_0);
}

unsigned headers_count_lengths(struct MHD_Connection *connection)
{
	return headers_count(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
}

/* Checks header lines, which are adjacent in one buffer. */
struct header_lines {
	uintptr_t value_end;
	const char *fault;
};

/*
 * Require that a line starts directly after the previous value and its CR LF. Libraries before 1.0
 * end a value at a NUL and hide the rest of the line: "Host: localhost\0.evil.example".
 */
static void check_line_begin(struct header_lines *lines, uintptr_t at)
{
	if (MHD_VERSION < 0x01000000 && lines->value_end && at - lines->value_end > 2)
		lines->fault = "a header with a NUL, or in several lines";
}

/* Reject spaces in a name; the library keeps a space before the colon as part of the name. */
static enum MHD_Result check_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
	struct header_lines *lines = context;

	(void)kind;
	if (strpbrk(name, " \t"))
		lines->fault = "a space in the name of a header";
	check_line_begin(lines, (uintptr_t)name);
	lines->value_end = value ? (uintptr_t)value + strlen(value) : 0;
	return lines->fault ? MHD_NO : MHD_YES;
}

const char *headers_find_framing_fault(struct MHD_Connection *connection, const char *method)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	const char *coding = headers_find(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	struct header_lines lines = { 0, NULL };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, check_header, &lines);
	if (!lines.fault && info) /* headers end with an empty line */
		check_line_begin(&lines, (uintptr_t)method + info->header_size - 2);
	if (lines.fault)
		return lines.fault;
	if (headers_count(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) > 1)
		return "two headers Transfer-Encoding";
	if (headers_count_lengths(connection) > 0 && coding)
		return "both Content-Length and Transfer-Encoding";
	return !coding || strcasecmp(coding, "chunked") == 0 ? NULL
	                                                     : "Transfer-Encoding is not chunked";
}
