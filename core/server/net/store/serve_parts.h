/* SPDX-License-Identifier: MIT */
/* A server of a store, as its own file and its fuzz target have it. */
#ifndef CAIRN_SERVER_NET_STORE_SERVE_PARTS_H
#define CAIRN_SERVER_NET_STORE_SERVE_PARTS_H

#include "serve_site.h"

struct serve {
	struct MHD_Daemon *daemon;
	struct serve_site site;
	struct listen_socket listener;
	struct connections visitors;
};

#endif
