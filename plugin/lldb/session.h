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
#include "module_file.h"

#include <lldb/API/LLDB.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

/* A process of this machine, whose memory the kernel reads faster than LLDB does. */
class local_memory
{
      public:
	~local_memory()
	{
		forget();
	}
	void forget(); /* another process is there */
	/* How many bytes were read; 0: ask LLDB. */
	size_t read(lldb::SBTarget &target, uint64_t address, void *buffer, size_t size);

      private:
	bool tried = false; /* this process has been looked at, */
	int fd = -1;        /* and it can be read here */
};

/* Ctrl-C; thrown through the core, which puts its state in order. */
struct interruption {
};

/* The target of a capture, and the one that was selected before. */
struct capture_view {
	lldb::SBTarget shown, before;
};

struct lldb_session : session {
	lldb::SBDebugger lldb;
	lldb::SBTarget target; /* that is selected, since the command in progress began */
	uint32_t process;      /* its unique number; 0: none.  Another one is another run */
	std::atomic_flag busy = ATOMIC_FLAG_INIT; /* a command is in progress, */
	bool interruptible;                       /* and it listens to Ctrl-C */
	local_memory local;

	struct module_file file; /* of the module that the loader has read last */
	std::shared_ptr<struct locator> locator;

	bool hooked;                                 /* LLDB calls us where modules come */
	std::vector<lldb::user_id_t> hooked_targets; /* these at each stop */
	std::map<uint64_t, capture_view> views;      /* captures, by their numbers */
	uint64_t last_view;
	uint64_t followed; /* the modules that auto-symbols has seen; 0: none yet */
};

struct lldb_call : command_call {
	std::string output;     /* lines that the command has printed */
	std::string error;      /* what went wrong; empty: nothing */
	bool completed = false; /* complete_core() has been called */

	lldb_call() : command_call()
	{
	}
	void fail(const char *why)
	{
		error += error.empty() ? "" : "\nerror: ";
		error += why;
		failed = true;
	}
};

static inline lldb_session *get_lldb_session(const struct command_call *call)
{
	return static_cast<lldb_session *>(call->session);
}

extern const struct debugger lldb_debugger;
extern const struct symbol_loader lldb_loader;
extern const struct command command_symbols_follow;
extern const struct command command_set_lldb_auto_symbols;

/* The session of a debugger, by its number; empty: it has none any more. */
std::shared_ptr<lldb_session> find_lldb_session(lldb::user_id_t debugger);
void keep_lldb_session(lldb::user_id_t debugger, const std::shared_ptr<lldb_session> &session);

/* These members of struct debugger show captures in targets of their own. */
enum answer show_lldb_capture(struct command_call *call, struct shown_capture *shown);
enum answer find_lldb_view(struct command_call *call, uint64_t *view);
enum answer hide_lldb_capture(struct command_call *call, const struct shown_capture *shown);

/* Registers the commands, in the place of those that are there; false: LLDB did not take them. */
bool add_lldb_commands(const std::shared_ptr<lldb_session> &session);

/* One command from its first step to its last; *call has what it printed.  Nothing is thrown. */
void run_lldb_command(lldb_session *session, const struct command *command,
                      const struct words *words, lldb_call *call);

/*
 * Before "target create", of which these are all words, with a null pointer after the last: loads the symbols of a program
 * at a fixed address that is opened with its core (fixed_program.cpp); `follow` loads symbols of new modules.
 */
void prepare_fixed_program(lldb_session *session, const char *const *words,
                           const struct command *follow);

/* Looks for a library that is not loaded yet, for which the user has given a file, wherever modules come. */
void follow_given(lldb_session *session);

/* Throws when the user has interrupted the command in progress; the context is the lldb_session. */
void poll_interrupt(void *context);

/* A command of LLDB; false: it failed. */
bool run_in_lldb(lldb_session *session, const std::string &line);

/* Is there a process that has stopped, or a core? */
bool is_process_stopped(const lldb_session *session);

/* For struct cairn_target; the context is the lldb_session. */
enum cairn_status read_lldb_memory(void *context, uint64_t address, void *buffer, size_t size);

/* The machine of the target, CAIRN_MACHINE_NONE if it is another. */
enum cairn_machine find_machine(lldb::SBTarget &target, bool *big_endian);

/* Reads the general registers of a frame. */
void read_lldb_registers(lldb::SBTarget &target, lldb::SBFrame &frame,
                         struct cairn_registers *registers);

/* The path of a module's file, as LLDB has it. */
std::string find_file_path(const lldb::SBFileSpec &file);
std::string find_module_path(lldb::SBModule &module);

/* The folders in a setting of LLDB. */
std::vector<std::string> list_setting(lldb_session *session, const char *name);

/* The path of a build's file in a tree of build IDs; empty: it has none. */
std::string name_build_file(struct cairn_bytes build_id, const std::string &root,
                            const char *extension);

/* Is it a core, of which LLDB reads what the core holds and no more? */
bool is_core(const lldb_session *session);

/*
 * Gives LLDB the files of a core's modules that it lacks, and prints their paths, or what to do.  Once in a
 * command; memory of the modules can be read then.
 */
void complete_core(struct command_call *call);

/* For locate.h. */
std::shared_ptr<struct locator> make_locator();

/* Where the module is loaded; false: nowhere. */
bool describe_module(lldb::SBTarget &target, lldb::SBModule &module,
                     struct cairn_host_module *report);

/* Tells the space what LLDB has loaded; false: out of memory. */
bool report_lldb_modules(lldb_session *session);

#endif
