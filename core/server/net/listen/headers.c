/* SPDX-License-Identifier: MIT */
/* Finds and counts headers of a request. */
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

/* The library keeps a space before a colon as a part of the name. */
static enum MHD_Result find_odd_name(void *context, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
	bool *is_odd = context;

	(void)kind, (void)value;
	*is_odd |= strpbrk(name, " \t") != NULL;
	return MHD_YES;
}

const char *headers_find_framing_fault(struct MHD_Connection *connection)
{
	const char *coding = headers_find(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	bool is_odd = false;

	MHD_get_connection_values(connection, MHD_HEADER_KIND, find_odd_name, &is_odd);
	if (is_odd)
		return "a space in the name of a header";
	if (headers_count(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) > 1)
		return "two headers Transfer-Encoding";
	if (headers_count_lengths(connection) > 0 && coding)
		return "both Content-Length and Transfer-Encoding";
	return !coding || strcasecmp(coding, "chunked") == 0 ? NULL
	                                                     : "Transfer-Encoding is not chunked";
}
