/* SPDX-License-Identifier: MIT */
/*
 * Writes the GDB commands that add and remove symbol objects, and checks which ones GDB accepted.
 */
#include "symbol_handover.h"

#include "protocol/gdb_text.h"
#include "queries/gdb_state.h"
#include "queries/value.h"
#include "symbols/debug_file_directory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reread the program's file. With a process, GDB knows the program's address; without one, GDB
 * forgets it when it rereads the file, so it is given.
 */
static void order_program(struct text *orders, const struct source_object *o, bool alive)
{
	text_add(orders, "with auto-load gdb-scripts off -- symbol-file ");
	if (!alive)
		text_print(orders, "-o %#" PRIx64 " ", o->bias);
	text_word(orders, o->module);
	text_add(orders, "\n");
}

/*
 * Remove the object. GDB may then look for the program's symbols elsewhere, but must not use the
 * network for that, because the user did not ask for it.
 */
void symbol_handover_remove(struct text *orders, const struct source_object *o, bool alive)
{
	if (!o->program) {
		text_print(orders, "remove-symbol-file /proc/self/fd/%d\n", o->fd);
		return;
	}
	text_add(orders, "with debuginfod enabled off -- ");
	order_program(orders, o, alive);
}

static void order_object(const struct gdb_session *s, struct text *orders,
                         const struct plan_item *item, bool alive)
{
	const struct source_object *o = &item->object;
	char directory[DEBUG_FILE_DIRECTORY_PATH_MAX];

	if (o->program) {
		debug_file_directory_path(&s->directory, o->fd, directory);
		text_print(orders, "with debug-file-directory %s -- ", directory);
		order_program(orders, o, alive);
		return;
	}
	if (item->moved)
		symbol_handover_remove(orders, o, alive);
	text_print(orders, "add-symbol-file /proc/self/fd/%d -o %#" PRIx64 "\n", o->fd, o->bias);
}

/*
 * Remove the objects of modules that are gone, except the program's, which GDB drops with the
 * program.
 */
static void order_leaving(struct command_call *call, const struct plan *plan, struct text *orders)
{
	const struct sources *sources = &call->session->sources;

	for (size_t i = 0; plan->leaving > 0 && i < sources->objects; i++)
		if (plan_lets_go(plan, &sources->object[i]) && !sources->object[i].program)
			symbol_handover_remove(orders, &sources->object[i], plan->alive);
}

static enum answer ask_own_lines(struct command_call *call, const struct plan *plan)
{
	struct text *questions = gdb_begin_orders(call);

	order_leaving(call, plan, questions);
	if (plan->leaving > 0)
		gdb_order_innermost(call);
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].sample)
			text_print(questions, "echo \\002%zu\\n\ninfo line *%#" PRIx64 "\n", i,
			           plan->item[i].sample);
	return gdb_send_orders(call, PENDING_OWN);
}

/* Drop the items of modules for which GDB has lines. */
enum answer symbol_handover_ask_own(struct command_call *call, struct plan *plan)
{
	const char *at = gdb_call(call)->output;

	if (!gdb_has_answered(call, PENDING_OWN))
		return ask_own_lines(call, plan);
	plan_drop_leaving(plan);
	while ((at = strchr(at, '\002')) != NULL) {
		size_t i = strtoul(at + 1, NULL, 10);
		at += strcspn(at, "\n");
		if (strncmp(at, "\nLine ", 6) != 0 || i >= plan->count)
			continue;
		plan->own++;
		plan_drop(plan, &plan->item[i]);
	}
	return ANSWER_READY;
}

static enum answer order_objects(struct command_call *call, const struct plan *plan)
{
	struct text *orders = gdb_begin_orders(call);

	order_leaving(call, plan, orders);
	bool program = false;
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->item[i].object.fd < 0)
			continue;
		order_object(gdb_session(call), orders, &plan->item[i], plan->alive);
		program = program || plan->item[i].object.program;
	}
	if (program)
		text_add(orders, LIST_OF_FILES "\n");
	gdb_order_innermost(call);
	return gdb_send_orders(call, PENDING_LOADED);
}

static void record_object(struct sources *sources, const struct plan_item *item)
{
	const struct source_object *o = &item->object;

	if (!item->moved) {
		sources->object[sources->objects++] = *o;
		return;
	}
	for (size_t k = 0; k < sources->objects; k++)
		if (sources->object[k].fd == o->fd && sources->object[k].inferior == o->inferior)
			sources->object[k].bias = o->bias;
}

/*
 * Return true if GDB took the object. It skips objects that are damaged or belong to another
 * machine.
 */
static bool is_taken(struct command_call *call, const struct plan_item *item)
{
	return !item->object.program ||
	       gdb_state_lists_object(gdb_session(call), &item->object, gdb_call(call)->output);
}

enum answer symbol_handover_take(struct command_call *call, struct plan *plan)
{
	struct sources *sources = &call->session->sources;

	if (!gdb_has_answered(call, PENDING_LOADED))
		return order_objects(call, plan);
	plan_drop_leaving(plan);
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_item *item = &plan->item[i];
		if (item->object.fd < 0)
			continue;
		if (is_taken(call, item)) {
			record_object(sources, item);
			continue;
		}
		reply_error(call, "%s: GDB did not accept the symbols", item->object.module);
		plan_drop(plan, item);
	}
	return ANSWER_READY;
}
