/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the stacks of a program at one moment, from a core file, a minidump or a running
 * process, with names. It is what `cairn bt` shows; DWARF's names come with libcairn-dwarf (cairn/dwarf.h).
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
 * Memory that the source does not have comes from the files of the program's modules, found where the
 * program had them (of a process as it sees them) or in /usr/lib/debug/.build-id. A file serves only if its
 * build ID, or without one its headers, are those of the module.
 */
struct cairn_stacks;

/*
 * Opens a core file of Linux or a minidump. It is read as a stream, so that a core costs at most 32 MB and 64 MB
 * for stacks, whatever its size; a minidump is copied. Returns UNREADABLE if the file cannot be opened;
 * MALFORMED or UNSUPPORTED if it is neither, or compressed; NO_MEMORY. *error has the details, and may be NULL in all calls of this part. The caller
 * closes *stacks. A core that is cut or damaged gives what could be read: see cairn_stacks_problems().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_file(const char *path,
                                                                  struct cairn_stacks **stacks,
                                                                  struct cairn_error *error);

/*
 * The same of an open descriptor, from where it stands: a file, or a pipe, whose bytes are read as they come. The
 * caller closes it. A packed core is opened by the pipe of a program or thread that unpacks it
 * (`zstd -dc core.zst`), so that the library needs no library for that.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_descriptor(
	int fd, struct cairn_stacks **stacks, struct cairn_error *error);

/*
 * Interrupts all threads of a running process for as long as it takes to copy their registers and stacks (at
 * most 8 MiB of each and 512 MiB of all; 500 threads stand still for some 10 ms), and lets them go on. The
 * calling process must be allowed to trace it, and may not be that process itself. A thread of the library
 * does the work, and has ended when the function returns. Returns NOT_FOUND if there is no such process;
 * UNREADABLE if it may not be traced; UNSUPPORTED on machines other than amd64 (with its 32-bit programs), aarch64
 * and s390x; NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open_process(uint64_t pid,
                                                                     struct cairn_stacks **stacks,
                                                                     struct cairn_error *error);

/* bytes that a running process or a stream counts for where work and output are bounded by the size of the input */
enum { CAIRN_STACKS_INPUT_WORTH = 1 << 25 };

/*
 * A core file whose bytes come one after the other, such as those that are unpacked on the way.  Each function returns
 * fewer bytes than it is asked for at the end only.
 */
struct cairn_stacks_stream {
	size_t (*read)(void *context, void *buffer, size_t size);
	uint64_t (*skip)(void *context, uint64_t size);
	uint64_t (*allow)(void *context); /* bytes that may be kept so far; NULL: any number */
	void *context;
	bool packed; /* however many bytes come, they are worth the stacks of 32 MiB */
};

/* What cairn_stacks_open() reads, and what it uses for that.  Begin with CAIRN_STACKS_OPTIONS. */
struct cairn_stacks_options {
	size_t size; /* sizeof(struct cairn_stacks_options) */

	/* The source: the first of these that is set. */
	uint64_t pid;                             /* a running process */
	const struct cairn_stacks_stream *stream; /* read while the stacks are opened */
	struct cairn_bytes
		bytes;    /* a whole core file or minidump, borrowed until they are closed */
	const char *path; /* of one; with `stream` and `bytes`, where they are from, or NULL */
	int fd;           /* an open one; -1: none */

	const char *program; /* a file that may be the program's or another module's; NULL: none */
	uint64_t frames;     /* most frames of a stack; 0: as many as the input is worth */

	/* How files and names are found; NULL: as CAIRN_SYMBOLIZER_OPTIONS has it.  Of `search` these count: */
	/* folders, sysroot, no_system_folders, no_cache, files, fetch */
	const struct cairn_symbolizer_options *search;
	const struct cairn_symbol_source *const *sources; /* besides those of a symbolizer */
	size_t source_count;

