/* SPDX-License-Identifier: MIT */
/*
 * The entry points of the GDB module: a JIT reader that unwinds with SFrame.
 *
 * GDB calls every JIT reader for every frame, before its own unwinders, whether or not a program
 * registers JIT code. If the reader declines a frame, GDB continues as if the reader did not exist.
 *
 * On Ctrl-C, GDB throws a C++ exception from any of its callbacks, which unwinds through the
 * module's functions. Therefore this module and the whole library are compiled with unwind tables,
 * and resources that are held across a callback are always reachable from the session. The code
 * never aborts.
 */
#include "commands.h"
#include "follow.h"

#include "common/base/files.h"
#include "protocol/script.h"
#include "queries/values.h"
#include "unwinder/registers.h"

#include <stdlib.h>
#include <string.h>

GDB_DECLARE_GPL_COMPATIBLE_READER

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	struct unwinder *u = &((struct gdb_session *)context)->unwinder;

	if (!u->target_read || !memory_lines_read(&u->lines, u->target_read, address, buffer, size))
		return CAIRN_UNREADABLE;
	return CAIRN_OK;
}

/*
 * Run a command if a request is waiting. The first frame that GDB asks for after a request is the
 * selected thread's innermost frame.
 */
static void serve_command(struct gdb_session *s, struct gdb_unwind_callbacks *cb)
{
	struct cairn_registers frame;

	if (!channel_is_waiting(&s->exchange.channel) ||
	    channel_take_version(&s->exchange.channel, &s->unwinder.gdb_major) ||
	    linker_list_answer(s))
		return;
	s->unwinder.unrecognized_frames = 0;
	frame_chain_reset(&s->unwinder.chain);
	bool known = identify_frame(&s->unwinder, cb, &frame);
	if (known)
		registers_read(cb, &frame);
	else
		known = identify_frame_after_call(&s->unwinder, cb, &frame);
	s->shared.poll_at = known ? frame.pc : 0;
	command_run(s, known ? &frame : NULL, true);
}

/*
 * Read a byte that is known to be readable, so that GDB checks for Ctrl-C and throws an exception
 * if the user has pressed it.
 */
static void poll_interrupt(void *context)
{
	const struct gdb_session *s = context;
	char byte;

	if (s->unwinder.target_read)
		s->unwinder.target_read(s->shared.poll_at, &byte, 1);
}

/* Begin to answer a query from GDB. The target may have changed since the last query. */
static void begin_question(struct gdb_session *s, gdb_target_read *target_read)
{
	s->unwinder.target_read = target_read;
	memory_lines_forget(&s->unwinder.lines);
	s->shared.sources.poll = (struct cairn_poll){ poll_interrupt, s };
	if (s->unwinder.space)
		cairn_space_begin_query(s->unwinder.space);
}

/*
 * Answer GDB's query for a frame's caller. If the pc of the outermost frame's caller is unset, GDB
 * 16 and newer end the backtrace, but older versions abort the whole command, so they get pc 0.
 */
static enum gdb_status unwind_frame(struct gdb_reader_funcs *funcs, struct gdb_unwind_callbacks *cb)
{
	enum { STOPS_CLEANLY = 16 };
	struct gdb_session *s = funcs->priv_data;
	struct cairn_step step;

	s->unwinder.target_read = cb->target_read;
	if (!frame_chain_follow(&s->unwinder, cb)) {
		begin_question(s, cb->target_read);
		serve_command(s, cb);
	}
	if (!unwind_frame_registers(&s->unwinder, cb, &step))
		return other_readers_unwind(&s->others, cb);
	const bool is_last = step.caller.pc == 0;
	registers_write(cb, &step.caller, !is_last || s->unwinder.gdb_major < STOPS_CLEANLY);
	return GDB_SUCCESS;
}

static struct gdb_frame_id get_frame_id(struct gdb_reader_funcs *funcs,
                                        struct gdb_unwind_callbacks *cb)
{
	struct gdb_session *s = funcs->priv_data;
	struct gdb_frame_id id;
	struct cairn_step step;

	s->unwinder.target_read = cb->target_read;
	if (!unwind_frame_just_answered(&s->unwinder))
		begin_question(s, cb->target_read);
	if (unwind_frame_id(&s->unwinder, cb, &id))
		return id;
	frame_chain_reset(&s->unwinder.chain);
	begin_question(s, cb->target_read);
	if (!unwind_frame_registers(&s->unwinder, cb, &step))
		return other_readers_frame_id(&s->others, cb);
	return (struct gdb_frame_id){ step.function, step.cfa };
}

/*
 * Handle code that the program registers. Record its .sframe section, but leave the symbols to GDB:
 * it reads ELF objects itself unless a reader claims to have read them.
 */
static enum gdb_status read_debug_info(struct gdb_reader_funcs *funcs,
                                       struct gdb_symbol_callbacks *cb, void *memory, long size)
{
	struct gdb_session *s = funcs->priv_data;

	frame_chain_reset(&s->unwinder.chain);
	begin_question(s, cb->target_read);
	if (s->unwinder.space && size > 0) {
		struct cairn_bytes image = { memory, (size_t)size };
		/* leave other object formats to the other readers */
		if (cairn_space_add_jit_image(s->unwinder.space, image) == CAIRN_NO_MEMORY)
			return GDB_FAIL;
	}
	return other_readers_read(&s->others, cb, memory, size);
}

