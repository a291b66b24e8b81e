/* SPDX-License-Identifier: MIT */
/*
 * GDB's implementation of struct debugger. Captures are shown in inferiors of their own. A function
 * that needs data from GDB sends a query and returns; it is called again with GDB's output.
 */
#include "commands.h"
#include "gdb_loader.h"

#include "common/base/text.h"
#include "protocol/gdb_call.h"
#include "queries/gdb_output.h"
#include "queries/gdb_state.h"
#include "queries/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAMES_MAX = 256 };

/* mark that GDB prints after opening the core, followed by the number of the selected thread */
static const char opened_mark[] = "\002T";

/*
 * Add an inferior and list all inferiors. The output includes the debuginfod setting, because with
 * "ask" GDB would ask a question that the user cannot see.
 */
static enum answer add_inferior(struct command_call *call)
{
	text_add(gdb_begin_orders(call),
	         "add-inferior -no-connection\n" INFERIORS_QUESTION "show debuginfod enabled\n");
	return gdb_send_orders(call, PENDING_INFERIORS);
}

/*
 * Find the selected inferior and the new one, which has the highest number because GDB never reuses
 * numbers.
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
 * Return true if the path can be passed to any command as one word. A '$' is excluded because GDB
 * would replace "$arg0" in the body of a user-defined command.
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

/* Add the name, replacing all characters that could end the word or start a command. */
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
 * Open the core in the new inferior. Disable libthread_db, which would print warnings because it
 * reads memory of the dynamic linker that the capture lacks.
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
	reply_error(call, "GDB failed to open the core");
	return ANSWER_FAILED;
}

static enum answer gdb_show_capture(struct command_call *call, struct shown_capture *shown)
{
	if (gdb_has_answered(call, PENDING_CORE))
		return check_core(call);
	if (!gdb_has_answered(call, PENDING_INFERIORS))
		return add_inferior(call);
	if (read_new_inferior(call, shown))
		return open_core(call, shown);
	reply_error(call, "GDB failed to add an inferior");
	return ANSWER_FAILED;
}

static enum answer list_inferiors(struct command_call *call)
{
	text_add(gdb_begin_orders(call), INFERIORS_QUESTION);
	return gdb_send_orders(call, PENDING_INFERIORS);
}

static enum answer gdb_find_inferior(struct command_call *call, uint64_t *number)
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
	bool is_there, is_core, is_current; /* state of the inferior to remove */
	/* the inferior that was selected before the capture was shown still exists */
	bool has_before;
	uint64_t other; /* number of any other inferior, or 0 */
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

/* Remove the capture's inferior, unless the user is now debugging something else in it. */
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

static enum answer gdb_hide_capture(struct command_call *call, const struct shown_capture *shown)
{
	if (gdb_has_answered(call, PENDING_INFERIORS))
		return remove_inferior(call, shown);
	return gdb_has_answered(call, PENDING_CORE) ? ANSWER_READY : list_inferiors(call);
}

const char *const gdb_unwinder_names[] = { "auto", "always", "off" };

static void describe_gdb(const struct session *session, struct debugger_status *status)
{
	const struct gdb_session *s = (const struct gdb_session *)session;

	*status = (struct debugger_status){ .name = "GDB",
		                            .key = "gdb",
		                            .major = s->unwinder.gdb_major,
		                            .unwinder = gdb_unwinder_names[s->unwinder.policy] };
}

static enum frame_state read_gdb_frame(struct command_call *call, struct cairn_registers *registers)
{
	const struct gdb_call *g = gdb_call(call);

	if (!g->frame && g->asked)
		return FRAME_UNREADABLE;
	if (!g->frame)
		return g->request->thread ? FRAME_RUNNING : FRAME_NONE;
	*registers = *g->frame;
	return FRAME_KNOWN;
}

/* Add GDB's modules to the space, and repeat the step, so that GDB asks for the frame again. */
static enum answer learn_modules(struct command_call *call)
{
	if (!gdb_state_read(call))
		return ANSWER_FAILED;
	gdb_capture_begin(call);
	return gdb_capture_end(call, PENDING_FRAME_0);
}

static enum answer find_gdb_frame_module(struct command_call *call)
{
	const struct gdb_call *g = gdb_call(call);

	if (gdb_has_answered(call, PENDING_GDB_STATE))
		return learn_modules(call);
	if (gdb_has_answered(call, PENDING_FRAME_0) || g->frame || !g->asked)
		return ANSWER_READY;
	return gdb_state_request(call, "");
}

