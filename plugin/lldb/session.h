/* SPDX-License-Identifier: MIT */
/*
 * The state that the plugin keeps for each SBDebugger and for each call of a command.
 *
 * LLDB's classes are handles and do not throw. Only allocations may throw here, and
 * run_lldb_command() catches their exceptions before they reach LLDB.
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
	std::vector<uint8_t> bytes; /* contents of the file; empty until read */
	/* contents of the program's SFrame file; empty if not found or not yet read */
	std::vector<uint8_t> sframe_file;
};

/* Read a program's description. Returns false if the file is unsuitable for creating an object. */
bool read_program(const std::string &path, struct module_file *file);

/*
 * Read the whole file into file->bytes, which stays empty if the file cannot be read or is too
 * large.
 */
void read_file_bytes(struct module_file *file);

/*
 * Read a separate SFrame file for a program without unwind tables. `named` contains the files that
 * the user has specified; `directories` may be NULL. Returns false if no SFrame file is found.
 */
bool read_sframe_file(struct module_file *file, const struct side_files *named,
                      const char *directories);

/*
 * Return true if LLDB can unwind the program only with an object generated from its .sframe, or
 * from unwind data like .eh_frame in a section with another name.
 */
bool has_frames_alone(const struct cairn_program *program);

/*
 * Describe the module from its file, with file addresses as if it were not loaded. The result
 * points into *file.
 */
struct symbol_target describe_file(const struct module_file *file);

/*
 * Create a sealed object with these symbols, or with only call frame information if `symbols` is
 * NULL. The file's contents, and its SFrame file's contents if there is one, must have been read.
 * Returns a descriptor, which the caller closes, or -1. Stores the number of functions in
 * *functions.
 */
int make_file_object(const struct module_file *file, const struct cairn_symbols *symbols,
                     uint64_t offset, uint64_t *functions);

/*
 * Reads the memory of a process on this machine through the kernel, because reading through LLDB is
 * slower.
 */
class local_memory
{
      public:
	~local_memory()
	{
		forget();
	}
	void forget(); /* call this when the process has changed */
	/*
	 * Read memory. Returns the number of bytes read, or 0 if the caller must read through LLDB.
	 */
	size_t read(lldb::SBTarget &target, uint64_t address, void *buffer, size_t size);

      private:
	bool tried = false; /* opening `fd` has been attempted for the current process */
	int fd = -1;        /* descriptor of /proc/PID/mem, or -1 */
};

/* thrown when the user presses Ctrl-C; unwinds through the library, which restores its state */
struct interruption {
};

struct capture_view {
	lldb::SBTarget shown, before;
};

struct lldb_session : session {
	lldb::SBDebugger lldb;
	lldb::SBTarget target; /* target that was selected when the current command began */
	/* unique ID of the process, different in each run; 0 without a process */
	uint32_t process;
	std::atomic_flag busy = ATOMIC_FLAG_INIT;
	bool interruptible;
	local_memory local;

	struct module_file file; /* file of the module that the loader has read last */
	std::shared_ptr<struct locator> locator;

	bool hooked; /* the hooks for new modules have been installed */
	std::vector<lldb::user_id_t> hooked_targets;
	std::map<uint64_t, capture_view> views;
	uint64_t last_view;
	/* hash of the list of modules at auto-symbols' last check; 0 before the first check */
	uint64_t followed;
};

struct lldb_call : command_call {
	std::string output;
	std::string error;
	bool completed = false; /* complete_core() has been called during this command */

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

/* Return the session for a debugger's number, or NULL if the debugger no longer exists. */
std::shared_ptr<lldb_session> find_lldb_session(lldb::user_id_t debugger);
void keep_lldb_session(lldb::user_id_t debugger, const std::shared_ptr<lldb_session> &session);

enum answer show_lldb_capture(struct command_call *call, struct shown_capture *shown);
enum answer find_lldb_view(struct command_call *call, uint64_t *view);
enum answer hide_lldb_capture(struct command_call *call, const struct shown_capture *shown);

/* Register the commands, replacing existing ones. Returns false if LLDB rejects them. */
bool add_lldb_commands(const std::shared_ptr<lldb_session> &session);

/* Run all steps of a command, and store its output in *call. Does not throw. */
void run_lldb_command(lldb_session *session, const struct command *command,
                      const struct words *words, lldb_call *call);

/*
 * Before "target create" opens a program at a fixed address with a core, load the program's
 * symbols. `words` are that command's words, terminated by a null pointer. `follow` is the command
 * that loads symbols for new modules.
 */
void prepare_fixed_program(lldb_session *session, const char *const *words,
                           const struct command *follow);

/*
 * Start watching for libraries that are not loaded yet and for which the user has specified a file.
 */
void follow_given(lldb_session *session);

/*
 * Throw `interruption` if the user has interrupted the current command. `context` is the
 * lldb_session.
 */
void poll_interrupt(void *context);

bool run_in_lldb(lldb_session *session, const std::string &line);

/* Return true if there is a stopped process or a core. */
bool is_process_stopped(const lldb_session *session);

/* Implements cairn_target.read_memory(). `context` is the lldb_session. */
enum cairn_status read_lldb_memory(void *context, uint64_t address, void *buffer, size_t size);

/* Return the target's machine, or CAIRN_MACHINE_NONE if cairn does not support it. */
enum cairn_machine find_machine(lldb::SBTarget &target, bool *big_endian);

void read_lldb_registers(lldb::SBTarget &target, lldb::SBFrame &frame,
                         struct cairn_registers *registers);

std::string find_file_path(const lldb::SBFileSpec &file);
std::string find_module_path(lldb::SBModule &module);

std::vector<std::string> list_setting(lldb_session *session, const char *name);

std::string name_build_file(struct cairn_bytes build_id, const std::string &root,
                            const char *extension);

/*
 * Return true if the target is a core file. LLDB then reads only memory that the core contains
 * until complete_core() provides the modules' files.
 */
bool is_core(const lldb_session *session);

/*
 * Give LLDB the files for the core's modules that LLDB has not found, and print the files' paths
 * or, if a file is missing, advice. Afterwards the memory of these modules can be read. Runs only
 * once per command.
 */
void complete_core(struct command_call *call);

std::shared_ptr<struct locator> make_locator();

bool describe_module(lldb::SBTarget &target, lldb::SBModule &module,
                     struct cairn_host_module *report);

bool report_lldb_modules(lldb_session *session);

/*
 * Provides debug files when LLDB 17 or newer asks for a module's files before it reads them. A
 * module without debug information gets one of cairn's symbol objects as its debug file, so that
 * symbols exist when breakpoints are resolved. LLDB asks on its own threads.
 */

/* Register the locator's callback with LLDB, if LLDB supports it. */
void locator_begin(lldb_session *session);

/* Update the locator's copy of the user's symbol files and search directories. */
void locator_update(lldb_session *session);

/*
 * Register in the session the objects that LLDB has received since the last call of this function,
 * as if "symbols load" had loaded them.
 */
void locator_adopt(lldb_session *session);

#endif
