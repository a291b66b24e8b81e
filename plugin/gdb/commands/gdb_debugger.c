/* SPDX-License-Identifier: MIT */
/*
 * Implements struct debugger for GDB. A function that needs data from GDB returns a request, and is
 * called again with GDB's reply.
 */
#include "gdb_debugger.h"

#include "loading/gdb_loader.h"
#include "queries/gdb_state.h"
#include "queries/gdb_symbols.h"
#include "queries/memory_ranges.h"
#include "queries/value.h"

#include "common/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Add GDB's modules to the space. In the next call, GDB asks for the frame again. */
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
 * Query the address of the list. `info address` is used because in an expression GDB would also
 * look for a source file of that name, which takes 6 ms.
 */
static enum answer ask_for_descriptor(struct command_call *call)
{
	gdb_capture_begin(call);
	gdb_capture(call, "with language c -- thread apply $_cairn_thread -q -s "
	                  "info address __jit_debug_descriptor");
	return gdb_capture_end(call, PENDING_REGISTERED);
}

/*
 * Read the list of registered code. GDB passes to its reader only code that the program registers
 * while the reader is loaded, or that GDB finds when it attaches, and nothing that it has read
 * before.
 */
static enum answer read_gdb_registered_code(struct command_call *call)
{
	struct gdb_session *s = gdb_session(call);
	struct gdb_call *g = gdb_call(call);
	struct cairn_fault fault;

	if (!gdb_has_answered(call, PENDING_REGISTERED))
		return g->request->thread ? ask_for_descriptor(call) : ANSWER_READY;
	/* the list's address is the only number in the output; the program may not have a list */
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

/* Query the memory map. A core and some stubs do not provide mappings, which is not an error. */
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
	.has_room = gdb_has_room,
	.set_number = gdb_set_number,
	.set_string = gdb_set_string,
};
