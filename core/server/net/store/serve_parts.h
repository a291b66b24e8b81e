/* SPDX-License-Identifier: MIT */
/* A store's server, shared by its implementation and its fuzz target. */
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
