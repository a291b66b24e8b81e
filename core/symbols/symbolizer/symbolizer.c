/* SPDX-License-Identifier: MIT */
/* Asks the sources of a symbolizer, the better ones first, and keeps the best answer to each address. */
#include "symbolizer.h"

#include "base/array_grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 2 }; /* locations for each address */

/* Takes as many fields as the host knows of; the others keep their defaults. */
static void copy_options(struct cairn_symbolizer *symbolizer,
                         const struct cairn_symbolizer_options *options)
{
	struct cairn_symbolizer_options *own = &symbolizer->options;

	*own = (struct cairn_symbolizer_options)CAIRN_SYMBOLIZER_OPTIONS;
	memcpy(own, options, options->size < sizeof(*own) ? options->size : sizeof(*own));
	if (own->modules_max == 0)
		own->modules_max = SYMBOLIZER_MODULES;
	if (own->memory_max == 0)
		own->memory_max = SYMBOLIZER_MEMORY;
}

static bool add_own_sources(struct cairn_symbolizer *symbolizer)
{
	struct cairn_symbol_source files = symbolizer_symbol_files;

	if (symbolizer->options.symbols_late)
		files.rank = SYMBOLIZER_LATE;
	return cairn_symbolizer_add(symbolizer, &files) == CAIRN_OK &&
	       cairn_symbolizer_add(symbolizer, &symbolizer_go_table) == CAIRN_OK &&
	       cairn_symbolizer_add(symbolizer, &symbolizer_tables) == CAIRN_OK &&
	       cairn_symbolizer_add(symbolizer, &symbolizer_stubs) == CAIRN_OK;
}

struct cairn_symbolizer *cairn_symbolizer_new(const struct cairn_symbolizer_options *options)
{
	struct cairn_symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	copy_options(symbolizer, options);
	if (symbolizer->options.bare || add_own_sources(symbolizer))
		return symbolizer;
	cairn_symbolizer_free(symbolizer);
	return NULL;
}

void cairn_symbolizer_free(struct cairn_symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	symbolizer_modules_close(symbolizer);
	free(symbolizer->modules);
	free(symbolizer->locations);
	free(symbolizer->pending);
	free(symbolizer->chains);
	free(symbolizer->vas);
	free(symbolizer);
}

enum cairn_status cairn_symbolizer_add(struct cairn_symbolizer *symbolizer,
                                       const struct cairn_symbol_source *source)
{
	size_t at = symbolizer->source_count;

	if (at == SYMBOLIZER_SOURCES)
		return CAIRN_NO_MEMORY;
	symbolizer_modules_close(symbolizer);
	for (; at > 0 && symbolizer->source[at - 1].rank > source->rank; at--)
		symbolizer->source[at] = symbolizer->source[at - 1];
	symbolizer->source[at] = (struct cairn_symbol_source){ .size = 0 };
	memcpy(&symbolizer->source[at], source,
	       source->size < sizeof(*source) ? source->size : sizeof(*source));
	symbolizer->source_count++;
	return CAIRN_OK;
}

/* One call of cairn_symbolizer_find(). */
struct question {
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_answer *answers;
	size_t pending; /* of symbolizer->pending */
	const struct cairn_symbol_source *source;
	void *opened; /* by that source */
	bool flawed;
};

static bool make_room(struct cairn_symbolizer *symbolizer, size_t count)
{
	size_t room[] = { symbolizer->answer_room, symbolizer->answer_room,
		          symbolizer->answer_room };

	if (!array_grow(&symbolizer->pending, &room[0], count, sizeof(*symbolizer->pending)) ||
	    !array_grow(&symbolizer->chains, &room[1], count, sizeof(*symbolizer->chains)) ||
	    !array_grow(&symbolizer->vas, &room[2], count, sizeof(*symbolizer->vas)))
		return false;
	symbolizer->answer_room = room[0];
	return true;
}

static bool is_complete(const struct question *question, size_t index)
{
	const struct symbolizer_chain *chain = &question->symbolizer->chains[index];

	return chain->any && (question->symbolizer->options.ranking == CAIRN_RANK_FIRST ||
	                      question->symbolizer->locations[chain->first].line > 0);
}

/* Is the new answer better than the one that is known? */
static bool is_better(const struct question *question, size_t index,
                      const struct cairn_symbol_found *found)
{
	const struct symbolizer_chain *chain = &question->symbolizer->chains[index];

	return !chain->any || found->locations[0].line > 0 ||
	       found->locations[0].offset < question->symbolizer->locations[chain->first].offset;
}

static void take_answer(void *context, size_t number, const struct cairn_symbol_found *found)
{
	struct question *question = context;
	struct cairn_symbolizer *symbolizer = question->symbolizer;
	const size_t index = symbolizer->pending[number].index, first = symbolizer->location_count;
	struct cairn_symbol_answer *answer = &question->answers[index];

	if (found->fault && answer->fault.status == CAIRN_OK)
		answer->fault = *found->fault;
	if (found->count == 0 || is_complete(question, index) || !is_better(question, index, found))
		return;
	if (!array_grow_from(&symbolizer->locations, &symbolizer->location_room, first + found->all,
	                     sizeof(*symbolizer->locations),
	                     FIRST_ROOM * symbolizer->answer_room)) {
		symbolizer->memory_short = true;
		return;
	}
	memcpy(symbolizer->locations + first, found->locations,
	       found->all * sizeof(*found->locations));
	symbolizer->location_count += found->all;
	symbolizer->chains[index] = (struct symbolizer_chain){ first, true };
	answer->count = found->count;
	answer->all = found->all;
	answer->source = question->source->name;
	answer->path = question->source->path ? question->source->path(question->opened) : NULL;
}

