/* SPDX-License-Identifier: MIT */
/* Classifies HTTP status codes of failed downloads (RFC 9110, section 15). */
#ifndef CAIRN_BASE_HTTP_STATUS_H
#define CAIRN_BASE_HTTP_STATUS_H

enum http_meaning {
	HTTP_ABSENT,
	HTTP_REFUSED, /* permanent failure: the server will not provide the file */
	/*
	 * temporary failure, worth a retry: time-out, conflict, too early, too many requests, or
	 * server error
	 */
	HTTP_LATER,
	HTTP_ELSEWHERE,
};

static inline enum http_meaning http_read_status(unsigned status)
{
	if (status == 404 || status == 410)
		return HTTP_ABSENT;
	if (status == 408 || status == 409 || status == 425 || status == 429)
		return HTTP_LATER;
	if (status >= 300 && status < 400)
		return HTTP_ELSEWHERE;
	return status >= 400 && status < 500 ? HTTP_REFUSED : HTTP_LATER;
}

#endif
