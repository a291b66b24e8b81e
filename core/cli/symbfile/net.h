/* SPDX-License-Identifier: MIT */
/* Shared by the verbs that talk to symbol servers: the API key, retries, and responses. */
#ifndef CAIRN_CLI_SYMBFILE_NET_H
#define CAIRN_CLI_SYMBFILE_NET_H

#include "cli/symbfile/symbfile.h"
#include "server/net/http.h"
#include "server/net/serve.h"
#include "server/net/transfer.h"

/* environment variable with the API key, used if no option gives the key */
#define NET_KEY_VARIABLE "CAIRN_API_KEY"

#define OPTION_API_KEY(where) \
	OPTION_TEXT("api-key", "KEY", "the key itself, visible to others", where)

struct net_key_options {
	const char *file, *text;
};

#define OPTION_API_KEY_FILE(where) OPTION_TEXT("api-key-file", "FILE", "the key, or id:key", where)

/*
 * Read the API key, which is "" if none is given. If `variable` is set, the key may also come from
 * the environment. A key on the command line is overwritten there, and a warning is printed. If a
 * key is invalid or cannot be read, print a diagnostic and return false.
 */
bool net_key(const struct net_key_options *options, bool variable, char key[UPLOAD_KEY_MAX]);

void net_warn_of_plain_http(const struct http *http, const char *url);

/* Print a line about a retry on standard error. This is a callback of struct http_options. */
void net_print_retry(void *context, const struct http_retry *retry);

/*
 * Print a server's response on standard error, such as "400, code 1004: FileID is missing or
 * malformed (uuid f1ada52e-...)".
 */
void net_print_answer(const struct upload_answer *answer);

/* Return the FileID in base64url. The string is valid until the next call. */
const char *net_id_text(const struct fileid *id);

/* A server's symbol store: its options, its keys, and its log of requests. */

struct store_settings {
	const char *directory;
	struct net_key_options key, read_key;
	uint64_t max_part, quota;
	bool quiet;
	char key_text[UPLOAD_KEY_MAX], read_key_text[UPLOAD_KEY_MAX];
};

#define OPTIONS_STORE(settings)                                                               \
	OPTION_API_KEY_FILE(&(settings)->key.file),                                           \
		OPTION_TEXT("read-key-file", "FILE",                                          \
	                    "require this key, or the other one, for fetches",                \
	                    &(settings)->read_key.file),                                      \
		OPTION_NUMBER("quota", "N", "refuse uploads beyond N bytes in the directory", \
	                      &(settings)->quota),                                            \
		OPTION_NUMBER("max-part", "N", "accept uploads of at most N bytes (64 MiB)",  \
	                      &(settings)->max_part)

/*
 * Read the keys and copy the settings to `options`. Both structs must remain valid until the server
 * ends. On failure, print a diagnostic and return false.
 */
bool store_settings_take(struct store_settings *settings, struct serve_options *options);

/* Warn about settings that are probably mistakes. `stored` is the size of the store in bytes. */
void store_warn_of_settings(const struct serve_options *options,
                            const struct listen_socket *listener, uint64_t stored);

#endif
