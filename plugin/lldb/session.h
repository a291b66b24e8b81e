/* SPDX-License-Identifier: MIT */
/*
 * What the plugin keeps for one debugger of LLDB, and one call of a command.
 *
 * Classes of LLDB are handles without exceptions; what may throw here is memory, and execute_command()
 * catches that before LLDB sees it.
 */
#ifndef CAIRN_LLDB_SESSION_H
#define CAIRN_LLDB_SESSION_H

#include "common/session/session.h"

#include <lldb/API/LLDB.h>

#include <string>
#include <vector>

struct lldb_session : session {
	lldb::SBDebugger lldb;
	lldb::SBTarget target; /* that is selected, since the command in progress began */
	uint32_t process;      /* its unique number; 0: none.  Another one is another run */

	/* of the module that the loader has read last */
	struct cairn_program program;
	std::string module_path;
	std::vector<uint8_t> module_file;
};

struct lldb_call : command_call {
	std::string output; /* lines that the command has printed */
	std::string error;  /* what went wrong; empty: nothing */
};

static inline lldb_session *get_lldb_session(const struct command_call *call)
{
	return static_cast<lldb_session *>(call->session);
}

extern const struct debugger lldb_debugger;
extern const struct symbol_loader lldb_loader;

/* Is there a process that has stopped, or a core? */
bool is_process_stopped(const lldb_session *session);

/* For struct cairn_target; the context is the lldb_session. */
enum cairn_status read_lldb_memory(void *context, uint64_t address, void *buffer, size_t size);

/* The machine of the target, CAIRN_MACHINE_NONE if it is another. */
enum cairn_machine find_machine(lldb::SBTarget &target, bool *big_endian);

/* General registers of a frame. */
void read_lldb_registers(lldb::SBTarget &target, lldb::SBFrame &frame,
                         struct cairn_registers *registers);

/* The path of a module's file, as LLDB has it. */
std::string find_module_path(lldb::SBModule &module);

/* Where the module is loaded; false: nowhere. */
bool describe_module(lldb::SBTarget &target, lldb::SBModule &module,
                     struct cairn_host_module *report);

/* Tells the space what LLDB has loaded; false: out of memory. */
bool report_lldb_modules(lldb_session *session);

#endif
