/* SPDX-License-Identifier: MIT */
/*
 * Classifies the answers of servers from libdebuginfod's log. The library reports a build as absent
 * whatever a server answers other than a file, be it 404, 503 or a closed connection. For each
 * queried server the log has, among other lines,
 *
 *	server response TEXT        of libcurl
 *	url N TEXT                  libcurl's description: "The requested URL returned error: 404"
 *
 * It contains the servers' HTTP headers too, each prefixed with "header ".
 */
#ifndef CAIRN_OS_DEBUGINFOD_SERVER_LOG_H
#define CAIRN_OS_DEBUGINFOD_SERVER_LOG_H

#include <cairn.h>

enum server_log {
	SERVER_LOG_EMPTY,
	SERVER_LOG_ABSENT,  /* every server answered that it does not have the file */
	SERVER_LOG_REFUSED, /* like ABSENT, but a server refused access: 403 and similar */
	SERVER_LOG_FAILED,  /* a server did not answer or had a temporary failure */
};

enum server_log server_log_read(struct cairn_bytes log);

#endif
