/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the stacks of a program at one moment, with names, from a core file, a
 * minidump or a running process, as `cairn bt` shows them. Names from DWARF need libcairn-dwarf
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
 * Memory that is missing from the source comes from the files of the program's modules. They are
 * looked for at the paths that the program used (for a process, in its own view of the file system)
 * and in /usr/lib/debug/.build-id. A file is used only if its build ID matches the module's, or,
 * without a build ID, its headers do.
 */
struct cairn_stacks;

/*
 * Open a Linux core file or a minidump. A core is read as a stream, so that it costs at most 32 MB
 * plus 64 MB for stacks, whatever its size; a minidump is copied. Returns UNREADABLE if the file
 * cannot be opened; MALFORMED or UNSUPPORTED if it has neither format or is compressed; NO_MEMORY.
 * *error has the details, and `error` may be NULL in all calls of this part. The caller closes
 * *stacks. A core that is truncated or damaged gives what could be read: see
 * cairn_stacks_problems().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_file(const char *path,
                                                                  struct cairn_stacks **stacks,
                                                                  struct cairn_error *error);

/*
 * Open a core file or minidump from a file descriptor, starting at its current position: a file, or
 * a pipe, whose bytes are read as they arrive. The caller closes the descriptor. For a compressed
 * core, pass the pipe of a program or thread that decompresses it (`zstd -dc core.zst`), so that
 * the library does not need a decompression library.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_descriptor(
	int fd, struct cairn_stacks **stacks, struct cairn_error *error);

/*
 * Open a running process. Interrupts all its threads while it copies their registers and stacks (at
 * most 8 MiB of each stack and 512 MiB of all; stopping 500 threads takes some 10 ms), and resumes
 * them. The calling process must be allowed to trace the process and must not be that process
 * itself. A thread of the library does the work and has ended when the function returns. Returns
 * NOT_FOUND if there is no such process; UNREADABLE if it may not be traced; UNSUPPORTED on
 * machines other than amd64 (with its 32-bit programs), aarch64 and s390x; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_process(uint64_t pid,
                                                                     struct cairn_stacks **stacks,
                                                                     struct cairn_error *error);

/*
 * input size assumed for a running process, and at most for a compressed stream, where the size of
 * the input limits work and output
 */
enum { CAIRN_STACKS_INPUT_WORTH = 1 << 25 };

/*
 * A core file whose bytes arrive in order, such as the output of a decompressor. read() and skip()
 * return less than the requested number of bytes only at the end.
 */
struct cairn_stacks_stream {
	size_t (*read)(void *context, void *buffer, size_t size);
	uint64_t (*skip)(void *context, uint64_t size);
	/* number of bytes that may be kept so far; NULL sets no limit */
	uint64_t (*allow)(void *context);
	void *context;
	/* compressed input, which counts as at most 32 MiB for the limit on stacks */
	bool packed;
};

/*
 * Source of cairn_stacks_open(), and the callbacks and files that it uses. Begin with
 * CAIRN_STACKS_OPTIONS.
 */
struct cairn_stacks_options {
	size_t size; /* sizeof(struct cairn_stacks_options) */

	/* Source: the first of the following that is set. */
	uint64_t pid;                             /* a running process */
	const struct cairn_stacks_stream *stream; /* read while the stacks are opened */
	/* whole core file or minidump, borrowed until the stacks are closed */
	struct cairn_bytes bytes;
	/* path of a core file or minidump; with `stream` or `bytes`, their origin or NULL */
	const char *path;
	int fd; /* open descriptor, or -1 */

	const char *program; /* file that may belong to the program or another module, or NULL */
	/* maximum number of frames of a stack; 0 derives it from the size of the input */
	uint64_t frames;

	/*
	 * Search for files and names; NULL selects CAIRN_SYMBOLIZER_OPTIONS. Used fields: folders,
	 * sysroot, no_system_folders, no_cache, files, fetch.
	 */
	const struct cairn_symbolizer_options *search;
	/* used in addition to the sources that every symbolizer has */
	const struct cairn_symbol_source *const *sources;
	size_t source_count;

