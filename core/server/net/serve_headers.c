/* SPDX-License-Identifier: MIT */
/* Reads what a request's headers and its connection say. */
#include "serve_request.h"

#include <string.h>
#include <strings.h>

const char *serve_find_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

bool serve_read_body_size(struct MHD_Connection *connection, uint64_t *size)
{
	const char *text = serve_find_header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	uint64_t sum = 0;

	if (!text || !*text || serve_find_header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING))
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

static unsigned count_headers(struct MHD_Connection *connection, const char *name)
{
	struct header_count counted = { name, 0 };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &counted);
	return counted.count;
}

unsigned serve_count_lengths(struct MHD_Connection *connection)
{
	return count_headers(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
}

const struct upload_refusal *serve_check_headers(struct MHD_Connection *connection)
{
	static const char *const names[] = { "FileID", "FilePart", "FileParts", "UploadID",
		                             MHD_HTTP_HEADER_AUTHORIZATION };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (count_headers(connection, names[i]) > 1)
			return &upload_repeated;
	return NULL;
}

void serve_name_by_sender(struct MHD_Connection *connection, struct upload *upload)
{
	uint8_t address[CONNECTION_ADDRESS];
	const size_t size = visitors_read_address(connection, address);

	if (size > 0)
		upload_set_sender(upload, (struct cairn_bytes){ address, size });
}