/* Goes on with the addresses whose answers are not complete. */
static void keep_pending(struct question *question)
{
	struct symbolizer_pending *pending = question->symbolizer->pending;
	size_t kept = 0;

	for (size_t i = 0; i < question->pending; i++)
		if (!is_complete(question, pending[i].index))
			pending[kept++] = pending[i];
	question->pending = kept;
}

static void note_losses(struct question *question)
{
	const struct cairn_symbol_source *source = question->source;
	const char *flaw = source->flaw ? source->flaw(question->opened) : NULL;

	const bool damaged = source->damaged && source->damaged(question->opened);

	for (size_t i = 0; (flaw || damaged) && i < question->pending; i++) {
		struct cairn_symbol_answer *answer =
			&question->answers[question->symbolizer->pending[i].index];
		answer->flaw = flaw ? flaw : answer->flaw;
		answer->missing |= damaged ? CAIRN_MISSING_PART : 0u;
	}
}

static void ask_source(struct question *question)
{
	struct cairn_symbolizer *symbolizer = question->symbolizer;
	const struct cairn_symbol_taker taker = { take_answer, question };

	for (size_t i = 0; i < question->pending; i++)
		symbolizer->vas[i] = symbolizer->pending[i].va;
	question->source->find(question->opened, symbolizer->vas, question->pending, &taker);
	note_losses(question);
	keep_pending(question);
}

/* Has it all that the sources after it have? */
static bool is_whole(const struct question *question)
{
	const struct cairn_symbol_source *source = question->source;

	return source->whole || (source->complete && source->complete(question->opened));
}

static void ask_sources(struct question *question, struct symbolizer_module *module)
{
	struct cairn_symbolizer *symbolizer = question->symbolizer;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	for (size_t i = 0; i < symbolizer->source_count && question->pending > 0; i++) {
		question->source = &symbolizer->source[i];
		question->opened = symbolizer_open_source(symbolizer, module, i, &fault);
		if (question->opened)
			ask_source(question);
		if (question->opened && is_whole(question))
			break;
	}
}

/* The addresses count from `lowest`. */
static void begin_answers(struct question *question, const uint64_t *vas, size_t count,
                          uint64_t lowest)
{
	struct cairn_symbolizer *symbolizer = question->symbolizer;

	for (size_t i = 0; i < count; i++) {
		question->answers[i] = (struct cairn_symbol_answer){ .status = CAIRN_NOT_FOUND };
		symbolizer->pending[i] = (struct symbolizer_pending){ i, lowest + vas[i] };
		symbolizer->chains[i] = (struct symbolizer_chain){ 0, false };
	}
	question->pending = count;
	symbolizer->location_count = 0;
	symbolizer->memory_short = false;
}

static bool has_nothing(const struct cairn_symbolizer *symbolizer,
                        const struct symbolizer_module *module)
{
	for (size_t i = 0; i < symbolizer->source_count; i++)
		if (!module->opened[i].looked || module->opened[i].symbols)
			return false;
	return true;
}

/* Locations have stopped moving. */
static void finish_answers(const struct question *question, const struct symbolizer_module *module,
                           size_t count)
{
	const struct cairn_symbolizer *symbolizer = question->symbolizer;
	const unsigned missing =
		module->files.missing | (has_nothing(symbolizer, module) ? CAIRN_MISSING_ALL : 0u);

	for (size_t i = 0; i < count; i++) {
		struct cairn_symbol_answer *answer = &question->answers[i];
		const struct symbolizer_chain *chain = &symbolizer->chains[i];
		answer->missing |= missing;
		if (chain->any)
			answer->locations = symbolizer->locations + chain->first;
		if (!chain->any || answer->locations->line == 0)
			answer->missing |= CAIRN_MISSING_LINE;
		if (answer->fault.status != CAIRN_OK)
			answer->status = answer->fault.status;
		else if (chain->any)
			answer->status = CAIRN_OK;
	}
}

enum cairn_status cairn_symbolizer_find(struct cairn_symbolizer *symbolizer,
                                        const struct cairn_symbol_module *module,
                                        const uint64_t *vas, size_t count,
                                        struct cairn_symbol_answer *answers)
{
	struct question question = { .symbolizer = symbolizer, .answers = answers };
	struct symbolizer_module *open = symbolizer_module_get(symbolizer, module);

	if (!open || !make_room(symbolizer, count))
		return CAIRN_NO_MEMORY;
	symbolizer_modules_bound(symbolizer, open);
	begin_answers(&question, vas, count,
	              module->from_lowest ? module_files_module(&open->files)->lowest : 0);
	ask_sources(&question, open);
	finish_answers(&question, open, count);
	if (symbolizer->options.in_order)
		module_files_release_pages(&open->files);
	return symbolizer->memory_short ? CAIRN_NO_MEMORY : CAIRN_OK;
}
