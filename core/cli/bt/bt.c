/* SPDX-License-Identifier: MIT */
/*
 * `cairn bt`: prints the stacks of all threads. Parses the options, walks the stacks, and detects
 * threads with equal stacks.
 */
#include "bt.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/table.h"
#include "cli/front/progress.h"
#include "output/color.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FRAMES = 32 };

static bool add_rule(struct bt_stack *stack, const struct cairn_rule *rule)
{
	if (!array_grow_from(&stack->rules, &stack->rule_capacity, stack->count + 1,
	                     sizeof(*stack->rules), FIRST_FRAMES))
		return false;
	stack->rules[stack->count] = *rule;
	return true;
}

static bool add_frame(struct bt *bt, struct bt_stack *stack)
{
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);

	if (bt->options.explain && !add_rule(stack, cairn_stacks_rule(bt->opened)))
		return false;
	if (!array_grow_from(&stack->frames, &stack->capacity, stack->count + 1,
	                     sizeof(*stack->frames), FIRST_FRAMES))
		return false;
	cairn_stacks_frame(bt->opened, &frame);
	stack->frames[stack->count++] = (struct bt_frame){ .pc = frame.pc,
		                                           .lookup = frame.lookup,
		                                           .cfa = frame.cfa,
		                                           .found = frame.found,
		                                           .by = frame.by,
		                                           .signal = frame.signal,
		                                           .handled = frame.handled,
		                                           .guessed = frame.guessed,
		                                           .async = frame.async };
	return true;
}

/* Release the unused capacity of the frame list, because there may be thousands of stacks. */
static void trim_frames(struct bt_stack *stack)
{
	struct bt_frame *smaller =
		stack->count > 0 ? realloc(stack->frames, stack->count * sizeof(*smaller)) : NULL;

	if (!smaller)
		return;
	stack->frames = smaller;
	stack->capacity = stack->count;
}

/* Return the crashed thread, or the first one if none crashed. */
static size_t find_crashed_thread(const struct bt *bt)
{
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);

	for (size_t i = 0; cairn_stacks_thread(bt->opened, i, &thread); i++)
		if (thread.crashed)
			return i;
	return 0;
}

static bool is_wanted_thread(const struct bt *bt, size_t at, size_t number)
{
	const uint64_t wanted = bt->options.thread;
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);

	return !wanted || number == wanted ||
	       (cairn_stacks_thread(bt->opened, at, &thread) && thread.tid == wanted);
}

void bt_report_no_thread(const struct bt *bt, size_t count)
{
	print_diagnostic(
		bt->path,
		"no thread %llu (number of threads: %zu); select a thread by number or ID (LWP)",
		(unsigned long long)bt->options.thread, count);
}

static bool choose_threads(struct bt *bt)
{
	const size_t count = cairn_stacks_threads(bt->opened), first = find_crashed_thread(bt);

	bt->stacks = calloc(count + 1, sizeof(*bt->stacks));
	if (!bt->stacks)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (bt->options.crashed_only && i > 0)
			break;
		size_t at = i == 0 ? first : i <= first ? i - 1 : i;
		if (!is_wanted_thread(bt, at, i + 1))
			continue;
		bt->stacks[bt->stack_count].number = i + 1;
		bt->stacks[bt->stack_count++].thread = at;
	}
	if (bt->stack_count == 0 && count > 0)
		bt_report_no_thread(bt, count);
	return true;
}

struct equal_stacks {
	struct slot_table slots;
	struct bt_stack *stacks;
	size_t *item; /* indices of the distinct stacks in `stacks` */
	size_t count;
};

static uint64_t hash_frames(const struct bt_stack *stack, uint64_t key)
{
	uint64_t words[2] = { stack->count, stack->end.kind }, hash;

	hash = hash_text((struct cairn_bytes){ (const uint8_t *)words, sizeof(words) }, key);
	for (size_t i = 0; i < stack->count; i++) {
		words[0] = hash;
		words[1] = stack->frames[i].pc;
		hash = hash_text((struct cairn_bytes){ (const uint8_t *)words, sizeof(words) },
		                 key);
	}
	return hash;
}

static uint64_t hash_stack(const void *items, uint32_t number)
{
	const struct equal_stacks *equal = items;

	return hash_frames(&equal->stacks[equal->item[number - 1]], equal->slots.key);
}

