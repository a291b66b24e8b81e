/* SPDX-License-Identifier: MIT */
/* Internals of the store's site (serve*.c): one request in progress. */
#ifndef CAIRN_SERVER_NET_STORE_SERVE_REQUEST_H
#define CAIRN_SERVER_NET_STORE_SERVE_REQUEST_H

#include "serve_site.h"

#include "server/net/listen/headers.h"

enum { SERVE_UUID_SIZE = 37 };

struct request {
	struct serve_site *site;
	struct client_connection *visitor;
	const char *method, *path; /* borrowed from the library for the duration of the request */
	bool is_upload, accepted, answered;
	struct upload upload;
	const struct upload_refusal *refusal; /* NULL: not refused so far */
	struct os_durable file;
	uint64_t received;
	char detail[STORE_DETAIL_MAX];
};

/* Answer an upload with success or request->refusal. */
enum MHD_Result serve_answer_upload(struct MHD_Connection *connection, struct request *request);

/* Answer a request for a file of the store, or for an unknown path. */
enum MHD_Result serve_answer_file(struct MHD_Connection *connection, struct request *request);

void serve_report_lost(struct request *request);

#endif
