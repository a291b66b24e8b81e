/* SPDX-License-Identifier: MIT */
/*
 * Parses CAIRN_JIT, a list of words separated by commas. Unknown words are ignored, because a
 * library cannot report them.
 */
#include "environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *word;
	unsigned consumer;
} words[] = {
	{ "debugger", CAIRN_JIT_DEBUGGER },
	{ "backtrace", CAIRN_JIT_BACKTRACE },
	{ "perf-map", CAIRN_JIT_PERF_MAP },
	{ "jitdump", CAIRN_JIT_JITDUMP },
};

static bool is_word(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && memcmp(text, word, size) == 0;
}

static void take_word(struct cairn_jit_environment *environment, const char *text, size_t size)
{
	if (is_word(text, size, "off"))
		environment->off = true;
	if (is_word(text, size, "events"))
		environment->events = true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_word(text, size, words[i].word)) {
			environment->chosen = true;
			environment->consumers |= words[i].consumer;
		}
}

CAIRN_JIT_INTERNAL struct cairn_jit_environment cairn_jit_read_environment(void)
{
	struct cairn_jit_environment environment = { .off = false };

	if (getuid() != geteuid() || getgid() != getegid())
		return environment;
	for (const char *at = getenv("CAIRN_JIT"); at && *at; at += *at == ',') {
		const size_t size = strcspn(at, ",");

		take_word(&environment, at, size);
		at += size;
	}
	environment.directory = getenv("CAIRN_JIT_DIRECTORY");
	return environment;
}