static bool is_same_stack(const void *items, uint32_t number, const void *key)
{
	const struct equal_stacks *equal = items;

	const struct bt_stack *a = &equal->stacks[equal->item[number - 1]], *b = key;
	if (a->is_task != b->is_task || a->count != b->count || a->end.kind != b->end.kind)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->frames[i].pc != b->frames[i].pc)
			return false;
	return true;
}

/*
 * Add a stack to the set, or mark it as repeated if the set contains an equal one. Return false if
 * allocation fails.
 */
static bool enter_stack(struct equal_stacks *equal, size_t index)
{
	struct bt_stack *stack = &equal->stacks[index];

	if (!slot_table_reserve(&equal->slots, equal->count, hash_stack, equal))
		return false;
	uint64_t hash = hash_frames(stack, equal->slots.key);
	uint32_t *slot = slot_table_find(&equal->slots, hash, is_same_stack, equal, stack);
	if (*slot == 0) {
		equal->item[equal->count++] = index;
		*slot = (uint32_t)equal->count;
		return true;
	}
	stack->repeated = true;
	stack->same_as = equal->item[*slot - 1];
	equal->stacks[stack->same_as].equal++;
	return true;
}

static bool find_equal_stacks(struct bt *bt)
{
	struct equal_stacks equal = { .stacks = bt->stacks,
		                      .item = calloc(bt->stack_count + 1, sizeof(*equal.item)) };
	bool good = equal.item != NULL;

	for (size_t i = 0; good && i < bt->stack_count; i++)
		good = enter_stack(&equal, i);
	slot_table_finish(&equal.slots);
	free(equal.item);
	return good;
}

static bool walk_stacks(struct bt *bt, size_t first, const char *what)
{
	struct progress progress = progress_begin(bt->path, what, bt->options.quiet);

	for (size_t i = first; i < bt->stack_count; i++) {
		struct bt_stack *stack = &bt->stacks[i];
		progress_update(&progress, i - first, bt->stack_count - first);
		for (bool more = stack->is_task ? cairn_stacks_begin_task(bt->opened, stack->thread)
		                                : cairn_stacks_begin(bt->opened, stack->thread);
		     more; more = cairn_stacks_next(bt->opened))
			if (!add_frame(bt, stack))
				return false;
		trim_frames(stack);
		stack->end.size = sizeof(stack->end);
		cairn_stacks_end(bt->opened, &stack->end);
		stack->task = stack->is_task ? 0 : cairn_stacks_running_task(bt->opened);
	}
	progress_end(&progress);
	return true;
}

static bool walk_tasks(struct bt *bt)
{
	const size_t threads = bt->stack_count;
	size_t count;
	const char *why = cairn_stacks_find_tasks(bt->opened, &count);

	if (why)
		print_diagnostic(bt->path, "no tasks are shown: %s", why);
	if (count == 0)
		return true;
	struct bt_stack *stacks = realloc(bt->stacks, (threads + count) * sizeof(*stacks));
	if (!stacks)
		return false;
	bt->stacks = stacks;
	memset(stacks + threads, 0, count * sizeof(*stacks));
	for (size_t i = 0; i < count; i++) {
		stacks[threads + i].is_task = true;
		stacks[threads + i].thread = i;
	}
	bt->stack_count += count;
	return walk_stacks(bt, threads, "tasks");
}

bool bt_walk(struct bt *bt)
{
	const bool good = choose_threads(bt) && walk_stacks(bt, 0, "threads") &&
	                  (!bt->options.tasks || walk_tasks(bt)) &&
	                  (!bt->options.dedup || find_equal_stacks(bt));

	bt_print_new_problems(bt);
	return good;
}

bool bt_ends_as_asked(const struct bt *bt, const struct bt_stack *stack)
{
	return stack->end.kind == CAIRN_STACK_LIMIT && bt->options.count > 0 &&
	       stack->count == bt->options.count;
}

bool bt_handles_signal(const struct bt_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->frames[i].signal)
			return true;
	return false;
}

struct cairn_bytes bt_find_abort_message(struct bt *bt, char text[CAIRN_ABORT_MESSAGE])
{
	bool wanted = bt->process.kind != CAIRN_STACKS_PROCESS;

