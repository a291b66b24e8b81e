/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a program's stacks at one moment, with symbolized frames, as in `cairn bt`.
 * They come from a core file, a minidump or a running process. Names from DWARF need libcairn-dwarf
 * (cairn/dwarf.h).
 */
#ifndef CAIRN_INCLUDE_STACKS_H
#define CAIRN_INCLUDE_STACKS_H

#include <cairn/base.h>
#include <cairn/rules.h>
#include <cairn/space.h>
#include <cairn/symbolizer.h>
#include <cairn/symbols.h>
#include <cairn/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program at one moment:
 *
 *	struct cairn_stacks *stacks;
 *	struct cairn_stack_frame frame;
 *	if (cairn_stacks_open_process(1234, &stacks, &error) == CAIRN_OK) {
 *		for (size_t i = 0; i < cairn_stacks_threads(stacks); i++)
 *			for (bool more = cairn_stacks_begin(stacks, i); more; more = cairn_stacks_next(stacks)) {
 *				cairn_stacks_frame(stacks, &frame);
 *				...
 *			}
 *		cairn_stacks_close(stacks);
 *	}
 *
 * Memory that is missing from the source is read from the files of the program's modules. cairn
 * searches for these files at the paths that the program used (for a process, in the process's
 * mount namespace) and in /usr/lib/debug/.build-id. A file is used only if its build ID matches the
 * module's, or, without a build ID, its headers do.
 */
struct cairn_stacks;

/*
 * Open a Linux core file or a minidump. A core is read as a stream, which takes at most 32 MB of
 * memory plus 64 MB for stacks and 64 MB for a Swift program's heap, whatever the size of the core;
 * a minidump is copied. Returns UNREADABLE if the file cannot be opened; MALFORMED or UNSUPPORTED
 * if it has neither format or is compressed; NO_MEMORY. *error has the details; `error` may be NULL
 * in all functions in this header. The caller closes *stacks. From a truncated or damaged core,
 * everything readable is used: see cairn_stacks_problems().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_file(const char *path,
                                                                  struct cairn_stacks **stacks,
                                                                  struct cairn_error *error);

/*
 * Open a core file or minidump from a file descriptor, starting at its current position. The
 * descriptor may be a pipe, which is read as data arrives. The caller closes the descriptor. For a
 * compressed core, pass a pipe from a program or thread that decompresses it (`zstd -dc core.zst`),
 * so that the library does not need a decompression library.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_descriptor(
	int fd, struct cairn_stacks **stacks, struct cairn_error *error);

/*
 * Open a running process. Stops all threads of the process, copies their registers and stacks (at
 * most 8 MiB per stack and 512 MiB in total), and resumes them; with 500 threads this takes about
 * 10 ms. The caller must be allowed to ptrace the process, and a process cannot open itself. The
 * library starts a thread for this, which has ended when the function returns. Returns NOT_FOUND if
 * there is no such process; UNREADABLE if the process may not be traced; UNSUPPORTED on machines
 * other than amd64 (with its 32-bit programs), aarch64 and s390x; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_process(uint64_t pid,
                                                                     struct cairn_stacks **stacks,
                                                                     struct cairn_error *error);

/*
 * Input size for inputs whose size is unknown or does not reflect their contents. Limits on work
 * and output are proportional to the size of the input; this number is used as the size of a
 * running process, and as the maximum size of a compressed stream.
 */
enum { CAIRN_STACKS_INPUT_WORTH = 1 << 25 };

/*
 * A core file whose bytes arrive in order, such as the output of a decompressor. read() and skip()
 * return less than the requested number only at the end.
 */
struct cairn_stacks_stream {
	size_t (*read)(void *context, void *buffer, size_t size);
	uint64_t (*skip)(void *context, uint64_t size);
	/*
	 * Return the maximum number of bytes that the library may keep of the data read so far.
	 * NULL sets no limit.
	 */
	uint64_t (*allow)(void *context);
	void *context;
	/* the input is compressed, so limits treat it as at most CAIRN_STACKS_INPUT_WORTH bytes */
	bool packed;
};

