/* SPDX-License-Identifier: MIT */
/*
 * cairn in GDB: a JIT reader that unwinds by SFrame.
 *
 * GDB asks every JIT reader for every frame, before its own unwinders, whether or not a program
 * registers generated code.  What we decline is as if we were not there.
 *
 * Ctrl-C leaves our frames as a C++ exception out of any callback: this module and all of the
 * engine are compiled with unwind tables, hold nothing across a callback that is not reachable
 * from the session, and never abort.
 */
#include "registers.h"
#include "session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

GDB_DECLARE_GPL_COMPATIBLE_READER

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct session *s = context;

	if (size > INT_MAX)
		return CAIRN_UNREADABLE;
	return s->target_read(address, buffer, (int)size) == GDB_SUCCESS ? CAIRN_OK
	                                                                 : CAIRN_UNREADABLE;
}

static bool ask(struct gdb_reader_funcs *funcs, struct gdb_unwind_callbacks *cb,
                struct cairn_step *step)
{
	struct session *s = funcs->priv_data;

	s->target_read = cb->target_read;
	return answer(s, cb, step);
}

static enum gdb_status unwind(struct gdb_reader_funcs *funcs, struct gdb_unwind_callbacks *cb)
{
	struct cairn_step step;

	if (!ask(funcs, cb, &step))
		return GDB_FAIL;
	registers_write(cb, &step.caller);
	return GDB_SUCCESS;
}

static struct gdb_frame_id get_frame_id(struct gdb_reader_funcs *funcs,
                                        struct gdb_unwind_callbacks *cb)
{
	struct cairn_step step;

	if (!ask(funcs, cb, &step))
		return (struct gdb_frame_id){ 0, 0 };
	return (struct gdb_frame_id){ step.function, step.cfa };
}

/* Registered code is left to GDB, which reads ELF objects itself. */
static enum gdb_status read_debug_info(struct gdb_reader_funcs *funcs,
                                       struct gdb_symbol_callbacks *cb, void *memory, long size)
{
	(void)funcs;
	(void)cb;
	(void)memory;
	(void)size;
	return GDB_FAIL;
}

static void destroy(struct gdb_reader_funcs *funcs)
{
	struct session *s = funcs->priv_data;

	cairn_space_free(s->space);
	s->space = NULL;
}

static enum policy chosen_policy(void)
{
	const char *word = getenv("CAIRN_UNWINDER");

	if (word && strcmp(word, "always") == 0)
		return POLICY_ALWAYS;
	if (word && strcmp(word, "off") == 0)
		return POLICY_OFF;
	return POLICY_AUTO;
}

struct gdb_reader_funcs *gdb_init_reader(void)
{
	static struct session session;
	static struct gdb_reader_funcs funcs = {
		.reader_version = GDB_READER_INTERFACE_VERSION,
		.priv_data = &session,
		.read = read_debug_info,
		.unwind = unwind,
		.get_frame_id = get_frame_id,
		.destroy = destroy,
	};
	const struct cairn_target target = { read_memory, &session };

	session = (struct session){ .space = cairn_space_new(&target) };
	session.policy = session.space ? chosen_policy() : POLICY_OFF; /* NULL would kill GDB */
	return &funcs;
}
