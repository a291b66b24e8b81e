/* SPDX-License-Identifier: MIT */
/* What the verbs that talk to symbol servers share: the API key, retries, answers as text. */
#ifndef CAIRN_CLI_SYMBFILE_NET_NET_H
#define CAIRN_CLI_SYMBFILE_NET_NET_H

#include "cli/symbfile/symbfile.h"

#include "server/net/client/http.h"
#include "server/net/client/push.h"

/* Where the key is read when no option gives it. */
#define NET_KEY_VARIABLE "CAIRN_API_KEY"

#define OPTION_API_KEY(where) \
	OPTION_TEXT("api-key", "KEY", "the key itself; others can see it", where)

struct net_key_options {
	const char *file, *text; /* --api-key-file, --api-key; NULL when not given */
};

#define OPTION_API_KEY_FILE(where) OPTION_TEXT("api-key-file", "FILE", "the key, or id:key", where)

/*
 * The key, or "" when there is none.  A key on the command line is warned of and wiped there. False
 * with a message when a source cannot be used.  `variable`: look at the environment, too.
 */
bool net_key(const struct net_key_options *options, bool variable, char key[UPLOAD_KEY_MAX]);

/* A word about a key that is sent over a network that others may listen to. */
void net_warn_of_plain_http(const struct http *http, const char *url);

/* A callback of struct http_options: prints one line on standard error. */
void net_print_retry(void *context, const struct http_retry *retry);

/* On standard error: "400, code 1004: FileID is missing or malformed (uuid f1ada52e-...)" */
void net_print_answer(const struct upload_answer *answer);

/* FileID in base64url for messages; lent until the next call. */
const char *net_id_text(const struct fileid *id);

#endif