	/*
	 * Decompress a compressed section of an ELF file, or the ELF file in its .gnu_debugdata, to
	 * *size bytes allocated with malloc(). Returns OK on success. If NULL, the tables in such
	 * sections are not used.
	 */
	enum cairn_status (*unpack)(struct cairn_bytes file, const char *section, void **memory,
	                            size_t *size);
	/*
	 * Files that the host opened while the process still existed: the file of the module whose
	 * first byte in memory is at `low`, and the process's record of its JIT code. Each function
	 * returns a descriptor, which the library closes, or -1. NULL if the host has not opened
	 * any.
	 */
	int (*open_module)(void *context, uint64_t low, struct cairn_bytes path);
	int (*open_jit)(void *context);
	/*
	 * Return the name of a thread if the host knows it, because a core does not contain thread
	 * names; otherwise an empty string. The string lives as long as the stacks. May be NULL.
	 */
	struct cairn_bytes (*name_thread)(void *context, uint64_t tid);
	/*
	 * Called for each module whose headers are not in the core and whose file was not found;
	 * `path` is empty for the program. NULL disables the callback.
	 */
	void (*missing)(void *context, struct cairn_bytes path);
	void (*opened)(void *context,
	               /* called with the size in bytes of each further file that is used */
	               uint64_t size);
	void *context;
	/*
	 * Keep the register sets of a stream that cairn_minidump_write() puts into a minidump: 850
	 * bytes a thread.
	 */
	bool keep_registers;
};
#define CAIRN_STACKS_OPTIONS                                                                     \
	{                                                                                        \
		sizeof(struct cairn_stacks_options), 0, NULL, CAIRN_NO_BYTES, NULL, -1, NULL, 0, \
			NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false           \
	}

/*
 * Open the source that the options name; the three functions above are shorthands for it. The bytes
 * and strings of the options must live as long as the stacks, but not `stream`, `search` and
 * `sources`. Fails as these functions do, with *error. The caller closes *stacks.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open(
	const struct cairn_stacks_options *options, struct cairn_stacks **stacks,
	struct cairn_error *error);

/*
 * Check whether the file that the options name as `program` belongs to the program or another
 * module, by its build ID or, without one, by its headers. Call it after the walks, because they
 * find modules that the source does not list. Returns OK also if the options do not name a program.
 * After a failure the stacks are as if no program had been named, and *error has the reason:
 * UNREADABLE with errno if the file cannot be opened, MISMATCH if no module has its build,
 * MALFORMED, TRUNCATED or UNSUPPORTED if it is not an ELF file that cairn reads.
 */
CAIRN_API enum cairn_status cairn_stacks_check_program(struct cairn_stacks *stacks,
                                                       struct cairn_error *error);

/* Free the stacks and everything that the functions below lent. NULL is allowed. */
CAIRN_API void cairn_stacks_close(struct cairn_stacks *stacks);

/*
 * Return the number of problems with the source, of which at most 64 are kept, and store the first
 * in *fault, which may be NULL.
 */
CAIRN_API size_t cairn_stacks_problems(const struct cairn_stacks *stacks,
                                       struct cairn_fault *fault);

/* A problem with part of the source. The rest was read nevertheless. */
struct cairn_source_problem {
	const char *part;         /* "notes", "segments", "thread list"; a constant */
	struct cairn_fault fault; /* for a process, fault.offset is the number of a thread */
};

/*
 * Describe a problem with the source in *problem. Returns false if there is no problem of this
 * number.
 */
CAIRN_API bool cairn_stacks_problem(const struct cairn_stacks *stacks, size_t number,
                                    struct cairn_source_problem *problem);

enum cairn_stacks_kind {
	CAIRN_STACKS_CORE,
	CAIRN_STACKS_MINIDUMP,
	CAIRN_STACKS_PROCESS,
};

/*
 * Description of the program. Strings live as long as the stacks, may hold any byte, and are empty
 * if unknown.
 */
struct cairn_process {
	enum cairn_stacks_kind kind;
	enum cairn_machine machine;      /* NONE if unknown or if its stacks cannot be unwound */
	const char *machine_name;        /* a constant, such as "ppc64"; NULL if unknown */
	uint64_t pid;                    /* 0 if unknown */
	struct cairn_bytes program;      /* path of the executable, or its short name */
	struct cairn_bytes command_line; /* arguments joined by spaces; may be truncated */
	struct cairn_bytes auxv;         /* the auxiliary vector, as the kernel wrote it */
	size_t left_out; /* number of threads, mappings and modules beyond the limits */
};

/* Describe the program in *process. */
CAIRN_API void cairn_stacks_process(const struct cairn_stacks *stacks,
                                    struct cairn_process *process);

/* Signal or exception that ended the program. */
enum { CAIRN_CRASH_TEXT = 256 };
struct cairn_crash {
	bool known;       /* false if the program did not crash; then all other fields are zero */
	uint32_t signal;  /* 0 if there was no signal */
	int32_t code;     /* si_code of the signal */
	const char *name; /* "SIGSEGV"; a constant, like `text` and `code_name`; NULL if unknown */
	const char *text; /* "Segmentation fault"; NULL if `name` is NULL */
	const char *code_name; /* "SEGV_MAPERR"; NULL if the code has no name */
	uint32_t exception;    /* exception code in a Windows or macOS minidump, otherwise 0 */
	bool has_address;
	uint64_t address; /* address that was accessed; valid if has_address */
	/*
	 * Description of that address in a lower-case phrase ("null pointer"). Empty if the signal
	 * code does not indicate an access to an address.
	 */
	char accessed[CAIRN_CRASH_TEXT];
	bool has_sender; /* another process sent the signal */
	uint64_t sender, sender_user;
};