	for (size_t i = 0; !wanted && i < bt->stack_count; i++)
		wanted = bt_handles_signal(&bt->stacks[i]);
	return (struct cairn_bytes){ (const uint8_t *)text,
		                     wanted ? cairn_stacks_abort_message(bt->opened, text) : 0 };
}

const struct cairn_location *bt_find_names(struct bt *bt, uint64_t address, size_t *count)
{
	*count = cairn_stacks_names(bt->opened, address, bt->names, CAIRN_STACK_NAMES);
	return bt->names;
}

/* Prepare the names of one stack at a time to limit memory use. */
void bt_prepare_names(struct bt *bt)
{
	for (size_t i = 0; i < bt->stack_count; i++) {
		const struct bt_stack *stack = &bt->stacks[i];
		uint64_t *pcs = stack->repeated ? NULL : calloc(stack->count + 1, sizeof(*pcs));
		for (size_t k = 0; pcs && k < stack->count; k++)
			pcs[k] = stack->frames[k].lookup;
		if (pcs)
			cairn_stacks_prepare_names(bt->opened, pcs, stack->count);
		free(pcs);
	}
}

static const char about[] =
	"Print the stacks of all threads from a core file, a minidump or a running process,\n"
	"the crashed thread first. '-' reads a core from standard input. PROGRAM is the\n"
	"executable, if it is not at the path in the core. A JSON report of 'cairn crash',\n"
	"--json or Swift is printed as text. Exit status 0: every stack ends at its outermost\n"
	"frame and no frame is a guess; 1: some do not, or PROGRAM is from another build; 3:\n"
	"there are no stacks.";
static int judge_stacks(const struct bt *bt)
{
	if (bt->stack_count == 0)
		return bt->options.thread ? EXIT_MISSING : EXIT_BROKEN;
	for (size_t i = 0; i < bt->stack_count; i++)
		if (!bt->stacks[i].is_task &&
		    (bt->stacks[i].end.guesses ||
		     (!bt->stacks[i].end.complete && !bt_ends_as_asked(bt, &bt->stacks[i]))))
			return EXIT_MISSING;
	return cairn_stacks_problems(bt->opened, NULL) > 0 ? EXIT_MISSING : EXIT_CLEAN;
}

static int print_core(struct bt *bt)
{
	int status = bt_input_open(bt);

	if (status != EXIT_CLEAN)
		return status;
	if (bt->is_report) {
		status = bt_print_report(bt);
		bt_close(bt);
		return status;
	}
	bt_print_problems(bt);
	if (bt->options.list_modules) {
		bt_print_modules(bt);
		status = cairn_stacks_modules(bt->opened) > 0 ? EXIT_CLEAN : EXIT_BROKEN;
	} else if (bt_walk(bt)) {
		if (bt->options.build_ids && !bt_print_build_ids(bt))
			print_diagnostic(bt->path, "no module in the stacks has a build ID");
		if (!bt->options.build_ids) {
			if (!bt->options.markup)
				bt_prepare_names(bt);
			if (bt->options.folded)
				bt_print_folded(bt);
			else if (bt->options.markup)
				bt_print_markup(bt);
			else if (bt->options.form == FORM_JSON)
				bt_print_json(bt);
			else
				bt_print_text(bt);
		}
		if (bt->stack_count == 0 && !bt->options.thread &&
		    cairn_stacks_problems(bt->opened, NULL) == 0)
			print_diagnostic(bt->path, "contains no thread registers");
		bt_print_new_problems(bt);
		status = judge_stacks(bt);
	} else {
		status = fail_with(bt->path, "out of memory");
	}
	if (bt->printed.over) {
		print_diagnostic(bt->path, "frame and module names exceed the size limit; the "
		                           "remaining names are omitted");
		status = choose_worse(status, EXIT_MISSING);
	}
	status = choose_worse(status, bt_check_program(bt));
	bt_close(bt);
	return status;
}

bool bt_take_operands(struct bt *bt, const struct command *command, int argc, char **argv,
                      int *status)
{
	int cores = bt->options.pid ? 0 : 1;

	if (argc < cores || argc > cores + 1) {
		*status = usage_error(command, argc < cores ? "no CORE" : "more than one PROGRAM");
		return false;
	}
	bt->path = cores ? argv[0] : "--pid";
	bt->options.program = argc > cores ? argv[cores] : NULL;
	return true;
}

