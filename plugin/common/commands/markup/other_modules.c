/* SPDX-License-Identifier: MIT */
/* Looks up symbols of modules that a log names, with the user's files as the first source. */
#include "other_modules.h"

#include <stdlib.h>

enum { RANK_GIVEN = 50 }; /* before the sources of the symbolizer */

/* A file that the user gave, opened for its module. */
struct given_file {
	struct cairn_symbol_file *file;
	struct cairn_symbol_source source;
	void *opened;
	uint64_t offset; /* added to the addresses of the file */
};

static void close_given(void *opened)
{
	struct given_file *given = opened;

	if (given->opened)
		given->source.close(given->opened);
	cairn_symbol_file_close(given->file);
	free(given);
}

static enum cairn_status open_given(void *context, struct cairn_symbol_search *search,
                                    void **opened, struct cairn_fault *fault)
{
	const struct source *known = sources_given(context, search->module->build_id);
	struct given_file *given = known ? calloc(1, sizeof(*given)) : NULL;

	if (!given)
		return known ? CAIRN_NO_MEMORY : CAIRN_NOT_FOUND;
	given->offset = known->offset;
	enum cairn_status status = cairn_symbol_file_open(known->path, NULL, &given->file, NULL);
	if (status == CAIRN_OK) {
		cairn_symbols_as_source(cairn_symbol_file_symbols(given->file), RANK_GIVEN,
		                        &given->source);
		status = given->source.open(given->source.context, search, &given->opened, fault);
	}
	if (status == CAIRN_OK)
		*opened = given;
	else
		close_given(given);
	return status;
}

/* Receiver for a lookup of one address, which restores its index. */
struct given_taker {
	const struct cairn_symbol_taker *taker;
	size_t index;
};

static void take_given(void *context, size_t index, const struct cairn_symbol_found *found)
{
	const struct given_taker *given = context;

	(void)index;
	given->taker->take(given->taker->context, given->index, found);
}

static void find_given(void *opened, const uint64_t *vas, size_t count,
                       const struct cairn_symbol_taker *taker)
{
	struct given_file *given = opened;

	for (size_t i = 0; i < count; i++) {
		struct given_taker one = { taker, i };
		const struct cairn_symbol_taker by_one = { take_given, &one };
		const uint64_t va = vas[i] - given->offset;
		given->source.find(given->opened, &va, 1, &by_one);
	}
}

static struct cairn_symbolizer *make_symbolizer(const struct session *session)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	const struct cairn_symbol_source given = {
		.size = sizeof(given),
		.rank = RANK_GIVEN,
		.name = "given",
		.context = (void *)&session->sources,
		.open = open_given,
		.find = find_given,
		.close = close_given,
	};

	options.folders = session->sources.directories;
	struct cairn_symbolizer *made = cairn_symbolizer_new(&options);
	if (made && cairn_symbolizer_add(made, &given) == CAIRN_OK)
		return made;
	cairn_symbolizer_free(made);
	return NULL;
}

static bool begin_question(struct other_modules *modules, const struct session *session,
                           const struct cairn_markup_query *question,
                           struct cairn_symbol_module *module)
{
	const struct cairn_symbol_module asked = CAIRN_SYMBOL_MODULE;

	*module = asked;
	module->build_id = question->module->build_id;
	if (module->build_id.size == 0)
		return false;
	if (!modules->symbolizer)
		modules->symbolizer = make_symbolizer(session);
	return modules->symbolizer != NULL;
}

size_t other_modules_code(struct other_modules *modules, const struct session *session,
                          const struct cairn_markup_query *question,
                          struct cairn_location *locations, size_t room)
{
	struct cairn_symbol_module module;
	struct cairn_symbol_answer answer;

	if (!begin_question(modules, session, question, &module) ||
	    cairn_symbolizer_find(modules->symbolizer, &module, &question->va, 1, &answer) !=
	            CAIRN_OK)
		return 0;
	size_t count = answer.count < room ? answer.count : room;
	for (size_t i = 0; i < count; i++)
		locations[i] = answer.locations[i];
	if (count == 0)
		count = cairn_symbolizer_label(modules->symbolizer, &module, question->va,
		                               locations);
	return count;
}

bool other_modules_data(struct other_modules *modules, const struct session *session,
                        const struct cairn_markup_query *question, struct cairn_location *location)
{
	struct cairn_symbol_module module;

	return begin_question(modules, session, question, &module) &&
	       cairn_symbolizer_label(modules->symbolizer, &module, question->va, location);
}

void other_modules_finish(struct other_modules *modules)
{
	cairn_symbolizer_free(modules->symbolizer);
	modules->symbolizer = NULL;
}