/* Describe the signal or exception that ended the program in *crash. */
CAIRN_API void cairn_stacks_crash(const struct cairn_stacks *stacks, struct cairn_crash *crash);

/* Return the name of a Linux signal ("SIGSEGV"), a constant, or NULL if it has no name. */
CAIRN_API const char *cairn_signal_name(uint64_t signal);

/*
 * Copy the message that the C library printed when it aborted the program (a failed assertion, heap
 * corruption) to `text`, without trailing newlines and without a NUL; it may hold any other byte.
 * Returns its size, at most CAIRN_ABORT_MESSAGE, or 0 if there is no message. For a running process
 * it is the current content of memory, which may be stale unless a thread is in a signal handler.
 */
enum { CAIRN_ABORT_MESSAGE = 1024 };
CAIRN_API size_t cairn_stacks_abort_message(struct cairn_stacks *stacks,
                                            char text[CAIRN_ABORT_MESSAGE]);

/* A program, a library or another image in memory. Strings live as long as the stacks. */
struct cairn_loaded_module {
	uint64_t low, high; /* pc, from the first mapped byte to just past the last */
	/* pc from which offsets count: `low`, except for a part that is mapped twice */
	uint64_t start;
	bool has_bias;
	uint64_t bias; /* pc = va + bias; valid if has_bias */
	/* copy of a module's code at another address, without headers before it */
	bool remapped;
	struct cairn_bytes path;     /* path as the program saw it; may be empty */
	struct cairn_bytes build_id; /* empty if absent or unknown */
	struct cairn_bytes package;  /* JSON string of .note.package; may be empty */
	/* path of the file that was found for it; empty if none was found */
	struct cairn_bytes file;
	/* constant string with the reason why no file was found; NULL if cairn did not search */
	const char *file_missing;
};

/* Return the number of modules. They are sorted by address. */
CAIRN_API size_t cairn_stacks_modules(const struct cairn_stacks *stacks);

/*
 * Describe a module in *module, with the data known so far. Returns false if there is no module of
 * this number.
 */
CAIRN_API bool cairn_stacks_module(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_loaded_module *module);

/*
 * Look for the files of all modules. A walk by itself looks only for the files of modules that
 * contain one of its frames.
 */
CAIRN_API void cairn_stacks_find_files(struct cairn_stacks *stacks);

/*
 * Look for the file of the module that contains `pc`, and fill *module. Returns false if no module
 * contains it.
 */
CAIRN_API bool cairn_stacks_module_at(struct cairn_stacks *stacks, uint64_t pc,
                                      struct cairn_loaded_module *module);

struct cairn_thread {
	uint64_t tid;
	struct cairn_bytes name; /* lives as long as the stacks; empty if unknown */
	bool crashed;    /* the program crashed in this thread; true for one thread at most */
	bool stack_cut;  /* part of the used stack was not saved */
	uint32_t signal; /* signal that stopped the thread, or 0 */
	/* time for which the thread was stopped; 0 if unknown or not a process */
	uint64_t stop_nanoseconds;
	struct cairn_registers registers; /* machine is NONE if unknown */
};

/* Return the number of threads. In a core, the crashed thread comes first. */
CAIRN_API size_t cairn_stacks_threads(const struct cairn_stacks *stacks);

/* Describe a thread in *thread. Returns false if there is no thread of this number. */
CAIRN_API bool cairn_stacks_thread(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_thread *thread);

/* A frame. Inlined calls do not have frames of their own; they are further names of this frame. */
struct cairn_stack_frame {
	uint64_t level; /* 0 is the innermost */
	uint64_t pc;
	uint64_t lookup; /* pc with which to look up names; before a return address */
	uint64_t cfa;    /* 0 if unknown */
	/* method that found the frame; NONE if it comes from the registers */
	enum cairn_unwind_method found;
	enum cairn_unwind_method by; /* method that found its caller; NONE if no caller was found */
	bool signal;                 /* a signal handler returns to it */
	/* nothing proves that it is the caller of the previous frame */
	bool guessed;
	struct cairn_bytes module;   /* path of the module; data is NULL outside of any module */
	struct cairn_bytes build_id; /* may be empty */
	uint64_t module_offset;      /* offset from the module's first byte in memory */
	bool has_va;
	uint64_t va; /* address of pc as the module was linked; valid if has_va */
	/*
	 * number of the handled signal if `signal` is set, known on aarch64 and for handlers with
	 * SA_SIGINFO on amd64; otherwise 0
	 */
	uint32_t handled;
};

