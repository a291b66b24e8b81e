/* SPDX-License-Identifier: MIT */
/*
 * Shows the core of a capture in an inferior of its own.
 *
 * The core is opened by `target core`, `exec-file` and `symbol-file` instead of `core-file` and
 * `file`, because users and auto-symbols have hooks for the latter two, which are meant for the
 * program being debugged.
 */
#include "gdb_debugger.h"

#include "protocol/gdb_text.h"
#include "queries/inferiors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 256 }; /* maximum number of threads that get their names */

/* printed after the command that opens the core */
static const char opened_mark[] = "\002T";

/*
 * Add an inferior and list all inferiors. The debuginfod setting shows whether GDB would ask a
 * question that the user cannot see.
 */
static enum answer add_inferior(struct command_call *call)
{
	text_add(gdb_begin_orders(call),
	         "add-inferior -no-connection\n" INFERIORS_QUESTION "show debuginfod enabled\n");
	return gdb_send_orders(call, PENDING_INFERIORS);
}

/*
 * Find the new inferior, which has the highest number because numbers only grow, and the selected
 * one.
 */
static bool read_new_inferior(struct command_call *call, struct shown_capture *shown)
{
	const char *at = gdb_call(call)->output;
	struct inferior_row row;
	bool has_current = false;

	shown->view = 0;
	while (inferiors_next(&at, &row)) {
		shown->view = row.number > shown->view ? row.number : shown->view;
		shown->before = row.is_current ? row.number : shown->before;
		has_current = has_current || row.is_current;
	}
	shown->is_shown = has_current && shown->view != shown->before;
	return shown->is_shown;
}

/*
 * Return true if the path is safe as a word of any command. In a body of commands, GDB replaces
 * $arg0.
 */
static bool can_be_word(const char *path)
{
	for (const char *p = path; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '$' || *p == 0x7f)
			return false;
	return *path != '\0';
}

static void order_program_file(struct text *orders, const char *path, const char *with)
{
	static const char *const verbs[] = { "exec-file ", "symbol-file " };

	for (unsigned i = 0; i < 2; i++) {
		text_add(orders, with);
		text_add(orders, verbs[i]);
		text_word(orders, path);
		text_add(orders, "\n");
	}
}

/* Add the name with all characters replaced that could end the word or form a command. */
static void add_plain_name(struct text *orders, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "._:/+-@";

	for (; *name; name++)
		text_bytes(orders, strchr(plain, *name) ? name : "_", 1);
}

static void order_names(struct text *orders, const struct cairn_capture *capture)
{
	const char *name;

	for (size_t i = 0; i < NAMES_MAX; i++) {
		name = cairn_capture_thread_name(capture, i);
		if (!name)
			break;
		if (!*name)
			continue;
		text_print(orders, "thread apply %zu -q -s -- thread name ", i + 1);
		add_plain_name(orders, name);
		text_add(orders, "\n");
	}
}

/*
 * Open the core in the new inferior. libthread_db is disabled because it would read memory of the
 * dynamic linker that was not captured, and complain.
 */
static enum answer open_core(struct command_call *call, const struct shown_capture *shown)
{
	const char *with =
		strstr(gdb_call(call)->output, "\"ask\"") ? "with debuginfod enabled off -- " : "";
	struct cairn_capture_summary summary = { .size = sizeof(summary) };
	struct text *orders = gdb_begin_orders(call);

	cairn_capture_describe(shown->capture, &summary);
	text_print(orders, "inferior %" PRIu64 "\n", shown->view);
	if (can_be_word(summary.program))
		order_program_file(orders, summary.program, with);
	text_print(orders, "with auto-load libthread-db off -- %starget core %s\n", with,
	           summary.core);
	order_names(orders, shown->capture);
	text_add(orders, "echo \\002T\nprintf \"%d\\n\", $_thread\n");
	return gdb_send_orders(call, PENDING_CORE);
}

static enum answer check_core(struct command_call *call)
{
	const char *mark = strstr(gdb_call(call)->output, opened_mark);

	if (mark && strtoul(mark + strlen(opened_mark), NULL, 10) > 0)
		return ANSWER_READY;
	reply_error(call, "GDB did not open the core");
	return ANSWER_FAILED;
}

enum answer gdb_show_capture(struct command_call *call, struct shown_capture *shown)
{
	if (gdb_has_answered(call, PENDING_CORE))
		return check_core(call);
	if (!gdb_has_answered(call, PENDING_INFERIORS))
		return add_inferior(call);
	if (read_new_inferior(call, shown))
		return open_core(call, shown);
	reply_error(call, "GDB did not add an inferior");
	return ANSWER_FAILED;
}

static enum answer list_inferiors(struct command_call *call)
{
	text_add(gdb_begin_orders(call), INFERIORS_QUESTION);
	return gdb_send_orders(call, PENDING_INFERIORS);
}

enum answer gdb_find_inferior(struct command_call *call, uint64_t *number)
{
	const char *at = gdb_call(call)->output;
	struct inferior_row row;

	if (!gdb_has_answered(call, PENDING_INFERIORS))
		return list_inferiors(call);
	while (inferiors_next(&at, &row))
		if (row.is_current)
			*number = row.number;
	return ANSWER_READY;
}

struct inferior_list {
	bool is_there, is_core, is_current; /* properties of the inferior to remove */
	bool has_before; /* the inferior that was selected before the capture still exists */
	uint64_t other;  /* number of any other inferior, or 0 */
};

static struct inferior_list read_inferiors(const char *at, const struct shown_capture *shown)
{
	struct inferior_list list = { .other = 0 };
	struct inferior_row row;

	while (inferiors_next(&at, &row)) {
		if (row.number == shown->view) {
			list.is_there = true;
			list.is_core = row.is_core;
			list.is_current = row.is_current;
		} else if (!list.other) {
			list.other = row.number;
		}
		list.has_before = list.has_before || row.number == shown->before;
	}
	return list;
}

/* Remove the inferior of the capture, unless the user is debugging something else in it by now. */
static enum answer remove_inferior(struct command_call *call, const struct shown_capture *shown)
{
	const struct inferior_list list = read_inferiors(gdb_call(call)->output, shown);
	struct text *orders = gdb_begin_orders(call);

	if (!list.is_there || !list.is_core || !list.other)
		return ANSWER_READY;
	if (list.is_current)
		text_print(orders, "inferior %" PRIu64 "\n",
		           list.has_before ? shown->before : list.other);
	text_print(orders, "detach inferiors %" PRIu64 "\nremove-inferiors %" PRIu64 "\n",
	           shown->view, shown->view);
	return gdb_send_orders(call, PENDING_CORE);
}

enum answer gdb_hide_capture(struct command_call *call, const struct shown_capture *shown)
{
	if (gdb_has_answered(call, PENDING_INFERIORS))
		return remove_inferior(call, shown);
	return gdb_has_answered(call, PENDING_CORE) ? ANSWER_READY : list_inferiors(call);
}