	/*
	 * Unpacks a compressed section of an ELF file, or the ELF file in its .gnu_debugdata, to *size bytes of malloc();
	 * returns OK if it could.  NULL: the tables in such sections are not used.
	 */
	enum cairn_status (*unpack)(struct cairn_bytes file, const char *section, void **memory,
	                            size_t *size);
	/*
	 * What the host has opened of a process while it was still there: the file of the module whose first
	 * byte in memory is at `low`, and what the process recorded of code that it made.  Each returns a descriptor
	 * that is then closed, or -1.  NULL: the host has opened nothing.
	 */
	int (*open_module)(void *context, uint64_t low, struct cairn_bytes path);
	int (*open_jit)(void *context);
	/*
	 * What the host knows of the name of a thread, because a core does not have it; empty: nothing.  The text lives
	 * as long as the stacks.  NULL: the host knows none.
	 */
	struct cairn_bytes (*name_thread)(void *context, uint64_t tid);
	/*
	 * Is told of a module whose headers are not in the core and whose file was not found; `path` is empty for the
	 * program.  NULL: nobody is told.
	 */
	void (*missing)(void *context, struct cairn_bytes path);
	void (*opened)(void *context,
	               uint64_t size); /* is told the bytes of further files that serve */
	void *context;
	/* Keep the sets of registers of a stream that cairn_minidump_write() puts into a minidump: 850 bytes a thread. */
	bool keep_registers;
};
#define CAIRN_STACKS_OPTIONS                                                                     \
	{                                                                                        \
		sizeof(struct cairn_stacks_options), 0, NULL, CAIRN_NO_BYTES, NULL, -1, NULL, 0, \
			NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false           \
	}

/*
 * Opens what the options name; the three functions above are short for it.  The bytes and texts of the options
 * have to live as long as the stacks, but not `stream`, `search` and `sources`.  Fails as these functions do, with *error, and the caller closes *stacks.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stacks_open(
	const struct cairn_stacks_options *options, struct cairn_stacks **stacks,
	struct cairn_error *error);

/*
 * Tells whether the file that the options name as `program` is the program's or another module's, by its build ID or,
 * without one, by its headers.  Call it after the walks, because they find modules that the source does not list.
 * Returns OK also if the options name no program.  Otherwise the stacks are as if none had been named, and *error says
 * why: UNREADABLE with errno if the file cannot be opened, MISMATCH if no module is of its build, MALFORMED,
 * TRUNCATED or UNSUPPORTED if it is not an ELF file that cairn reads.
 */
CAIRN_API enum cairn_status cairn_stacks_check_program(struct cairn_stacks *stacks,
                                                       struct cairn_error *error);

/* Frees the stacks, and all that the functions below lent. NULL is allowed. */
CAIRN_API void cairn_stacks_close(struct cairn_stacks *stacks);

/*
 * Returns how many things were wrong with the source, of at most 64; *fault, which may be NULL, becomes the
 * first of them.
 */
CAIRN_API size_t cairn_stacks_problems(const struct cairn_stacks *stacks,
                                       struct cairn_fault *fault);

/* One of these problems: what could be read is there all the same. */
struct cairn_source_problem {
	const char *part;         /* "notes", "segments", "thread list"; a constant */
	struct cairn_fault fault; /* of a process fault.offset is the number of a thread */
};

/* Fills *problem; false if there is none of this number. */
CAIRN_API bool cairn_stacks_problem(const struct cairn_stacks *stacks, size_t number,
                                    struct cairn_source_problem *problem);

/* What the source is. */
enum cairn_stacks_kind {
	CAIRN_STACKS_CORE,
	CAIRN_STACKS_MINIDUMP,
	CAIRN_STACKS_PROCESS,
};

/* What is known of the program.  Texts live as long as the stacks, may hold any byte, and are empty if not known. */
struct cairn_process {
	enum cairn_stacks_kind kind;
	enum cairn_machine machine;      /* NONE: not known, or its stacks are not unwound */
	const char *machine_name;        /* a constant, such as "ppc64"; NULL: not known */
	uint64_t pid;                    /* 0: not known */
	struct cairn_bytes program;      /* path of the executable, or its short name */
	struct cairn_bytes command_line; /* arguments joined by blanks; perhaps cut */
	struct cairn_bytes auxv;         /* the auxiliary vector, as the kernel wrote it */
	size_t left_out; /* number of threads, mappings and modules that did not fit */
};

/* Fills *process. */
CAIRN_API void cairn_stacks_process(const struct cairn_stacks *stacks,
                                    struct cairn_process *process);

/* What ended the program. */
enum { CAIRN_CRASH_TEXT = 256 };
struct cairn_crash {
	bool known;            /* false: it was merely looked at, and all else is zero */
	uint32_t signal;       /* 0: none */
	int32_t code;          /* si_code of the signal */
	const char *name;      /* "SIGSEGV"; a constant, as all three are; NULL: not known */
	const char *text;      /* "Segmentation fault"; NULL where `name` is */
	const char *code_name; /* "SEGV_MAPERR"; NULL: the code has no name */
	uint32_t exception;    /* of a minidump of Windows or macOS: its code; 0: none */
	bool has_address;
	uint64_t address; /* what was accessed; with has_address */
	/* What is there, in one lower-case phrase ("null pointer"); empty: the signal code does not say that an address was accessed. */
	char accessed[CAIRN_CRASH_TEXT];
	bool has_sender; /* another process sent the signal */
	uint64_t sender, sender_user;
};