/*
 * Unload the reader. Keep the session, because a command may unload the reader only to load it
 * again.
 */
static void destroy_reader(struct gdb_reader_funcs *funcs)
{
	static const char gone[] =
		"with language c -- set $_cairn_answered = 1\n"
		"with max-value-size unlimited -- with language c -- "
		"set $cairn_error = \"the module is not loaded\"\n"
		"if $_cairn_quiet\n"
		"else\n"
		"echo cairn: the module is not loaded: source cairn.gdb again\\n\n"
		"end\n"
		"_cairn clear\n";
	struct gdb_session *s = funcs->priv_data;

	if (s->exchange.channel.open)
		channel_publish(&s->exchange.channel, gone, sizeof(gone) - 1);
}

/*
 * Return true if the target's memory contains the capture's marker word at its address. The word is
 * unique to the capture, so the capture is the program being debugged.
 */
static bool has_captured_word(struct gdb_session *s, const struct cairn_capture_summary *summary)
{
	uint8_t bytes[sizeof(uint64_t)];

	return summary->word_at != 0 &&
	       read_memory(s, summary->word_at, bytes, sizeof(bytes)) == CAIRN_OK &&
	       registers_load_word(bytes, false) == summary->word;
}

static bool is_captured_stack(void *context, uint64_t sp)
{
	struct gdb_session *s = context;
	const struct captures *captures = &s->shared.captures;
	struct cairn_capture_summary summary = { .size = sizeof(summary) };

	for (size_t i = 0; i < captures->count; i++) {
		cairn_capture_describe(captures->shown[i].capture, &summary);
		if (sp >= summary.stacks.low && sp < summary.stacks.high &&
		    has_captured_word(s, &summary))
			return true;
	}
	return false;
}

static enum unwind_policy read_policy(void)
{
	const char *word = getenv("CAIRN_UNWINDER");

	if (word && strcmp(word, "always") == 0)
		return UNWIND_POLICY_ALWAYS;
	if (word && strcmp(word, "off") == 0)
		return UNWIND_POLICY_OFF;
	return UNWIND_POLICY_AUTO;
}

static void release_object(void *context, int fd)
{
	const struct gdb_session *s = context;

	debug_file_directory_remove(&s->directory, fd);
}

static void start_session(struct gdb_session *s)
{
	const struct cairn_target target = { read_memory, s };

	s->unwinder.space = s->shared.space = cairn_space_new(&target);
	s->unwinder.directories = &s->shared.sources.directories;
	s->unwinder.side_files = &s->shared.side_files;
	s->unwinder.is_captured = is_captured_stack;
	s->unwinder.captured_context = s;
	s->unwinder.captures = &s->shared.captures.count;
	s->shared.debugger = &gdb_debugger;
	s->unwinder.policy = s->unwinder.space ? read_policy() : UNWIND_POLICY_OFF;
	s->shared.sources.release = release_object;
	s->shared.sources.release_context = s;
	colors_start(s);
	channel_open(&s->exchange.channel); /* if this fails, cairn.gdb reports it */
}

/*
 * Publish two scripts: the startup script, which the loading script sources next, and the script
 * that the first command reads.
 */
static void publish_script(struct gdb_session *s)
{
	text_reset(&s->exchange.reply);
	script_define(&s->exchange.reply, &s->exchange.channel, &command_table);
	if (!s->exchange.reply.cut)
		memfile_put(s->exchange.channel.definitions, s->exchange.reply.data,
		            s->exchange.reply.size);
	text_reset(&s->exchange.reply);
	script_start(&s->exchange.reply, &s->exchange.channel, &command_table);
	if (!s->exchange.reply.cut)
		channel_publish(&s->exchange.channel, s->exchange.reply.data,
		                s->exchange.reply.size);
}

/*
 * The only mutable static object, needed because GDB provides no storage for the reader and
 * gdb_init_reader() must not return NULL.
 */
static struct {
	struct gdb_session session;
	struct gdb_reader_funcs funcs;
} reader = { .funcs = { .reader_version = GDB_READER_INTERFACE_VERSION,
	                .priv_data = &reader.session,
	                .read = read_debug_info,
	                .unwind = unwind_frame,
	                .get_frame_id = get_frame_id,
	                .destroy = destroy_reader } };

struct gdb_reader_funcs *gdb_init_reader(void)
{
	struct gdb_session *s = &reader.session;

	if (!s->unwinder.space)
		start_session(s);
	begin_question(s, s->unwinder.target_read);
	if (!s->exchange.channel.open)
		return &reader.funcs;
	channel_take_version(&s->exchange.channel, &s->unwinder.gdb_major);
	if (channel_is_waiting(&s->exchange.channel))
		command_run(s, NULL, false);
	else
		publish_script(s);
	return &reader.funcs;
}

__attribute__((destructor)) static void finish_session(void)
{
	captures_finish(&reader.session.shared.captures);
	debug_file_directory_finish(&reader.session.directory);
}
