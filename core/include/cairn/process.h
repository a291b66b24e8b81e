/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the crash, modules and files of the program whose stacks are open.
 *
 *	struct cairn_crash crash = CAIRN_SIZED(struct cairn_crash);
 *	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);
 *	cairn_stacks_crash(stacks, &crash);
 *	if (crash.name)
 *		printf("%s, %s\n", crash.name, crash.text);
 *	for (size_t i = 0; cairn_stacks_module(stacks, i, &module); i++)
 *		printf("%.*s\n", (int)module.path.size, (const char *)module.path.data);
 */
#ifndef CAIRN_INCLUDE_PROCESS_H
#define CAIRN_INCLUDE_PROCESS_H

#include <cairn/base.h>
#include <cairn/stack_source.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Return the number of problems in the source, counting at most 64, and store the first problem in
 * *fault, which may be NULL.
 */
CAIRN_API size_t cairn_stacks_problems(const struct cairn_stacks *stacks,
                                       struct cairn_fault *fault);

/* A problem with one part of the source. The other parts have been read nevertheless. */
struct cairn_source_problem {
	size_t size;
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
	size_t size;
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

/* Describe the program in *process. */
CAIRN_API void cairn_stacks_process(const struct cairn_stacks *stacks,
                                    struct cairn_process *process);

/* The signal or exception that terminated the program. */
enum { CAIRN_CRASH_TEXT = 256 };
struct cairn_crash {
	size_t size;
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

/* Describe the crash in *crash. */
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
	size_t size;
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

/* Return the number of modules. */
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

/*
 * Return the contents of the program's perf map if it has been used to symbolize JIT code,
 * otherwise empty bytes. They live as long as the stacks.
 */
CAIRN_API struct cairn_bytes cairn_stacks_perf_map(const struct cairn_stacks *stacks);

#ifdef __cplusplus
}
#endif

#endif
