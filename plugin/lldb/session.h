/* SPDX-License-Identifier: MIT */
/*
 * The state that the plugin keeps for one debugger of LLDB, and one call of a command.
 *
 * LLDB's classes are handles and do not throw. Only allocations may throw here, and
 * run_lldb_command() catches that before LLDB sees it.
 */
#ifndef CAIRN_LLDB_SESSION_H
#define CAIRN_LLDB_SESSION_H

#include "common/session/loading.h"
#include "common/session/session.h"
#include "common/session/sources.h"

#include <atomic>
#include <lldb/API/LLDB.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct module_file {
	struct cairn_program program;
	std::string path;
	std::vector<uint8_t> bytes; /* contents of the file; empty if not read */
	/* SFrame file made for the program; empty if not found or not read */
	std::vector<uint8_t> sframe_file;
};

/* Read the description of a program. Returns false if no object can be made for it. */
bool read_program(const std::string &path, struct module_file *file);

/* Read the whole file. The bytes are empty if it cannot be read or is too large. */
void read_file_bytes(struct module_file *file);

/*
 * Read the SFrame file that was made for a program without unwind tables. Returns false if no such
 * file is found. `named` are the files that the user gave; `directories` may be NULL.
 */
bool read_sframe_file(struct module_file *file, const struct side_files *named,
                      const char *directories);

/*
 * Return true if LLDB can unwind the program only with an object made from its .sframe, or from an
 * .eh_frame that is not in a section of that name.
 */
bool has_frames_alone(const struct cairn_program *program);

/*
 * Return the module as it is before it is loaded, with addresses as linked. It points into the
 * file.
 */
struct symbol_target describe_file(const struct module_file *file);

/*
 * Make a sealed object of these symbols, or of frames alone if `symbols` is NULL. The bytes of the
 * file, and of its SFrame file, must have been read. Returns a descriptor, which the caller closes,
 * or -1. *functions is the number of functions in the object.
 */
int make_file_object(const struct module_file *file, const struct cairn_symbols *symbols,
                     uint64_t offset, uint64_t *functions);

/* Memory of a process on this machine, which the kernel reads faster than LLDB does. */
class local_memory
{
      public:
	~local_memory()
	{
		forget();
	}
	void forget(); /* called when the process has changed */
	/* Read memory. Returns the number of bytes; 0 leaves the read to LLDB. */
	size_t read(lldb::SBTarget &target, uint64_t address, void *buffer, size_t size);

      private:
	bool tried = false; /* the current process has been opened, or could not be */
	int fd = -1;        /* descriptor of the process's memory, or -1 */
};

/* Thrown when the user presses Ctrl-C. It passes through the library, which restores its state. */
struct interruption {
};

struct capture_view {
	lldb::SBTarget shown, before;
};

struct lldb_session : session {
	lldb::SBDebugger lldb;
	lldb::SBTarget target; /* target that was selected when the command in progress began */
	/* unique number of its process, different for each run; 0 without a process */
	uint32_t process;
	std::atomic_flag busy = ATOMIC_FLAG_INIT;
	bool interruptible; /* the command in progress reacts to Ctrl-C */
	local_memory local;

	struct module_file file; /* file of the module that the loader has read last */
	std::shared_ptr<struct locator> locator;

	bool hooked; /* hooks for new modules are installed */
	std::vector<lldb::user_id_t> hooked_targets;
	std::map<uint64_t, capture_view> views; /* captures by number */
	uint64_t last_view;
	/* hash of the modules that auto-symbols has seen; 0 before the first */
	uint64_t followed;
};

struct lldb_call : command_call {
	std::string output;
	std::string error;      /* may be empty */
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

/* Return the session of a debugger by its number, or an empty pointer if it has ended. */
std::shared_ptr<lldb_session> find_lldb_session(lldb::user_id_t debugger);
void keep_lldb_session(lldb::user_id_t debugger, const std::shared_ptr<lldb_session> &session);

/* Members of lldb_debugger that show captures in targets of their own. */
enum answer show_lldb_capture(struct command_call *call, struct shown_capture *shown);
enum answer find_lldb_view(struct command_call *call, uint64_t *view);
enum answer hide_lldb_capture(struct command_call *call, const struct shown_capture *shown);

/* Register the commands, replacing existing ones. Returns false if LLDB did not accept them. */
bool add_lldb_commands(const std::shared_ptr<lldb_session> &session);

/* Run a command from its first step to its last; *call has its output. Does not throw. */
void run_lldb_command(lldb_session *session, const struct command *command,
                      const struct words *words, lldb_call *call);

/*
 * Hook called before "target create", with the words of that command and a final null pointer.
 * Loads the symbols of a program at a fixed address that is opened with its core
 * (follow.cpp). `follow` is the command that loads symbols of new modules.
 */
void prepare_fixed_program(lldb_session *session, const char *const *words,
                           const struct command *follow);

/* Watch for libraries that are not loaded yet and for which the user has given a file. */
void follow_given(lldb_session *session);

/*
 * Throw an interruption if the user has interrupted the command in progress. The context is the
 * lldb_session.
 */
void poll_interrupt(void *context);

bool run_in_lldb(lldb_session *session, const std::string &line);

/* Return true if there is a stopped process or a core. */
bool is_process_stopped(const lldb_session *session);

/* Implements read_memory() of struct cairn_target. The context is the lldb_session. */
enum cairn_status read_lldb_memory(void *context, uint64_t address, void *buffer, size_t size);

/* Return the machine of the target, or CAIRN_MACHINE_NONE if cairn does not know it. */
enum cairn_machine find_machine(lldb::SBTarget &target, bool *big_endian);

void read_lldb_registers(lldb::SBTarget &target, lldb::SBFrame &frame,
                         struct cairn_registers *registers);

/* Return the path of a file, or of a module's file, as LLDB has it. */
std::string find_file_path(const lldb::SBFileSpec &file);
std::string find_module_path(lldb::SBModule &module);

/* List the directories in a setting of LLDB. */
std::vector<std::string> list_setting(lldb_session *session, const char *name);

/*
 * Return the path of a build's file in a build-ID tree, or an empty string if no path can be
 * formed.
 */
std::string name_build_file(struct cairn_bytes build_id, const std::string &root,
                            const char *extension);

/* Return true for a core. LLDB reads only the memory that a core contains. */
bool is_core(const lldb_session *session);

/*
 * Give LLDB the files of a core's modules that it lacks, and print their paths or a suggestion.
 * Done once for each command. The memory of these modules can be read afterwards.
 */
void complete_core(struct command_call *call);

std::shared_ptr<struct locator> make_locator();

/* Describe a loaded module. Returns false if it is not loaded. */
bool describe_module(lldb::SBTarget &target, lldb::SBModule &module,
                     struct cairn_host_module *report);

/* Report LLDB's loaded modules to the space. Returns false if memory is short. */
bool report_lldb_modules(lldb_session *session);

/*
 * Answers LLDB 17 and newer when it asks for the files of a module before reading them. A module
 * without debug information gets one of cairn's objects as its debug file, so that its symbols
 * exist when breakpoints are resolved. LLDB asks on threads of its own.
 */

/*
 * Register the callback with LLDB, if LLDB supports it. Its answers are made from the session's
 * files.
 */
void locator_begin(lldb_session *session);

/* Pass on the files that the user has given so far, and the search directories. */
void locator_update(lldb_session *session);

/*
 * Add the objects that LLDB has received since the last call to the session, as if "symbols load"
 * had loaded them.
 */
void locator_adopt(lldb_session *session);

#endif
