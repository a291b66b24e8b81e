/* SPDX-License-Identifier: MIT */
/* Reads what the headers of an upload and its connection say. */
#include "serve_request.h"

const struct upload_refusal *serve_check_headers(struct MHD_Connection *connection)
{
	static const char *const names[] = { "FileID", "FilePart", "FileParts", "UploadID",
		                             MHD_HTTP_HEADER_AUTHORIZATION };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (headers_count(connection, names[i]) > 1)
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