/*
 * Source for cairn_stacks_open(), and the callbacks and files that it uses. Initialize with
 * CAIRN_STACKS_OPTIONS.
 */
struct cairn_stacks_options {
	size_t size;

	/* Source: the first of the following members that is set. */
	uint64_t pid;                             /* process ID of a running process */
	const struct cairn_stacks_stream *stream; /* stream that cairn_stacks_open() reads */
	/* the whole core file or minidump, borrowed until the stacks are closed */
	struct cairn_bytes bytes;
	/*
	 * path of a core file or minidump; if `stream` or `bytes` is set, the path that they come
	 * from, or NULL
	 */
	const char *path;
	int fd; /* open descriptor of a core file or minidump, or -1 */

	/* path of a file that may belong to the program or another module, or NULL */
	const char *program;
	/* maximum number of frames per stack; 0 derives a limit from the size of the input */
	uint64_t frames;

	/*
	 * Search options for files and names; NULL selects CAIRN_SYMBOLIZER_OPTIONS. Only folders,
	 * sysroot, no_system_folders, no_cache, files and fetch are used.
	 */
	const struct cairn_symbolizer_options *search;
	/* symbol sources in addition to a symbolizer's built-in ones */
	const struct cairn_symbol_source *const *sources;
	size_t source_count;

	/*
	 * Decompress a compressed section in an ELF file, or the ELF file in its .gnu_debugdata,
	 * into a buffer of *size bytes allocated with malloc(). Returns OK on success. If NULL, the
	 * tables in such sections are not used.
	 */
	enum cairn_status (*unpack)(struct cairn_bytes file, const char *section, void **memory,
	                            size_t *size);
	/*
	 * Return descriptors for files that the host opened while the process was running: the file
	 * of the module whose first byte in memory is at `low`, and the process's jitdump or perf
	 * map. Each function returns a descriptor, which the library closes, or -1. NULL if the
	 * host has no such files.
	 */
	int (*open_module)(void *context, uint64_t low, struct cairn_bytes path);
	int (*open_jit)(void *context);
	/*
	 * Return a thread's name if the host knows it (a core contains no thread names), otherwise
	 * an empty string. The string must live as long as the stacks. NULL disables the callback.
	 */
	struct cairn_bytes (*name_thread)(void *context, uint64_t tid);
	/*
	 * Called for each module whose headers are not in the core and whose file has not been
	 * found; `path` is empty if it is the program's file. NULL disables the callback.
	 */
	void (*missing)(void *context, struct cairn_bytes path);
	void (*opened)(void *context,
	               /* called with the size of each file that is used, except for the source */
	               uint64_t size);
	void *context;
	/*
	 * when reading a stream, also keep the registers in the form that cairn_minidump_write()
	 * needs, which takes 850 bytes per thread
	 */
	bool keep_registers;
};
#define CAIRN_STACKS_OPTIONS                                                                     \
	{                                                                                        \
		sizeof(struct cairn_stacks_options), 0, NULL, CAIRN_NO_BYTES, NULL, -1, NULL, 0, \
			NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false           \
	}

/*
 * Open the source that the options describe. The three functions above are shorthands for this
 * function, which fails with the same statuses. The bytes and strings in the options must live as
 * long as the stacks, unlike `stream`, `search` and `sources`. The caller closes *stacks.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open(
	const struct cairn_stacks_options *options, struct cairn_stacks **stacks,
	struct cairn_error *error);

/*
 * Check that the file in options->program belongs to the program or to another module. The build
 * IDs are compared, or the headers if there is no build ID. Call this after walking the stacks,
 * because walks find modules that the source does not list. Returns OK if the file belongs to a
 * module, and also if options->program is NULL. Otherwise the file is ignored from now on, and
 * *error has the reason: UNREADABLE with errno if the file cannot be opened, MISMATCH if no module
 * has its build ID, MALFORMED, TRUNCATED or UNSUPPORTED if it is not an ELF file that cairn reads.
 */
CAIRN_API enum cairn_status cairn_stacks_check_program(struct cairn_stacks *stacks,
                                                       struct cairn_error *error);

