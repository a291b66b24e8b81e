/* SPDX-License-Identifier: MIT */
/* What serve.c and serve_answer.c share: the server, and one request while it lasts. */
#ifndef CAIRN_NET_SERVE_REQUEST_H
#define CAIRN_NET_SERVE_REQUEST_H

#include "listen.h"

#include "connections.h"
#include "serve.h"
#include "store.h"

#include <microhttpd.h>

struct serve {
	struct MHD_Daemon *daemon;
	struct serve_options options;
	struct store store;
	struct listen_socket listener;
	struct connections visitors;
	pthread_mutex_t telling;
	char address[SERVE_ADDRESS_MAX];
};

enum { SERVE_UUID_SIZE = 37 };

struct request {
	struct serve *server;
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