static enum answer forget_gdb_frames(struct command_call *call)
{
	gdb_select_innermost(call);
	return gdb_answer(call);
}

static enum answer name_gdb_modules(struct command_call *call)
{
	if (!gdb_has_answered(call, PENDING_GDB_STATE))
		return gdb_state_request(call, "");
	return gdb_state_read(call) ? ANSWER_READY : ANSWER_FAILED;
}

/*
 * Query the address of the JIT descriptor with `info address`. Evaluating an expression would be 6
 * ms slower, because GDB also searches for a source file with the same name.
 */
static enum answer ask_for_descriptor(struct command_call *call)
{
	gdb_capture_begin(call);
	gdb_capture(call, "with language c -- thread apply $_cairn_thread -q -s "
	                  "info address __jit_debug_descriptor");
	return gdb_capture_end(call, PENDING_REGISTERED);
}

/*
 * Read the list of JIT code that the program has registered. GDB passes code to its JIT reader only
 * if the program registers it while the reader is loaded, or if GDB finds it while attaching. GDB
 * never passes on code that it has read before.
 */
static enum answer read_gdb_registered_code(struct command_call *call)
{
	struct gdb_session *s = gdb_session(call);
	struct gdb_call *g = gdb_call(call);
	struct cairn_fault fault;

	if (!gdb_has_answered(call, PENDING_REGISTERED))
		return g->request->thread ? ask_for_descriptor(call) : ANSWER_READY;
	/*
	 * The descriptor's address is the only number in the output. There is no number if the
	 * program does not use the JIT interface.
	 */
	const char *number = strstr(g->output, " 0x");
	const uint64_t at = number ? strtoull(number, NULL, 16) : 0;
	if (at != 0 &&
	    cairn_space_read_registered_code(s->shared.space, at, s->unwinder.machine,
	                                     s->unwinder.big_endian, &fault) == CAIRN_NO_MEMORY) {
		reply_error(call, "out of memory");
		return ANSWER_FAILED;
	}
	return ANSWER_READY;
}

/* Query the memory map. It is not an error if cores and some stubs provide no mappings. */
static enum answer ask_ranges(struct command_call *call)
{
	gdb_capture_begin(call);
	if (gdb_call(call)->request->thread)
		gdb_capture(call, "thread apply $_cairn_thread -q -s info proc mappings");
	gdb_capture(call, "maint info sections");
	return gdb_capture_end(call, PENDING_FILES);
}

static void measure_core(struct memory_ranges *ranges)
{
	struct text path = { .data = NULL };
	struct stat core;

	if (ranges->core.size > 0)
		text_bytes(&path, (const char *)ranges->core.data, ranges->core.size);
	if (path.data && !path.cut && stat(path.data, &core) == 0 && S_ISREG(core.st_mode))
		ranges->core_size = (uint64_t)core.st_size;
	text_finish(&path);
}

static enum answer find_memory_ranges(struct command_call *call, enum memory_access access,
                                      struct range_list *list)
{
	struct gdb_call *g = gdb_call(call);
	struct cairn_range range;

	if (!gdb_has_answered(call, PENDING_FILES))
		return ask_ranges(call);
	struct memory_ranges ranges = memory_ranges_open(
		(struct cairn_bytes){ (const uint8_t *)g->output, g->output_size }, access);
	measure_core(&ranges);
	while (memory_ranges_next(&ranges, &range)) {
		if (range_list_add(list, range))
			continue;
		reply_error(call, "out of memory");
		return ANSWER_FAILED;
	}
	return ANSWER_READY;
}

const struct debugger gdb_debugger = {
	.loader = &gdb_loader,
	.view_name = "Inferior",
	.describe = describe_gdb,
	.evaluate = gdb_evaluate,
	.read_frame = read_gdb_frame,
	.find_frame_module = find_gdb_frame_module,
	.forget_frames = forget_gdb_frames,
	.name_spots = gdb_symbols_name_spots,
	.name_modules = name_gdb_modules,
	.read_registered_code = read_gdb_registered_code,
	.memory_ranges = find_memory_ranges,
	.show_capture = gdb_show_capture,
	.find_view = gdb_find_inferior,
	.hide_capture = gdb_hide_capture,
	.print_line = gdb_print_line,
	.is_below_limit = gdb_is_below_limit,
	.set_number = gdb_set_number,
	.set_string = gdb_set_string,
};