/* Free the stacks and all data that the functions below return. NULL is allowed. */
CAIRN_API void cairn_stacks_close(struct cairn_stacks *stacks);

/*
 * Return the number of problems in the source, counting at most 64, and store the first problem in
 * *fault, which may be NULL.
 */
CAIRN_API size_t cairn_stacks_problems(const struct cairn_stacks *stacks,
                                       struct cairn_fault *fault);

/* A problem with one part of the source. The other parts have been read nevertheless. */
struct cairn_source_problem {
	const char *part; /* "notes", "segments", "thread list"; a constant */
	/*
	 * location of the problem: fault.offset is an offset in the source or, for "threads" of a
	 * process, a thread ID, and for "JIT code", an address in the program
	 */
	struct cairn_fault fault;
};

/*
 * Describe the problem with the index `number` in *problem. Returns false if there is no such
 * problem.
 */
CAIRN_API bool cairn_stacks_problem(const struct cairn_stacks *stacks, size_t number,
                                    struct cairn_source_problem *problem);

enum cairn_stacks_kind {
	CAIRN_STACKS_CORE,
	CAIRN_STACKS_MINIDUMP,
	CAIRN_STACKS_PROCESS,
};

/*
 * A program. Strings live as long as the stacks, may contain any bytes, and are empty if unknown.
 */
struct cairn_process {
	enum cairn_stacks_kind kind;
	/* NONE if unknown, or if cairn cannot unwind this machine's stacks */
	enum cairn_machine machine;
	const char *machine_name;        /* constant string such as "ppc64"; NULL if unknown */
	uint64_t pid;                    /* 0 if unknown */
	struct cairn_bytes program;      /* path of the executable, or its short name */
	struct cairn_bytes command_line; /* arguments joined by spaces; may be truncated */
	struct cairn_bytes auxv;         /* raw auxiliary vector as written by the kernel */
	/* number of threads, mappings and modules that have been skipped because of limits */
	size_t left_out;
};

CAIRN_API void cairn_stacks_process(const struct cairn_stacks *stacks,
                                    struct cairn_process *process);

/* The signal or exception that terminated the program. */
enum { CAIRN_CRASH_TEXT = 256 };
struct cairn_crash {
	bool known;      /* false if the program has not crashed; all other fields are then zero */
	uint32_t signal; /* 0 if there was no signal */
	int32_t code;    /* si_code of the signal */
	/*
	 * signal name, such as "SIGSEGV"; NULL if unknown; this and the next two strings are
	 * constants
	 */
	const char *name;
	/* description of the signal, such as "Segmentation fault"; NULL if `name` is NULL */
	const char *text;
	/* name of the signal code, such as "SEGV_MAPERR"; NULL if the code has no name */
	const char *code_name;
	uint32_t exception; /* exception code in a Windows or macOS minidump, otherwise 0 */
	bool has_address;
	uint64_t address; /* address whose access failed; valid if has_address */
	/*
	 * Describes `address` with a lower-case phrase, such as "null pointer". Empty if the signal
	 * code does not indicate an access to an address.
	 */
	char accessed[CAIRN_CRASH_TEXT];
	bool has_sender; /* another process has sent the signal */
	uint64_t sender, sender_user;
};

CAIRN_API void cairn_stacks_crash(const struct cairn_stacks *stacks, struct cairn_crash *crash);

/*
 * Return the name of a Linux signal, a constant such as "SIGSEGV", or NULL if the signal has no
 * name.
 */
CAIRN_API const char *cairn_signal_name(uint64_t signal);

/*
 * Copy the message that the C library or Swift's runtime printed before it ended the program, for
 * example because of a failed assertion or heap corruption, to `text`. Optimized Swift code traps
 * without a message; its debug information supplies the reason, such as "Swift runtime failure:
 * arithmetic overflow". The message has no trailing newlines and no NUL, but may contain any other
 * bytes. Returns its size, at most CAIRN_ABORT_MESSAGE, or 0 if there is no message. In a running
 * process, the message may be stale unless a thread is in a signal handler.
 */
