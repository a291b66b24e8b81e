/* SPDX-License-Identifier: MIT */
/*
 * What servers said, by the log of libdebuginfod: the library itself calls a build absent whatever a server answers that is not a file, be it 404, 503
 * or the end of the connection. For each server that was asked the log has, among other lines,
 *
 *	server response TEXT        of libcurl
 *	url N TEXT                  what libcurl says of it: "The requested URL returned error: 404"
 *
 * Headers of servers are in it, too, each line with "header " before it.
 */
#ifndef CAIRN_OS_DEBUGINFOD_SERVER_LOG_H
#define CAIRN_OS_DEBUGINFOD_SERVER_LOG_H

#include <cairn.h>

enum server_log {
	SERVER_LOG_EMPTY,  /* no server is in it */
	SERVER_LOG_ABSENT, /* each of them said that it has no such file */
	SERVER_LOG_REFUSED, /* the same, or one would not say it to us: 403 and others of that kind */
	SERVER_LOG_FAILED, /* one of them said nothing, or that it cannot now */
};

enum server_log server_log_read(struct cairn_bytes log);

#endif