/* Fills *crash. */
CAIRN_API void cairn_stacks_crash(const struct cairn_stacks *stacks, struct cairn_crash *crash);

/* Returns the name of a signal of Linux ("SIGSEGV"), a constant; NULL: it has none. */
CAIRN_API const char *cairn_signal_name(uint64_t signal);

/*
 * Copies the message of the C library that aborted the program (a failed assertion, a damaged heap) to `text`, without
 * newlines at its end and without a NUL; it may hold any other byte.  Returns its size, at most
 * CAIRN_ABORT_MESSAGE; 0: there is none.  Of a running process it is what memory holds now, which is old unless a thread
 * is in a signal handler.
 */
enum { CAIRN_ABORT_MESSAGE = 1024 };
CAIRN_API size_t cairn_stacks_abort_message(struct cairn_stacks *stacks,
                                            char text[CAIRN_ABORT_MESSAGE]);

/* A program, a library or another image in memory.  Texts live as long as the stacks. */
struct cairn_loaded_module {
	uint64_t low, high; /* pc, from its first mapped byte to just past its last */
	uint64_t
		start; /* pc from which offsets count: `low`, but for a part that is mapped twice */
	bool has_bias;
	uint64_t bias;           /* pc = va + bias; with has_bias */
	bool remapped;           /* a copy of a module's code elsewhere: no header is before it */
	struct cairn_bytes path; /* as the program saw it; may be empty */
	struct cairn_bytes build_id; /* empty: none, or not known */
	struct cairn_bytes package;  /* the JSON text of .note.package; empty: none */
	struct cairn_bytes file;     /* path of its file, once that was found; empty: it was not */
	const char *file_missing;    /* why it was not; a constant; NULL: nobody has looked */
};

/* Returns the number of modules, which are sorted by address. */
CAIRN_API size_t cairn_stacks_modules(const struct cairn_stacks *stacks);

/* Fills *module with what is known so far; false if there is none of this number. */
CAIRN_API bool cairn_stacks_module(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_loaded_module *module);

/* Looks for the files of all modules.  A walk looks for the files of those that it comes through. */
CAIRN_API void cairn_stacks_find_files(struct cairn_stacks *stacks);

/* Looks for the file of the module that `pc` is in, and fills *module; false if it is in none. */
CAIRN_API bool cairn_stacks_module_at(struct cairn_stacks *stacks, uint64_t pc,
                                      struct cairn_loaded_module *module);

struct cairn_thread {
	uint64_t tid;
	struct cairn_bytes name;   /* empty: not known; it lives as long as the stacks */
	bool crashed;              /* the program ended in it; one thread at most */
	bool stack_cut;            /* more of its stack was in use than was kept */
	uint32_t signal;           /* that it stopped with; 0: none */
	uint64_t stop_nanoseconds; /* how long it stood still; 0: not known, or not a process */
	struct cairn_registers registers; /* machine NONE: not known */
};

/* Returns the number of threads; of a core the thread that crashed is the first. */
CAIRN_API size_t cairn_stacks_threads(const struct cairn_stacks *stacks);

/* Fills *thread; false if there is no thread of this number. */
CAIRN_API bool cairn_stacks_thread(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_thread *thread);

/* One frame. Inlined calls have no frames of their own: they are names of this one. */
struct cairn_stack_frame {
	uint64_t level; /* 0: innermost */
	uint64_t pc;
	uint64_t lookup;                /* pc to look up names with; before a return address */
	uint64_t cfa;                   /* 0: not known */
	enum cairn_unwind_method found; /* how; NONE: it is what the registers have */
	enum cairn_unwind_method by;    /* how its caller was found; NONE: it was not */
	bool signal;                    /* a signal handler returns to it */
	bool guessed;                /* nothing proves that it is the caller of the frame before */
	struct cairn_bytes module;   /* path of the module; data NULL: it is in none */
	struct cairn_bytes build_id; /* empty: none */
	uint64_t module_offset;      /* from the module's first byte in memory */
	bool has_va;
	uint64_t va; /* of pc, as the module was linked; with has_va */
	uint32_t
		handled; /* with `signal`: its number, of handlers with SA_SIGINFO on amd64, and aarch64; else 0 */
};