enum { CAIRN_ABORT_MESSAGE = 1024 };
CAIRN_API size_t cairn_stacks_abort_message(struct cairn_stacks *stacks,
                                            char text[CAIRN_ABORT_MESSAGE]);

/* A program, a library or another image in memory. Strings live as long as the stacks. */
struct cairn_loaded_module {
	uint64_t low, high; /* pc range, from the first mapped byte to just past the last */
	/*
	 * pc to which module offsets are relative: `low`, unless a range of the module is mapped
	 * twice
	 */
	uint64_t start;
	bool has_bias;
	uint64_t bias; /* pc = va + bias; valid if has_bias */
	/* this is a second copy of a module's code, mapped without the ELF headers */
	bool remapped;
	struct cairn_bytes path;     /* path in the program's view; may be empty */
	struct cairn_bytes build_id; /* empty if the build ID is absent or unknown */
	struct cairn_bytes package;  /* JSON from the module's .note.package; may be empty */
	/* path of the file that has been found for the module; otherwise empty */
	struct cairn_bytes file;
	/* constant reason why no file has been found; NULL if cairn has not searched for it */
	const char *file_missing;
};

CAIRN_API size_t cairn_stacks_modules(const struct cairn_stacks *stacks);

/*
 * Describe the module with the index `number` in *module, as far as it is known without further
 * searches. Returns false if there is no such module.
 */
CAIRN_API bool cairn_stacks_module(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_loaded_module *module);

/*
 * Search for the files of all modules. Walks search only for the files of modules that contain one
 * of their frames.
 */
CAIRN_API void cairn_stacks_find_files(struct cairn_stacks *stacks);

/*
 * Search for the file of the module that contains `pc`, and describe the module in *module. Returns
 * false if no module contains `pc`.
 */
CAIRN_API bool cairn_stacks_module_at(struct cairn_stacks *stacks, uint64_t pc,
                                      struct cairn_loaded_module *module);

struct cairn_thread {
	uint64_t tid;
	/* name of the thread, which lives as long as the stacks; empty if unknown */
	struct cairn_bytes name;
	bool crashed;    /* the program crashed in this thread; true for at most one thread */
	bool stack_cut;  /* only a part of the thread's stack is available */
	uint32_t signal; /* signal that has stopped the thread, or 0 */
	/*
	 * time for which the thread was stopped to copy its stack; 0 if unknown or if the source is
	 * not a process
	 */
	uint64_t stop_nanoseconds;
	/* registers.machine is NONE if the registers are unknown */
	struct cairn_registers registers;
};

/* Return the number of threads. In a core, the crashed thread comes first. */
CAIRN_API size_t cairn_stacks_threads(const struct cairn_stacks *stacks);

/*
 * Describe the thread with the index `number` in *thread. Returns false if there is no such thread.
 */
CAIRN_API bool cairn_stacks_thread(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_thread *thread);

/*
 * A frame. Inlined calls have no frames of their own; they are additional names for the frame into
 * which they are inlined.
 */
struct cairn_stack_frame {
	uint64_t level; /* 0 for the innermost frame */
	uint64_t pc;
	/* pc for looking up names, which is inside the call if `pc` is a return address */
	uint64_t lookup;
	uint64_t cfa; /* 0 if unknown */
	/* method by which this frame was found; NONE if it comes from the registers */
	enum cairn_unwind_method found;
	/* method by which the frame's caller was found; NONE if no caller was found */
	enum cairn_unwind_method by;
	bool signal; /* the frame is a signal trampoline, to which a signal handler returns */
	/* nothing proves that this frame is the caller of the previous one */
	bool guessed;
	/* path of the module that contains `pc`; data is NULL if no module contains it */
	struct cairn_bytes module;
	struct cairn_bytes build_id; /* build ID of the module that contains `pc`; may be empty */
	uint64_t module_offset;      /* offset of `pc` from the module's first byte in memory */
	bool has_va;
	uint64_t va; /* link-time address of `pc`; valid if has_va */
	/*
	 * Number of the handled signal if `signal` is set. It is known on aarch64, and on amd64 if
	 * the handler uses SA_SIGINFO; otherwise 0.
	 */
	uint32_t handled;
	/*
	 * The frame belongs to a suspended Swift async function. It is not on the stack: its data
	 * is on the heap, and `pc` is the address at which the function resumes when its callee
	 * returns. In a thread's walk, such frames follow the innermost async function's frame and
	 * are its callers. `cfa`, `found` and `by` are 0.
	 */
	bool async;
};

