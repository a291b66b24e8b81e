/* SPDX-License-Identifier: MIT */
/* What the files of the store's site (serve*.c) share: the site, and one request while it lasts. */
#ifndef CAIRN_SERVER_NET_STORE_SERVE_REQUEST_H
#define CAIRN_SERVER_NET_STORE_SERVE_REQUEST_H

#include "serve_site.h"

#include "server/net/listen/headers.h"

enum { SERVE_UUID_SIZE = 37 };

struct request {
	struct serve_site *site;
	struct client_connection *visitor;
	const char *method, *path; /* of the library, for as long as the request lasts */
	bool is_upload, accepted, answered;
	struct upload upload;
	const struct upload_refusal *refusal; /* NULL: none yet */
	struct os_durable file;
	uint64_t received;
	char detail[STORE_DETAIL_MAX];
};

/* Answers an upload: good, or request->refusal. */
enum MHD_Result serve_answer_upload(struct MHD_Connection *connection, struct request *request);

/* Answers a request for a file of the store, or for nothing that there is. */
enum MHD_Result serve_answer_file(struct MHD_Connection *connection, struct request *request);

/* Tells of a connection that was lost. */
void serve_report_lost(struct request *request);

#endif