/*
 * Goes to the innermost frame of a thread; false if its registers are not known. There is one walk at a time:
 * this one ends the one before.
 */
CAIRN_API bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number);

/*
 * Goes to the caller; false at the end of the stack, which is reached after 2^20 frames at the latest.  All stacks
 * together have at most as many frames as the input is worth: 2^18, one more for each 16 bytes of it, and 2^21 at most.
 */
CAIRN_API bool cairn_stacks_next(struct cairn_stacks *stacks);

/* Fills *frame, with what lives as long as the stacks. Only after begin() or next() returned true. */
CAIRN_API void cairn_stacks_frame(struct cairn_stacks *stacks, struct cairn_stack_frame *frame);

/* Returns the rule that leads from this frame to its caller, where a table of unwind rules has one; until next(). */
CAIRN_API const struct cairn_rule *cairn_stacks_rule(const struct cairn_stacks *stacks);

/* How a stack ended. */
enum cairn_stack_end_kind {
	CAIRN_STACK_GOES_ON,
	CAIRN_STACK_OUTERMOST,  /* nobody called the last frame */
	CAIRN_STACK_UNKNOWN,    /* no caller was found */
	CAIRN_STACK_LIMIT,      /* more frames than were asked for, or than the input is worth */
	CAIRN_STACK_CIRCLE,     /* a frame came again */
	CAIRN_STACK_NO_CONTEXT, /* the registers are not known, or of another machine */
};

struct cairn_stack_end {
	enum cairn_stack_end_kind kind;
	bool guesses;             /* a frame was guessed, so one may be missing before it */
	bool complete;            /* OUTERMOST, without guesses */
	const char *name;         /* a word for scripts; a constant, as all three texts are */
	const char *why;          /* one lower-case phrase */
	const char *missing;      /* what may have led further; NULL: nothing that is known of */
	struct cairn_fault fault; /* with the name "bad-table": what is wrong in the section */
};

/* Fills *end with how the walk ended, after next() or begin() returned false. */
CAIRN_API void cairn_stacks_end(struct cairn_stacks *stacks, struct cairn_stack_end *end);

/*
 * Writes what equal crashes of one build have in common before anybody has looked for symbols (docs/fleet.md): 64 hexadecimal
 * digits and a NUL. It walks over the innermost frames of the thread, which ends the walk before. Returns false, and an empty text,
 * if the program did not end in the thread, nor handles a signal there that would end it, if no frame is in a module, or if memory is
 * short.
 */
enum { CAIRN_ADDRESS_SIGNATURE = 65 };
CAIRN_API bool cairn_stacks_address_signature(struct cairn_stacks *stacks, size_t number,
                                              char text[CAIRN_ADDRESS_SIGNATURE]);

/*
 * Finds what is at a pc: the innermost inlined call first, and the function last. Returns how many of at most
 * `room` locations were filled; 0: nothing is known. The sources of a symbolizer are asked in the order of
 * their ranks (cairn/symbolizer.h), those of the options among them; of a minidump also a Breakpad file in
 * folders as DIR/NAME/ID/NAME.sym (rank 110), of a Go program its table of functions (rank 300), and of code that
 * the program has made its jitdump and its perf map. Texts live as long as the stacks.
 */
enum {
	CAIRN_STACK_NAMES = 64
}; /* calls inlined into each other at one pc; deeper ones are left out */
CAIRN_API size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                                    struct cairn_location *locations, size_t room);

/*
 * Looks up the names at `count` pcs, in any order, which takes a fraction of the time of one after the other;
 * cairn_stacks_names() then has them.  For hosts that know what they will ask for; nothing else changes.
 */
CAIRN_API void cairn_stacks_prepare_names(struct cairn_stacks *stacks, const uint64_t *pcs,
                                          size_t count);

/*
 * Returns the readable name of the innermost function of the frame that a walk is at, "??" if nothing is known.  It ends with
 * a NUL, has a '?' for each character that drives a terminal, and lives until the next call.
 */
CAIRN_API const char *cairn_stacks_function(struct cairn_stacks *stacks);

/*
 * Returns the perf map of the program, from which names of code that it made were read; empty: none was.  It lives as
 * long as the stacks.
 */
CAIRN_API struct cairn_bytes cairn_stacks_perf_map(const struct cairn_stacks *stacks);

#ifdef __cplusplus
}
#endif

#endif