/*
 * Begin to walk a thread's stack at its innermost frame; `number` is the thread's index. Returns
 * false if the thread's registers are unknown. Only one walk exists at a time, so this ends the
 * previous walk.
 */
CAIRN_API bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number);

/*
 * Move to the caller's frame. Returns false at the end of the stack, and after at most 2^20 frames.
 * The total over all stacks is limited to 2^18 frames plus one per 16 bytes of input, but at most
 * 2^21.
 */
CAIRN_API bool cairn_stacks_next(struct cairn_stacks *stacks);

/*
 * Describe the current frame in *frame; its strings live as long as the stacks. Call this only
 * after cairn_stacks_begin() or cairn_stacks_next() has returned true.
 */
CAIRN_API void cairn_stacks_frame(struct cairn_stacks *stacks, struct cairn_stack_frame *frame);

/*
 * Tasks of Swift's concurrency runtime (Swift 6.1 and newer on amd64 and aarch64). A running task
 * has its inner frames on a thread's stack.
 */
enum cairn_task_state {
	CAIRN_TASK_RUNNING,
	CAIRN_TASK_WAITING,
	CAIRN_TASK_ENQUEUED, /* ready to run */
};

enum cairn_task_wait {
	CAIRN_TASK_WAITS_NOT,
	CAIRN_TASK_WAITS_TASK,
	CAIRN_TASK_WAITS_CONTINUATION,
	CAIRN_TASK_WAITS_GROUP,
	CAIRN_TASK_WAITS_EXECUTOR, /* usually an actor */
};

enum { CAIRN_TASK_NAME = 1024 };
struct cairn_task {
	uint64_t id, address;
	uint64_t parent; /* ID of the parent task, or 0 */
	enum cairn_task_state state;
	enum cairn_task_wait waits_for;
	uint64_t on; /* ID of the awaited task, or 0 unless waits_for is CAIRN_TASK_WAITS_TASK */
	/*
	 * ID of the thread that runs the task; 0 if no thread runs it, or if the stack of that
	 * thread has not been walked
	 */
	uint64_t tid;
	uint8_t priority;
	bool cancelled;
	/* size of `name`, which may contain any bytes except NUL; 0 if the task has no name */
	size_t name_size;
	char name[CAIRN_TASK_NAME];
	/* type of the awaited actor, such as "main.Bee"; empty if unknown */
	char actor[CAIRN_TASK_NAME];
};

/*
 * Search the program's memory for live tasks, and set *count to their number. Only the first
 * successful call searches. Returns NULL, or the reason why tasks cannot be found; the string lives
 * at least as long as the stacks.
 */
CAIRN_API const char *cairn_stacks_find_tasks(struct cairn_stacks *stacks, size_t *count);

/*
 * Describe in *task the task with index `number` in the list found by cairn_stacks_find_tasks(),
 * which is sorted by ID. Returns false if the index is out of range.
 */
CAIRN_API bool cairn_stacks_task(struct cairn_stacks *stacks, size_t number,
                                 struct cairn_task *task);

/*
 * Begin to walk a task's stack, like cairn_stacks_begin(); `number` is the task's index. A running
 * task's walk begins at the innermost async function's frame on its thread. Returns false if the
 * index is out of range, if the task is running on a thread that has not been walked, or if its
 * frames cannot be read.
 */
CAIRN_API bool cairn_stacks_begin_task(struct cairn_stacks *stacks, size_t number);

/*
 * Return the ID of the task that runs on the most recently walked thread, or 0 if no such task is
 * known. The walk finds the ID, so call this at its end.
 */
