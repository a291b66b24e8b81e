/* SPDX-License-Identifier: MIT */
/* Finds and counts headers of a request. */
#include "headers.h"

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

unsigned headers_count_lengths(struct MHD_Connection *connection)
{
	return headers_count(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
}

bool headers_delimit_body(struct MHD_Connection *connection)
{
	const char *coding = headers_find(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);

	return !coding || strcasecmp(coding, "chunked") == 0;
}
