/* SPDX-License-Identifier: MIT */
/* A symbolizer for tests, whose only source answers by a function of the test and reads no file. */
#ifndef CAIRN_TESTS_MADE_NAMES_H
#define CAIRN_TESTS_MADE_NAMES_H

#include <cairn.h>

typedef void made_names_find(void *opened, const uint64_t *vas, size_t count,
                             const struct cairn_symbol_taker *sink);

static inline enum cairn_status made_names_open(void *context, struct cairn_symbol_search *search,
                                                void **opened, struct cairn_fault *fault)
{
	(void)context;
	(void)fault;
	*opened = search;
	return CAIRN_OK;
}

static inline void made_names_close(void *opened)
{
	(void)opened;
}

/* NULL if memory is short; to be freed by cairn_symbolizer_free(). */
static inline struct cairn_symbolizer *made_names_symbolizer(made_names_find *find)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	const struct cairn_symbol_source source = { .size = sizeof(source),
		                                    .rank = 1,
		                                    .name = "made",
		                                    .open = made_names_open,
		                                    .find = find,
		                                    .close = made_names_close };
	struct cairn_symbolizer *symbolizer;

	options.skip = CAIRN_SKIP_BUILTIN_SOURCES | CAIRN_SKIP_MODULE_PATHS;
	symbolizer = cairn_symbolizer_new(&options);
	if (symbolizer && cairn_symbolizer_add(symbolizer, &source) == CAIRN_OK)
		return symbolizer;
	cairn_symbolizer_free(symbolizer);
	return NULL;
}

#endif