CAIRN_API uint64_t cairn_stacks_running_task(const struct cairn_stacks *stacks);

/*
 * Return the rule that leads from the current frame to its caller, valid until cairn_stacks_next().
 * The rule is empty if no unwind table contains one.
 */
CAIRN_API const struct cairn_rule *cairn_stacks_rule(const struct cairn_stacks *stacks);

/* reasons why a stack ended */
enum cairn_stack_end_kind {
	CAIRN_STACK_GOES_ON,
	CAIRN_STACK_OUTERMOST,  /* the last frame is the outermost frame */
	CAIRN_STACK_UNKNOWN,    /* no caller has been found */
	CAIRN_STACK_LIMIT,      /* the maximum number of frames has been reached */
	CAIRN_STACK_CIRCLE,     /* a frame has occurred twice */
	CAIRN_STACK_NO_CONTEXT, /* the registers are unknown or belong to another machine */
};

struct cairn_stack_end {
	enum cairn_stack_end_kind kind;
	/* a frame has been guessed, so frames between it and the previous frame may be missing */
	bool guesses;
	bool complete; /* the kind is OUTERMOST and no frame has been guessed */
	/* stable identifier for machine-readable output; a constant, like the next two strings */
	const char *name;
	const char *why;     /* English phrase in lower case that describes why the stack ended */
	const char *missing; /* data whose absence may have ended the stack; NULL if unknown */
	struct cairn_fault fault; /* damage in the unwind table if `name` is "bad-table" */
};

/*
 * Describe in *end why the stack ended. Call this after cairn_stacks_next() or cairn_stacks_begin()
 * has returned false.
 */
CAIRN_API void cairn_stacks_end(struct cairn_stacks *stacks, struct cairn_stack_end *end);

/*
 * Write a signature of the crash, 64 hexadecimal digits and a NUL. It is computed without symbols
 * and is equal for equal crashes of one build (docs/fleet.md). This walks the thread's innermost
 * frames, which ends the previous walk. Returns false and an empty string if the thread has neither
 * crashed nor is handling a signal that would terminate the program, if no frame is in a module, if
 * the limit for frames ends the stack too early, or if allocation fails.
 */
enum { CAIRN_ADDRESS_SIGNATURE = 65 };
CAIRN_API bool cairn_stacks_address_signature(struct cairn_stacks *stacks, size_t number,
                                              char text[CAIRN_ADDRESS_SIGNATURE]);

/* Maximum number of calls inlined into each other at one pc; deeper calls are dropped. */
enum { CAIRN_STACK_NAMES = 64 };

/*
 * Look up the names at a pc: the innermost inlined call first, and the function last. Returns the
 * number of filled locations, at most `room`, or 0 if no source covers the pc. Sources are queried
 * in the order of their ranks (cairn/symbolizer.h): a symbolizer's built-in sources and the sources
 * in the options; for a minidump also a Breakpad file at DIR/NAME/ID/NAME.sym (rank 110); for a Go
 * program its function table (rank 300); and for JIT code the program's jitdump and perf map.
 * Strings live as long as the stacks.
 */
CAIRN_API size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                                    struct cairn_location *locations, size_t room);

/*
 * Look up the names at `count` pcs, in any order, for later calls of cairn_stacks_names(). This
 * takes a fraction of the time of single lookups and has no other effect. Use it if the addresses
 * are known in advance.
 */
CAIRN_API void cairn_stacks_prepare_names(struct cairn_stacks *stacks, const uint64_t *pcs,
                                          size_t count);

/*
 * Return the demangled name of the current frame's innermost function, or "??" if it is unknown.
 * The name ends with a NUL, has a '?' for each character that could send commands to a terminal,
 * and lives until the next call.
 */
CAIRN_API const char *cairn_stacks_function(struct cairn_stacks *stacks);

/*
 * Return the contents of the program's perf map if it has been used to symbolize JIT code,
 * otherwise empty bytes. They live as long as the stacks.
 */
CAIRN_API struct cairn_bytes cairn_stacks_perf_map(const struct cairn_stacks *stacks);

#ifdef __cplusplus
}
#endif

#endif