static bool check_options(struct bt *bt, const struct command *command, int *status)
{
	struct bt_options *options = &bt->options;
	const char *color = options->color, *form = NULL;
	const struct {
		const char *name;
		bool is_given;
	} forms[] = { { "--json", options->form == FORM_JSON && !options->list_modules },
		      { "--markup", options->markup },
		      { "--folded", options->folded },
		      { "--build-ids", options->build_ids },
		      { "--list-modules", options->list_modules } };

	for (size_t i = 0; i < COUNT(forms); i++) {
		if (!forms[i].is_given)
			continue;
		if (form) {
			*status = usage_error(command, "%s and %s are mutually exclusive", form,
			                      forms[i].name);
			return false;
		}
		form = forms[i].name;
	}
	if (options->all)
		options->crashed_only = false;
	bt->takes_report = true;
	bt->color = color_is_wanted(color, stdout);
	if (!color || strcmp(color, "auto") == 0 || strcmp(color, "always") == 0 ||
	    strcmp(color, "never") == 0)
		return true;
	*status = usage_error(command, "--color must be auto, always or never");
	return false;
}

#define OPTIONS_THREADS(options)                                                                  \
	OPTION_NUMBER_OF('n', "count", "N", "print at most N frames of each stack; 0: all",       \
	                 &(options).count),                                                       \
		OPTION_FLAG_OF('1', "crashed", "print only the crashed thread",                   \
	                       &(options).crashed_only),                                          \
		OPTION_FLAG("all", "print all threads, the opposite of --crashed",                \
	                    &(options).all),                                                      \
		OPTION_NUMBER("thread", "N|TID", "print only this thread, by number or ID (LWP)", \
	                      &(options).thread)

int verb_bt(int argc, char **argv)
{
	struct bt bt = { .options = { .form = FORM_TEXT },
		         .debuginfod = { .deadline = DEBUGINFOD_DEADLINE } };
	const struct option options[] = {
		OPTION_JSON(&bt.options.form),
		OPTIONS_THREADS(bt.options),
		OPTION_WITH(RIGHT_TRACE, number, 'p', "pid", "PID",
		            "print the stacks of a running process, which continues at once",
		            &bt.options.pid),
		OPTION_FLAG("tasks", "also print the stacks of all Swift tasks, suspended or not",
		            &bt.options.tasks),
		OPTION_FLAG("list-modules", "print modules and build IDs instead of stacks",
		            &bt.options.list_modules),
		OPTION_FLAG("build-ids",
		            "print the build IDs of the modules in the stacks, one per line",
		            &bt.options.build_ids),
		OPTION_FLAG("dedup", "print each distinct stack once, with its number of threads",
		            &bt.options.dedup),
		OPTION_FLAG("folded", "print one line per stack, for flame graphs",
		            &bt.options.folded),
		OPTION_FLAG("markup",
		            "print addresses as symbolizer markup, for 'cairn markup' elsewhere",
		            &bt.options.markup),
		OPTION_FLAG("explain",
		            "print the rule for each caller, and where symbols were searched",
		            &bt.options.explain),
		OPTION_FLAG("registers", "print the registers of each thread",
		            &bt.options.registers),
		OPTION_TEXT("color", "WHEN",
		            "auto, always or never: GDB's colours, libraries dimmed",
		            &bt.options.color),
		BT_OPTIONS_FILES(&bt),
		OPTION_DEBUGINFOD(
			"also ask the servers in DEBUGINFOD_URLS for programs and debug files",
			&bt.options.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&bt.debuginfod.deadline),
		OPTION_FLAG("quiet", "print no progress and no message about missing symbols",
		            &bt.options.quiet),
	};
	const struct command command =
		COMMAND("cairn bt [OPTION...] CORE|MINIDUMP|REPORT|-|--pid PID [PROGRAM]", about,
	                options, OPERANDS(0, 2, "PROGRAM"), .rights = RIGHT_FINDS);

	int status = EXIT_CLEAN;
	if (!options_parse(&command, &argc, argv, &status) ||
	    !check_options(&bt, &command, &status) ||
	    !bt_take_operands(&bt, &command, argc, argv, &status))
		return status;
	return print_core(&bt);
}