/*
 * Go to the innermost frame of a thread. Returns false if its registers are unknown. There is one
 * walk at a time: this function ends the previous one.
 */
CAIRN_API bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number);

/*
 * Go to the caller. Returns false at the end of the stack, which is reached after 2^20 frames at
 * the latest. All stacks together have at most 2^18 frames plus one for each 16 bytes of input, and
 * at most 2^21.
 */
CAIRN_API bool cairn_stacks_next(struct cairn_stacks *stacks);

/*
 * Describe the current frame of the walk in *frame; the strings live as long as the stacks. Call it
 * only after cairn_stacks_begin() or cairn_stacks_next() returned true.
 */
CAIRN_API void cairn_stacks_frame(struct cairn_stacks *stacks, struct cairn_stack_frame *frame);

/*
 * Return the rule that leads from this frame to its caller, valid until cairn_stacks_next(). It is
 * empty if no unwind table has one.
 */
CAIRN_API const struct cairn_rule *cairn_stacks_rule(const struct cairn_stacks *stacks);

/* How a stack ended. */
enum cairn_stack_end_kind {
	CAIRN_STACK_GOES_ON,
	CAIRN_STACK_OUTERMOST,  /* the last frame is the outermost one */
	CAIRN_STACK_UNKNOWN,    /* no caller was found */
	CAIRN_STACK_LIMIT,      /* the limit on frames was reached */
	CAIRN_STACK_CIRCLE,     /* a frame was repeated */
	CAIRN_STACK_NO_CONTEXT, /* the registers are unknown or belong to another machine */
};

struct cairn_stack_end {
	enum cairn_stack_end_kind kind;
	bool guesses;             /* a frame was guessed, so frames before it may be missing */
	bool complete;            /* OUTERMOST, without guesses */
	const char *name;         /* name for scripts; a constant, like the next two strings */
	const char *why;          /* one lower-case phrase */
	const char *missing;      /* data whose absence may have ended the walk; NULL if unknown */
	struct cairn_fault fault; /* damage in the section if the name is "bad-table" */
};

/*
 * Fill *end with the reason why the walk ended, after cairn_stacks_next() or cairn_stacks_begin()
 * returned false.
 */
CAIRN_API void cairn_stacks_end(struct cairn_stacks *stacks, struct cairn_stack_end *end);

/*
 * Write a signature that equal crashes of one build share, computed without symbols
 * (docs/fleet.md): 64 hexadecimal digits and a NUL. It walks over the innermost frames of the
 * thread, which ends the previous walk. Returns false and an empty string if the program did not
 * crash in the thread and the thread is not handling a signal that would end the program, if no
 * frame is in a module, or if memory is short.
 */
enum { CAIRN_ADDRESS_SIGNATURE = 65 };
CAIRN_API bool cairn_stacks_address_signature(struct cairn_stacks *stacks, size_t number,
                                              char text[CAIRN_ADDRESS_SIGNATURE]);

/* Maximum number of calls inlined into each other at one pc; deeper calls are left out. */
enum { CAIRN_STACK_NAMES = 64 };

/*
 * Find the names at a pc: the innermost inlined call first, and the function last. Returns how many
 * of at most `room` locations were filled, 0 if nothing is known. The sources of a symbolizer are
 * used in the order of their ranks (cairn/symbolizer.h), including the sources in the options; for
 * a minidump also a Breakpad file at DIR/NAME/ID/NAME.sym (rank 110), for a Go program its function
 * table (rank 300), and for JIT code the jitdump and the perf map of the program. Strings live as
 * long as the stacks.
 */
CAIRN_API size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                                    struct cairn_location *locations, size_t room);

/*
 * Look up the names at `count` pcs, in any order, for later calls of cairn_stacks_names(). This
 * takes a fraction of the time of single lookups and has no other effect; it is for hosts that know
 * the addresses in advance.
 */
CAIRN_API void cairn_stacks_prepare_names(struct cairn_stacks *stacks, const uint64_t *pcs,
                                          size_t count);

/*
 * Return the demangled name of the innermost function of the current frame of the walk, or "??" if
 * nothing is known. It ends with a NUL, has a '?' for each character that could drive a terminal,
 * and lives until the next call.
 */
CAIRN_API const char *cairn_stacks_function(struct cairn_stacks *stacks);

/*
 * Return the contents of the program's perf map if names of JIT code were read from one, or empty
 * bytes. They live as long as the stacks.
 */
CAIRN_API struct cairn_bytes cairn_stacks_perf_map(const struct cairn_stacks *stacks);

#ifdef __cplusplus
}
#endif

#endif
