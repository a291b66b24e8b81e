/* SPDX-License-Identifier: MIT */
/* A server's symbol store: its options, its keys, and the log of requests. */
#ifndef CAIRN_CLI_SYMBFILE_NET_STORE_SETTINGS_H
#define CAIRN_CLI_SYMBFILE_NET_STORE_SETTINGS_H

#include "net.h"

#include "server/net/store/serve.h"

struct store_settings {
	const char *folder;
	struct net_key_options key, read_key;
	uint64_t max_part, quota;
	bool quiet;
	char key_text[UPLOAD_KEY_MAX], read_key_text[UPLOAD_KEY_MAX];
};

#define OPTIONS_STORE(settings)                                                              \
	OPTION_API_KEY_FILE(&(settings)->key.file),                                          \
		OPTION_TEXT("read-key-file", "FILE",                                         \
	                    "require this key, or the other one, of who fetches",            \
	                    &(settings)->read_key.file),                                     \
		OPTION_NUMBER("quota", "N",                                                  \
	                      "refuse uploads that make the folder larger than N bytes",     \
	                      &(settings)->quota),                                           \
		OPTION_NUMBER("max-part", "N", "accept uploads of at most N bytes (64 MiB)", \
	                      &(settings)->max_part)

/*
 * Read the keys and copy the settings to `options`. On failure print a diagnostic and return false.
 * Both structs must stay valid until the server ends.
 */
bool store_settings_take(struct store_settings *settings, struct serve_options *options);

/* Warn about settings that may be mistakes. `stored` is the number of bytes in the store. */
void store_warn_of_settings(const struct serve_options *options,
                            const struct listen_socket *listener, uint64_t stored);

#endif
