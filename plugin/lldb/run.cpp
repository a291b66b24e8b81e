/* SPDX-License-Identifier: MIT */
/* Runs shared commands on the selected target, and commands of LLDB. */
#include "locate.h"
#include "session.h"

#include <exception>

/*
 * Begin a command on the selected target. If the process is another one than before, discard all
 * data about the previous one.
 */
static void begin_target(lldb_session *s, lldb::SBDebugger &debugger)
{
	s->target = debugger.GetSelectedTarget();
	lldb::SBProcess process = s->target.GetProcess();
	uint32_t number = process.IsValid() ? process.GetUniqueID() : 0;

	if (number != s->process) {
		cairn_space_reset(s->space);
		s->named = named_builds();
		s->local.forget();
	}
	s->process = number;
	cairn_space_begin_query(s->space);
	if (is_process_stopped(s))
		report_lldb_modules(s);
}

static void run_steps(lldb_call *call, const struct command *command)
{
	lldb_session *s = get_lldb_session(call);

	text_reset(&s->line);
	s->line.colored = s->color == COLOR_ON || (s->color == COLOR_AUTO && s->lldb.GetUseColor());
	call->line = &s->line;
	if (command_begin(call, command))
		command_continue(call);
}

static void begin_and_run(lldb_session *s, const struct command *command, lldb_call *call)
{
	begin_target(s, s->lldb);
	if (s->hooked)
		locator_adopt(s);
	run_steps(call, command);
	if (s->hooked)
		locator_update(s);
}

/*
 * Run a command and catch all exceptions, because an exception that leaves a command would end
 * LLDB.
 */
void run_lldb_command(lldb_session *s, const struct command *command, const struct words *words,
                      lldb_call *call)
{
	call->session = s;
	call->words = words;
	if (s->busy.test_and_set()) {
		call->fail("another command of cairn is running");
		return;
	}
	s->interruptible = true;
	try {
		begin_and_run(s, command, call);
	} catch (const interruption &) {
		call->fail("interrupted");
	} catch (const std::exception &e) {
		call->fail(e.what());
	} catch (...) {
		call->fail("unknown exception");
	}
	s->interruptible = false;
	s->busy.clear();
}

bool run_in_lldb(lldb_session *s, const std::string &line)
{
	lldb::SBCommandReturnObject result;

	s->lldb.GetCommandInterpreter().HandleCommand(line.c_str(), result, false);
	return result.Succeeded();
}
