/* SPDX-License-Identifier: MIT */
/*
 * cairn: call stacks and symbols for programs without their debug information.
 *
 * This header is the manual of the library.  A host (a debugger, a profiler, the command line)
 * lends cairn memory to read and gets back where functions begin, who called whom, and why not
 * when there is no answer.
 *
 * What you must do
 *   - lend a struct cairn_target, and keep its context alive as long as the space made from it;
 *   - keep bytes that you lend (struct cairn_bytes) alive and unchanged as long as they are used;
 *   - use one space, and one set of symbols, from one thread at a time (where a function is for
 *     signal handlers and threads, it says so).
 *
 * What cairn does in turn
 *   - every byte from a file or a target is untrusted: no input crashes it, makes it loop for
 *     ever, or makes it allocate more than the stated bounds;
 *   - nothing is printed, nothing aborts or exits, no signal or thread is touched;
 *   - a host callback may leave by longjmp or a C++ exception: nothing leaks, and the next call
 *     finds the space in order.
 *
 * What it is not for: recovering every register of every caller, as a debugger does for locals.
 * SFrame holds the CFA, the return address and the frame pointer; cairn adds callee-saved
 * registers only where the code itself shows them.
 *
 * Words for addresses: `pc` in the running process, `va` as linked, `offset` in bytes of a file
 * or section.  All are 64 bits wide and wrap.
 */
#ifndef CAIRN_H
#define CAIRN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CAIRN_API __attribute__((visibility("default")))
#define CAIRN_MUST_USE __attribute__((warn_unused_result))
#else
#define CAIRN_API
#define CAIRN_MUST_USE
#endif

/* The version of this library, such as "0.1.0". */
CAIRN_API const char *cairn_version(void);

/* 1. Outcomes */

/* How a call ended.  Not finding an address is an outcome, not a failure of the data. */
enum cairn_status {
	CAIRN_OK,
	CAIRN_NOT_FOUND,   /* nothing covers the address */
	CAIRN_TRUNCATED,   /* the data ends inside a record */
	CAIRN_MALFORMED,   /* the data contradicts its format */
	CAIRN_UNSUPPORTED, /* well-formed, but of a version or feature we do not read */
	CAIRN_UNREADABLE,  /* the target refused to read memory */
	CAIRN_NO_MEMORY,
	CAIRN_MISMATCH, /* sound, but made for another build */
};

/* One lower-case phrase for each outcome, without a full stop. */
CAIRN_API const char *cairn_status_text(enum cairn_status status);

/* The name of the outcome as scripts and --json see it: "ok", "not-found", "truncated", ... */
CAIRN_API const char *cairn_status_name(enum cairn_status status);

/* What was wrong, and at which byte of the section or file.  `what` is a constant phrase. */
struct cairn_fault {
	enum cairn_status status;
	uint64_t offset;
	const char *what;
};

/* 2. Bytes */

/* Borrowed bytes.  `data` is never NULL, not even when `size` is 0. */
struct cairn_bytes {
	const uint8_t *data;
	size_t size;
};

/* Addresses [low, high); equal when there are none. */
struct cairn_range {
	uint64_t low, high;
};

/* 3. The target */

/* The machines whose calling conventions cairn knows. */
enum cairn_machine {
	CAIRN_MACHINE_NONE,
	CAIRN_MACHINE_AMD64,
	CAIRN_MACHINE_AARCH64,
	CAIRN_MACHINE_S390X,
};

/*
 * What the host lends us to look into the target.  read_memory fills the whole buffer or returns
 * CAIRN_UNREADABLE; it is never asked for zero bytes.
 */
struct cairn_target {
	enum cairn_status (*read_memory)(void *context, uint64_t address, void *buffer,
	                                 size_t size);
	void *context;
};

enum { CAIRN_REGISTERS = 33 };

/*
 * Registers of one frame, by DWARF number; bit n of `known` is set when value[n] is valid.  The
 * numbers that matter: amd64 rbp 6, rsp 7; aarch64 x29 29, x30 30, sp 31; s390x r11 11, r14 14,
 * r15 15.  The program counter is apart, because not every machine numbers it.
 */
struct cairn_registers {
	enum cairn_machine machine;
	bool big_endian;
	uint64_t pc;
	uint64_t known;
	uint64_t value[CAIRN_REGISTERS];
};

/* 4. Unwind rules */

enum cairn_place_kind {
	CAIRN_PLACE_UNKNOWN, /* not recoverable; for the return address: there is no caller */
	CAIRN_PLACE_SAME,    /* unchanged from this frame */
	CAIRN_PLACE_VALUE,   /* base + offset */
	CAIRN_PLACE_MEMORY,  /* what memory holds at base + offset */
};

enum { CAIRN_BASE_CFA = 0xffff };

/* Where one value of the caller is. */
struct cairn_place {
	enum cairn_place_kind kind;
	uint16_t base; /* DWARF register number, or CAIRN_BASE_CFA */
	int64_t offset;
};

/* All that an unwind table says of the instructions in [start, end). */
struct cairn_rule {
	struct cairn_place cfa, ra, fp;
	uint64_t start, end;   /* va; the rows with this rule */
	uint64_t function;     /* va of the function's first byte */
	uint64_t function_end; /* va just behind it */
	enum cairn_machine machine;
	bool outermost;  /* there is no caller: an outcome, not an error */
	bool signal;     /* the caller was interrupted: its pc is exact, not a return address */
	bool trampoline; /* a signal frame whose registers only the signal context holds */
	bool mangled;    /* the return address carries authentication bits (aarch64) */
	bool key_b;      /* signed with key B (aarch64) */
	bool patched;    /* a known false row of a linker, put right */
};

/*
 * Unwind rules of one `.sframe` section of any version and byte order.  Lookups take linked
 * addresses.  A sound, sorted section of one table is searched in place without allocation;
 * several tables, unsorted ones, and sections asked often get an index, made once and bounded by
 * a small multiple of the section.
 */
struct cairn_rules;

/*
 * `section` is borrowed until cairn_rules_free; `address` is where its first byte lies as linked.
 * NULL when memory is short.  A damaged section gives a usable object that finds nothing and
 * says why.
 */
CAIRN_API struct cairn_rules *cairn_rules_new(struct cairn_bytes section, uint64_t address);
CAIRN_API void cairn_rules_free(struct cairn_rules *rules);

/*
 * The rule for `va`.  *rule stays valid until the next call on `rules`.  When the outcome is not
 * CAIRN_OK, `fault` (may be NULL) says what is wrong where, as an offset in the section.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_rules_find(struct cairn_rules *rules, uint64_t va,
                                                            const struct cairn_rule **rule,
                                                            struct cairn_fault *fault);

/*
 * Make the index over all rows now instead of when it begins to pay: 12 bytes a row, some 250 us
 * for each thousand functions.  For profilers; a debugger need not call it.
 */
CAIRN_API void cairn_rules_index(struct cairn_rules *rules);

/* 5. Symbols */

/*
 * One frame as the source has it.  The texts are borrowed from the file of symbols; what is not
 * known is empty.
 */
struct cairn_location {
	struct cairn_bytes function;        /* as the linker knows it, or as the source does */
	struct cairn_bytes directory, file; /* cairn_location_path() joins them */
	uint64_t start;                     /* va where the function or the inlined call begins */
	uint64_t offset;                    /* from there to the address that was asked about */
	uint32_t line;                      /* 0 when it is not known */
	bool inlined;                       /* into the function of the location that follows */
	uint32_t column;                    /* 0 when it is not known */
};

/*
 * The path of a location, cut where it does not fit and always ended with NUL unless `size` is 0.
 * Returns its whole length, as snprintf does.  Nothing in it is resolved: equal files have equal
 * paths.
 */
CAIRN_API size_t cairn_location_path(const struct cairn_location *location, char *path,
                                     size_t size);

/* The symbols of one module: a file of a symbol format, and a bounded cache of what was read. */
struct cairn_symbols;

/* Told by a file's first bytes. */
enum cairn_symbol_format {
	CAIRN_SYMBOLS_GSYM,
	CAIRN_SYMBOLS_SYMBFILE, /* of ranges */
	CAIRN_SYMBOLS_BREAKPAD, /* addresses count from the module's first byte: that is va 0 */
};

/*
 * Open symbols for the module with this build ID.  `file` is one of
 *   - a GSYM file of either version, or an ELF or Mach-O file with GSYM in its section .gsym
 *     (__gsym).  It is borrowed until cairn_symbols_free().  Only headers are read, so that a large
 *     file costs no more than a small one;
 *   - a symbfile of ranges, or a Breakpad symbol file.  All of it is read now, some 0.1 s for each
 *     30,000 functions, and kept in about as much memory as the GSYM file of the same symbols; the
 *     file is not used afterwards.
 *
 * CAIRN_MISMATCH: the file belongs to another build, or does not say to which, as symbfiles do
 * never.  An empty build ID takes every file; whoever gives one has made sure by other means.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open(struct cairn_bytes file,
                                                              struct cairn_bytes build_id,
                                                              struct cairn_symbols **symbols,
                                                              struct cairn_fault *fault);
CAIRN_API void cairn_symbols_free(struct cairn_symbols *symbols);

/* The build ID that the file carries; empty when it has none. */
CAIRN_API struct cairn_bytes cairn_symbols_build_id(const struct cairn_symbols *symbols);

CAIRN_API enum cairn_symbol_format cairn_symbols_format(const struct cairn_symbols *symbols);

/*
 * What ended the reading of a symbfile; status OK when all of it was read.  What comes before the
 * damage serves.  Of GSYM each answer tells its own.
 */
CAIRN_API const struct cairn_fault *cairn_symbols_damage(const struct cairn_symbols *symbols);

/* How much the cache may hold, CAIRN_SYMBOLS_CACHE at first.  Less than it holds now empties it. */
enum { CAIRN_SYMBOLS_CACHE = 32 << 20 };
CAIRN_API void cairn_symbols_set_cache(struct cairn_symbols *symbols, size_t bytes);

/*
 * What is known of one address: its locations, innermost first, and those of the functions that the
 * linker folded into the same code.
 *
 *	struct cairn_answer answer;
 *	struct cairn_location location;
 *	if (cairn_symbols_find(symbols, va, &answer) == CAIRN_OK)
 *		do
 *			while (cairn_answer_next(&answer, &location))
 *				...
 *		while (cairn_answer_next_folded(&answer));
 *
 * A large struct for the stack; there is nothing to free.  It is good until the next call on its
 * symbols, the locations are as long as the file.
 */
struct cairn_answer {
	struct cairn_fault fault; /* what was wrong in the data.  What was read before it is given
	                             all the same; complete after the last location */
	uint64_t va;
	const struct cairn_symbols *symbols;
	uint64_t state[640]; /* for cairn alone */
};

/* NOT_FOUND when no function covers `va`; any other failure leaves no location either. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find(struct cairn_symbols *symbols,
                                                              uint64_t va,
                                                              struct cairn_answer *answer);

/*
 * The same without the cache: slower, but it allocates nothing and writes to *answer alone, so that
 * it may be used in a signal handler, and in many threads on the same symbols.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_peek(const struct cairn_symbols *symbols,
                                                              uint64_t va,
                                                              struct cairn_answer *answer);

/* The function alone, without file, line and inlined calls.  Fast, and as harmless as peek. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_function(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_location *location,
	struct cairn_fault *fault);

CAIRN_API bool cairn_answer_next(struct cairn_answer *answer, struct cairn_location *location);

/* Goes on to the next function of the same code, whose locations cairn_answer_next() gives then. */
CAIRN_API bool cairn_answer_next_folded(struct cairn_answer *answer);

/* The answers to many addresses, in the order in which they were asked. */
struct cairn_batch {
	size_t count;
	struct cairn_batch_item {
		struct cairn_fault fault; /* status NOT_FOUND: nothing covers the address */
		size_t first, count;      /* its locations */
		bool has_folded;          /* ask for the address alone to see them */
	} * items;
	struct cairn_location *locations;
};

/*
 * Many addresses at once: each function is decoded once, in whatever order they come.  Give the
 * batch back with cairn_batch_free(), which is harmless when this has failed.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols,
                                                                   const uint64_t *vas,
                                                                   size_t count,
                                                                   struct cairn_batch *batch);
CAIRN_API void cairn_batch_free(struct cairn_batch *batch);

/* A section that is loaded, as a module's file tells of it. */
enum { CAIRN_SECTION_NAME = 64, CAIRN_SECTIONS = 128 };

struct cairn_section {
	char name[CAIRN_SECTION_NAME];
	uint64_t flags;           /* as ELF has them */
	struct cairn_range range; /* va */
};

/*
 * The same symbols as a debugger takes them that knows nothing of their format: an ELF object with
 * a symbol table and DWARF, addresses as linked (GDB: add-symbol-file FILE -o BIAS).  It is sound
 * whatever the symbols hold; docs/formats/symbol-object.md describes it.
 */
struct cairn_object_options {
	uint16_t machine; /* as ELF numbers it: 62 amd64, 183 aarch64, 22 s390x, ... */
	bool big_endian;
	bool narrow;             /* a 32-bit program */
	uint64_t shift;          /* added to the addresses of the symbols, modulo 2^64 */
	struct cairn_range keep; /* va; functions outside are left out; empty: none are */
	struct cairn_bytes build_id;
	/* of the program, whose debug file the object becomes; 0 sections: made up around the code */
	const struct cairn_section *section;
	size_t sections; /* up to CAIRN_SECTIONS */
	uint64_t entry;  /* va */
	bool by_clang; /* a guess of statements follows clang, where symbols tell of none, not gcc */
};

struct cairn_object {
	struct cairn_bytes bytes;
	uint64_t functions;       /* that the symbols hold */
	uint64_t damaged;         /* how many of them could not be read whole, */
	struct cairn_fault fault; /* and the first flaw; OK when there is none */
};

/*
 * Give the object back with cairn_object_free().  While it is made it takes about twice its size,
 * which is about that of the symbols; no section is larger than 1 GiB (NO_MEMORY).  NOT_FOUND:
 * there are no functions.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_object_make(
	const struct cairn_symbols *symbols, const struct cairn_object_options *options,
	struct cairn_object *object);
CAIRN_API void cairn_object_free(struct cairn_object *object);

/*
 * Files of symbols, and the search for one: the only functions here that open files.  They are held
 * as long as they are open; a file that somebody cuts short meanwhile ends the process, so
 * debuggers open them for a moment.
 */
struct cairn_symbol_file;

/*
 * The file at `path`, if it is a regular one, for the module of this build ID (see
 * cairn_symbols_open).  UNREADABLE: it cannot be opened, and fault->what says why.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_open(const char *path,
                                                                  struct cairn_bytes build_id,
                                                                  struct cairn_symbol_file **file,
                                                                  struct cairn_fault *fault);

/*
 * The first file that serves the module: beside the binary as BINARY.gsym; in each of `directories`
 * ("DIR:DIR", may be NULL) as NAME.gsym and as .build-id/ab/cdef.gsym; in /usr/lib/debug/.build-id;
 * in $XDG_CACHE_HOME/cairn or ~/.cache/cairn as abcdef.gsym.  Then the same with .sym, for Breakpad
 * files; then, where `binary` is there and of that build, what `cairn symbfile fetch` has put into
 * that cache: FILEID.symbfile.  Files of another build are passed over.  NOT_FOUND: there is none;
 * then *fault tells of the last file that was there and refused, if fault->status is not NOT_FOUND.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_find(const char *binary,
                                                                  struct cairn_bytes build_id,
                                                                  const char *directories,
                                                                  struct cairn_symbol_file **file,
                                                                  struct cairn_fault *fault);
CAIRN_API void cairn_symbol_file_close(struct cairn_symbol_file *file);

CAIRN_API const char *cairn_symbol_file_path(const struct cairn_symbol_file *file);
CAIRN_API struct cairn_symbols *cairn_symbol_file_symbols(struct cairn_symbol_file *file);

/*
 * What the file of a program tells of it, for a host that has no process yet.  Nothing of the file is
 * borrowed.
 */
struct cairn_program {
	enum cairn_machine machine;
	bool big_endian;
	bool debug_info;         /* DWARF of its own */
	bool by_clang;           /* clang made some of it */
	uint64_t entry;          /* va; 0: none */
	struct cairn_range span; /* va; of all that is loaded */
	uint8_t build_id[64];
	size_t build_id_size;
	struct cairn_section section[CAIRN_SECTIONS]; /* in the order of the file */
	size_t sections;
};

/*
 * Of a whole file.  NOT_FOUND: it has no section that is loaded; UNSUPPORTED: more than
 * CAIRN_SECTIONS, or a name or a build ID that there is no room for.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_of(struct cairn_bytes file,
                                                            struct cairn_program *program,
                                                            struct cairn_fault *fault);

/* The same of the file at `path`: UNREADABLE as above. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_read(const char *path,
                                                              struct cairn_program *program,
                                                              struct cairn_fault *fault);

/*
 * The name by which symbol servers know the symbfile of an executable, for that says not itself what
 * it is for: made of the beginning, the end and the size of the executable as it runs.
 */
struct cairn_file_id {
	uint8_t bytes[16];
	char text[33]; /* 32 digits */
};

/* Of a text: digits, perhaps with dashes, or base64.  False when it is none. */
CAIRN_API bool cairn_file_id_parse(const char *word, struct cairn_file_id *id);

/* Of a whole file.  False when it is no ELF file of that build; an empty one takes every file. */
CAIRN_API bool cairn_file_id_of(struct cairn_bytes file, struct cairn_bytes build_id,
                                struct cairn_file_id *id);

/* The same of the file at `path`: MISMATCH when it is another build, UNREADABLE as above. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_file_id_read(const char *path,
                                                              struct cairn_bytes build_id,
                                                              struct cairn_file_id *id,
                                                              struct cairn_fault *fault);

/*
 * Where `cairn symbfile fetch` puts the symbols of this executable; whether it did is for the caller
 * to see.  False: there is no cache, or no room for the name.
 */
CAIRN_API bool cairn_file_id_path(const struct cairn_file_id *id, char *path, size_t size);

/* 6. The address space of a process or core */

/*
 * The modules of one target, found in its memory when an address of theirs is first asked for.
 * Each use of a module is checked against the target, so that a program that was loaded anew,
 * unloaded or exchanged is noticed.
 */
struct cairn_space;

/* NULL when memory is short. */
CAIRN_API struct cairn_space *cairn_space_new(const struct cairn_target *target);
CAIRN_API void cairn_space_free(struct cairn_space *space);

/* Forget all that was learnt of the target, such as after another core was opened. */
CAIRN_API void cairn_space_forget(struct cairn_space *space);

/* Is it there, as far as is known? */
enum cairn_presence {
	CAIRN_PRESENCE_UNKNOWN, /* nobody has asked yet */
	CAIRN_ABSENT,
	CAIRN_PRESENT,
};

/* What is known of one module.  Pointers are valid until the next call on the space. */
struct cairn_module {
	uint64_t low, high; /* pc range, from the first to the last loadable byte */
	uint64_t bias;      /* pc = va + bias; 0 when only the host knows the module */
	uint64_t entry;     /* va of the entry point, 0 when there is none */
	enum cairn_machine machine;
	bool big_endian;
	struct cairn_bytes build_id; /* size 0 when there is none */
	const char *name;            /* as the host reported it; NULL when it did not */
	bool has_headers;            /* they were read: bias, entry and build_id are known */
	enum cairn_presence sframe, cfi;
	struct cairn_fault fault; /* of its .sframe, the last one met; CAIRN_OK: none so far */
};

/* The module that holds `pc`; NOT_FOUND when none does. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_module(struct cairn_space *space,
                                                              uint64_t pc,
                                                              struct cairn_module *module);

/*
 * Modules that the host knows of, as a mark and sweep:
 *
 *	cairn_space_begin(space);
 *	for (each module)
 *		status = cairn_space_add(space, &report);
 *	cairn_space_end(space);
 *
 * All addresses are runtime addresses.  A module that was reported before and is not reported this
 * time goes away at the end; modules that cairn found in memory stay as they are.  Reports save
 * the search in memory, which is slow at the end of a slow line, and help where ELF headers cannot
 * be read, as in cores of emulators: the tables are then read where the report says they are.
 * Where the headers can be read they count, and the report adds the name and what the headers do
 * not tell.  Nothing of the target is read during these calls.
 */
struct cairn_report {
	struct cairn_bytes name; /* copied, up to CAIRN_REPORT_NAME bytes; may be empty */
	uint64_t low, high;      /* from its first byte to just behind its last */
	enum cairn_machine machine;
	bool big_endian;
	/* where its sections are; empty: none */
	struct cairn_range text, sframe, eh_frame_hdr, eh_frame;
};

enum {
	CAIRN_REPORTS = 4096,     /* modules at once */
	CAIRN_REPORT_NAME = 4095, /* bytes of a name that are kept */
};

CAIRN_API void cairn_space_begin(struct cairn_space *space);

/*
 * MALFORMED: the range is empty.  NO_MEMORY: memory is short, or CAIRN_REPORTS are known already.
 * The same report again changes nothing.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add(struct cairn_space *space,
                                                           const struct cairn_report *report);
CAIRN_API void cairn_space_end(struct cairn_space *space);

/*
 * Code that the program made at run time and registered as an ELF image whose section addresses are
 * final (GDB's JIT interface).  The image is borrowed during the call.  It is believed as long as
 * its code lies in the target as in the image.  NOT_FOUND: it has no code or no usable .sframe;
 * that is the host's business then.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_register(struct cairn_space *space,
                                                                struct cairn_bytes image);

/*
 * The modules known so far: those that were reported, and those that were found and are still
 * there.  Start with *at = 0; each call gives one, false behind the last.  No module is searched
 * for and no table is read; presence and fault tell what earlier questions have shown.
 */
CAIRN_API bool cairn_space_next_module(struct cairn_space *space, size_t *at,
                                       struct cairn_module *module);

/* Does the .eh_frame of the module at `pc` describe this very instruction?  Does its .sframe? */
CAIRN_API bool cairn_space_has_cfi(struct cairn_space *space, uint64_t pc);
CAIRN_API bool cairn_space_has_sframe(struct cairn_space *space, uint64_t pc);

/* What the .sframe of one module holds, in all its tables. */
struct cairn_tables {
	uint64_t low; /* pc of its first byte */
	size_t count;
	uint64_t functions, size; /* size in bytes */
	unsigned versions;        /* bit n: there is a table of version n */
};

/* Of the module at `pc`; false when it has no table that can be read. */
CAIRN_API bool cairn_space_tables(struct cairn_space *space, uint64_t pc,
                                  struct cairn_tables *tables);

/* The rule that the .sframe at `pc` gives, its addresses as linked; *fault when there is none. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_rule(struct cairn_space *space, uint64_t pc,
                                                            struct cairn_rule *rule,
                                                            struct cairn_fault *fault);

/*
 * The rule of .eh_frame there, in the same words; what takes an expression to say is unknown in it.
 * UNSUPPORTED on machines that cairn_unwind_any() does not know.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_cfi_rule(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_rule *rule,
                                                                struct cairn_fault *fault);

/* 7. Frames */

/* What one frame of a stack or a recorded backtrace is. */
enum cairn_frame_kind {
	CAIRN_FRAME_PC = 1, /* an instruction: of the innermost frame, or interrupted by a signal */
	CAIRN_FRAME_RETURN, /* a return address: the call lies before it */
	CAIRN_FRAME_ASYNC,  /* where an async function will go on */
	CAIRN_FRAME_OMITTED, /* frames that were left out */
};

/*
 * A run of equal frames.  They stay together, because a few bytes may ask for 2^64 of them; who
 * prints decides how many lines that makes.
 */
struct cairn_frame {
	enum cairn_frame_kind kind;
	uint64_t value; /* the address; of CAIRN_FRAME_OMITTED the number of frames left out */
	uint64_t times; /* at least 1 */
};

/*
 * The address to look symbols up with.  A return address may already be the first byte of the
 * next function, when the call was the last instruction, so it is looked up one byte earlier.
 */
CAIRN_API uint64_t cairn_frame_lookup_address(const struct cairn_frame *frame);

/* By how much the numbers of frames grow over this run, at most to 2^64 - 1. */
CAIRN_API uint64_t cairn_frame_count(const struct cairn_frame *frame);

/* 8. Unwinding */

/* Why there is no next frame, or why it is not to be trusted. */
enum cairn_stop {
	CAIRN_STOP_NONE,
	CAIRN_STOP_OUTERMOST,   /* the table or the entry point says that there is no caller */
	CAIRN_STOP_NO_MODULE,   /* the pc lies in no module */
	CAIRN_STOP_NO_TABLE,    /* its module has no .sframe that can be used */
	CAIRN_STOP_NO_ROW,      /* the table does not cover the pc */
	CAIRN_STOP_BAD_TABLE,   /* the table is damaged there */
	CAIRN_STOP_MACHINE,     /* the module is of another machine than the registers */
	CAIRN_STOP_CFA_UNKNOWN, /* the register it counts from is not known, or unreadable memory */
	CAIRN_STOP_CFA_IMPLAUSIBLE, /* does not move up the stack, or is not aligned */
	CAIRN_STOP_LINK_UNKNOWN,  /* the return address should be in a register that is long lost */
	CAIRN_STOP_RA_UNREADABLE, /* the return address cannot be read */
	CAIRN_STOP_RA_IMPLAUSIBLE, /* the return address is no code address */
};

/* One lower-case phrase, and a name for scripts ("no-row"). */
CAIRN_API const char *cairn_stop_text(enum cairn_stop stop);
CAIRN_API const char *cairn_stop_name(enum cairn_stop stop);

/* By what a step was made. */
enum cairn_rung {
	CAIRN_RUNG_NONE,
	CAIRN_RUNG_SFRAME,
	CAIRN_RUNG_CFI,           /* .eh_frame */
	CAIRN_RUNG_FRAME_POINTER, /* a guess that looks right */
	CAIRN_RUNG_SIGNAL,        /* what a signal handler returns to, by its code or its CFI */
};

/* A name for scripts: "none", "sframe", "cfi", "frame-pointer", "signal". */
CAIRN_API const char *cairn_rung_name(enum cairn_rung rung);

/* One step from a frame to its caller. */
struct cairn_step {
	enum cairn_stop stop;
	struct cairn_fault fault;          /* with CAIRN_STOP_BAD_TABLE: where in the section */
	struct cairn_registers caller;     /* valid unless stop says otherwise */
	enum cairn_frame_kind caller_kind; /* CAIRN_FRAME_PC or CAIRN_FRAME_RETURN */
	uint64_t cfa;                      /* of the frame that was asked about */
	uint64_t function;                 /* pc of its function's first byte */
	enum cairn_rung rung;              /* whose rule it was */
	bool signal;                       /* the frame is a signal trampoline */
	bool at_entry;          /* the program begins in this function: nobody called it */
	struct cairn_rule rule; /* as linked: add the module's bias */
};

/*
 * From `frame`, whose pc is of `kind` (CAIRN_FRAME_PC or CAIRN_FRAME_RETURN), to its caller.
 * Returns true when there is one: step->caller is filled and step->stop is CAIRN_STOP_NONE.
 * Otherwise step->stop says why; with OUTERMOST, RA_IMPLAUSIBLE and step->at_entry the cfa and
 * function are valid all the same, and with RA_IMPLAUSIBLE the caller is too.  Registers that
 * cannot be known are absent from step->caller.known.  `frame` must not lie in *step.
 */
CAIRN_API bool cairn_unwind(struct cairn_space *space, const struct cairn_registers *frame,
                            enum cairn_frame_kind kind, struct cairn_step *step);

/*
 * The same by whatever is there, for a host without an unwinder of its own: the .eh_frame of the
 * module, which restores all registers that a call keeps, else its .sframe, else the chain of frame
 * pointers (amd64, aarch64), if it leads up the stack and to code.  step->rung says which.  Signal
 * trampolines are known by their code, or by their CFI.
 *
 * A rung that has no rule, or one that cannot be worked out, leaves the step to the next.  A return
 * address of 0 means OUTERMOST.  By the frame pointer alone step->function is 0 and there is no
 * rule; on aarch64 the caller's stack pointer is not known then, and cfa is where the frame record
 * ends.  BAD_TABLE may mean either table.
 */
CAIRN_API bool cairn_unwind_any(struct cairn_space *space, const struct cairn_registers *frame,
                                enum cairn_frame_kind kind, struct cairn_step *step);

/*
 * Is the frame at a signal trampoline, known by its instructions?  *start: pc of the first one.
 */
CAIRN_API bool cairn_at_trampoline(struct cairn_space *space, const struct cairn_registers *frame,
                                   uint64_t *start);

/*
 * Is the pc of this frame a return address?  For hosts that hand out frames without saying so:
 * true when the word that a call leaves behind (below the stack pointer, or in the link
 * register) equals the pc.  A wrong "yes" just after a call is harmless.
 */
CAIRN_API enum cairn_frame_kind cairn_guess_frame_kind(struct cairn_space *space,
                                                       const struct cairn_registers *frame);

/* 9. Traces */

/*
 * Backtraces that a program recorded itself: bytes in Swift's Compact Backtrace Format.
 *
 *	struct cairn_trace trace;
 *	struct cairn_frame run;
 *	cairn_trace_open(bytes, &trace);
 *	while (cairn_trace_next(&trace, &run))
 *		...            innermost first; equal neighbours are one run
 *	if (trace.fault.status != CAIRN_OK)
 *		...            damaged there; the frames before it are good
 *
 * Nothing is allocated, and there is nothing to free.
 */
struct cairn_trace {
	bool cut;                 /* its producer left out the outer end */
	unsigned word_bits;       /* of a machine word; 0 when that is not known */
	size_t consumed;          /* bytes of this backtrace, complete behind the last run */
	struct cairn_fault fault; /* OK unless the bytes are damaged */
	uint64_t state[16];
};

CAIRN_API void cairn_trace_open(struct cairn_bytes bytes, struct cairn_trace *trace);
CAIRN_API bool cairn_trace_next(struct cairn_trace *trace, struct cairn_frame *run);

/* How it ended, for scripts: "end", "trunc", "eof" (of the bytes), or what is damaged. */
CAIRN_API const char *cairn_trace_end_name(const struct cairn_trace *trace);

/* What was found in the memory of a 64-bit Swift program. */
enum cairn_found_kind {
	CAIRN_FOUND_VALUE,   /* a Backtrace whose bytes are sound */
	CAIRN_FOUND_DAMAGED, /* a Backtrace whose bytes are not */
	CAIRN_FOUND_ARRAY,   /* an array of sound bytes, without a Backtrace around it */
};

struct cairn_found {
	enum cairn_found_kind kind;
	uint64_t array;           /* address of the array object that holds the bytes */
	uint64_t size;            /* how many bytes */
	uint64_t class_address;   /* of arrays of bytes; the same in all of a process */
	uint64_t images;          /* address of the array of its images; 0: none */
	uint64_t copies;          /* Backtrace values that share the array */
	const char *architecture; /* a constant; NULL for a bare array */
};

/*
 * Search the target: begin, scan every range of memory that can be written, settle; then ask for
 * what was found.
 *
 *	status = cairn_find_begin(space);
 *	for (each range)
 *		status = cairn_find_scan(space, range);
 *	cairn_find_settle(space);
 *	for (size_t at = 0; cairn_find_next(space, &at, &found);)
 *		status = cairn_found_bytes(space, &found, &bytes);
 *
 * Copies of one value lie everywhere; each array is told once, by ascending address.  Memory is
 * read in blocks, and what cannot be read is passed over.  UNSUPPORTED: the range has
 * CAIRN_FIND_HOLES pages that cannot be read, and was searched up to there.
 */
enum { CAIRN_FIND_HOLES = 1 << 20 };

CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_find_begin(struct cairn_space *space);
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_find_scan(struct cairn_space *space,
                                                           struct cairn_range range);
CAIRN_API void cairn_find_settle(struct cairn_space *space);

/* After settling: scan again for arrays of bytes that are backtraces though no value holds them. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_find_scan_arrays(struct cairn_space *space,
                                                                  struct cairn_range range);

/* Start with *at = 0; false behind the last. */
CAIRN_API bool cairn_find_next(struct cairn_space *space, size_t *at, struct cairn_found *found);

/* Did so much look like backtraces that some was left out? */
CAIRN_API bool cairn_find_gave_up(const struct cairn_space *space);

/* The Backtrace value at an address.  NOT_FOUND: there is none; or UNREADABLE. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_at(struct cairn_space *space,
                                                          uint64_t address,
                                                          struct cairn_found *found);

/* Its bytes, which the space keeps until one of these two is called again. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_bytes(struct cairn_space *space,
                                                             const struct cairn_found *found,
                                                             struct cairn_bytes *bytes);

/*
 * The bytes of a backtrace at an address.  With `size` 0 they are read until the backtrace ends, by
 * its own bytes or by damage, or the memory does, or at CAIRN_TRACE_BYTES.  UNREADABLE: not even
 * the first byte can be read, or not all of those that were asked for.
 */
enum { CAIRN_TRACE_BYTES = 1 << 24 };

CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_trace_read(struct cairn_space *space,
                                                            uint64_t address, uint64_t size,
                                                            struct cairn_bytes *bytes);

/* A file that was loaded when the backtrace was taken. */
struct cairn_image {
	uint64_t base, end;                      /* of its text, as pc */
	struct cairn_bytes build_id, path, name; /* empty when not known */
};

/*
 * Read the images of what was found, as many as can be; the space keeps them until the next call.
 * NOT_FOUND: it has none.  Then: the image whose text holds `pc`.  With a frame, ask for its lookup
 * address.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_found_images(struct cairn_space *space,
                                                              const struct cairn_found *found,
                                                              size_t *count);
CAIRN_API bool cairn_found_image(const struct cairn_space *space, uint64_t pc,
                                 struct cairn_image *image);

/* 10. Symbolizer markup */

/*
 * A filter for logs in which a program left {{{bt:0:0x7f0000001234:pc}}} and told where its
 * modules were loaded: raw addresses in, names out, all other text unchanged.
 *
 *	markup = cairn_markup_new(&options, &host);
 *	while (text is read)
 *		status = cairn_markup_feed(markup, text);
 *	status = cairn_markup_finish(markup);
 *	cairn_markup_free(markup);
 *
 * Text comes in pieces of any size, and goes out as lines complete.  Memory stays below some
 * 30 MB whatever the text: lines above CAIRN_MARKUP_LINE are taken in parts, and modules beyond
 * some ten thousands are refused with a complaint.
 */
enum { CAIRN_MARKUP_LINE = 1 << 20 };

struct cairn_markup;

enum cairn_markup_style {
	CAIRN_MARKUP_CAIRN,   /* nothing is lost, and what is known is said */
	CAIRN_MARKUP_LLVM,    /* the bytes that llvm-symbolizer --filter-markup 19 writes */
	CAIRN_MARKUP_FUCHSIA, /* as CAIRN, with frames as Fuchsia's symbolizer writes them */
};

struct cairn_markup_options {
	enum cairn_markup_style style;
	bool colour;         /* colours of the log go out, and elements stand out */
	bool repeat_prefix;  /* what stands before a frame stands before its inlined calls too */
	bool already_before; /* addresses of frames without ra or pc lie inside the call */
	bool end_lines; /* hand out each line when it is complete, not only when feed returns */
};

/* A file of the program, as the log tells; the build ID alone identifies it. */
struct cairn_markup_module {
	uint64_t id;
	struct cairn_bytes name, build_id; /* either may be empty */
};

/* What is at an address: in the process, and as the module was linked. */
struct cairn_markup_question {
	const struct cairn_markup_module *module;
	uint64_t pc, va;
};

struct cairn_markup_answer {
	const struct cairn_location *locations; /* innermost first */
	size_t count;
	struct cairn_bytes name; /* for an address that is no frame; empty: that of the last one */
};

enum cairn_markup_kind {
	CAIRN_MARKUP_TEXT,   /* what is no element */
	CAIRN_MARKUP_COLOUR, /* of the log, one of the ten escape sequences */
	CAIRN_MARKUP_SYMBOL,
	CAIRN_MARKUP_PC,
	CAIRN_MARKUP_DATA,
	CAIRN_MARKUP_BT,
	CAIRN_MARKUP_VALUE, /* of a hexdict, in a module; its key is the text */
	CAIRN_MARKUP_DUMPFILE,
	CAIRN_MARKUP_RESET,
	CAIRN_MARKUP_MODULE,
	CAIRN_MARKUP_MMAP,
	CAIRN_MARKUP_UNKNOWN, /* an element that nobody knows */
	CAIRN_MARKUP_INVALID, /* one that cannot be used; `error` says why */
};

/* A text or an element of the log, and what is known of it; the same in each kind's own fields. */
struct cairn_markup_fact {
	enum cairn_markup_kind kind;
	uint64_t line, column;   /* where it begins, both from 1 on */
	struct cairn_bytes text; /* as it stands in the log */
	const char *error;

	/* MODULE, MMAP, and what lies in a module; else NULL */
	const struct cairn_markup_module *module;
	uint64_t va; /* in the module: of the address looked up, or where a mapping begins */

	uint64_t number;            /* of a BT */
	uint64_t address;           /* of a BT, PC, DATA and VALUE, as in the log */
	uint64_t lookup;            /* what symbols were looked up with */
	const char *pc;             /* of a BT and PC: "ra", "pc" or "unknown"; else NULL */
	struct cairn_bytes message; /* of a BT: its other fields */

	const struct cairn_location *locations; /* innermost first; paths are in `file` */
	size_t count;
	struct cairn_bytes name; /* of a SYMBOL readable; the variable of DATA and VALUE */
	uint64_t offset;         /* in the variable */

	uint64_t start, size;      /* of an MMAP */
	bool read, write, execute; /* what it allows */
};

/*
 * What the host does.  All but write (or tell) may be NULL.  What it lends stays good until the next call.
 * Names are shown as they are given: a host that demangles does it here.
 */
struct cairn_markup_host {
	void *context;
	void (*write)(void *context, const void *text, size_t size);

	/* False without symbols of the module; count 0: they know nothing of the address. */
	bool (*code)(void *context, const struct cairn_markup_question *question,
	             struct cairn_markup_answer *answer);

	/* The variable or function at or below: its name, empty for none, and the offset. */
	bool (*data)(void *context, const struct cairn_markup_question *question,
	             struct cairn_location *location);

	/* A readable name for {{{symbol:...}}}, or the name itself. */
	struct cairn_bytes (*readable)(void *context, struct cairn_bytes name);

	/*
	 * The module at a pc of which the log tells nothing, as cairn_markup_lend_module() takes
	 * it; asked while the log tells of no module at all.
	 */
	bool (*module)(void *context, uint64_t pc, struct cairn_markup_module *module,
	               struct cairn_range *pcs, uint64_t *va);

	/* What is wrong with an element, at a line and a byte in it that count from 1. */
	void (*complain)(void *context, uint64_t line, uint64_t column, const char *what,
	                 struct cairn_bytes found);

	/*
	 * All that the log holds, in its order; with it nothing is written.  What *fact points to
	 * is good until it returns.
	 */
	void (*tell)(void *context, const struct cairn_markup_fact *fact);
};

/* Both are copied.  NULL when memory is short. */
CAIRN_API struct cairn_markup *cairn_markup_new(const struct cairn_markup_options *options,
                                                const struct cairn_markup_host *host);
CAIRN_API void cairn_markup_free(struct cairn_markup *markup);

/*
 * A module that the host knows of, mapped from `start` on, whose first byte there is at `va` as
 * linked.  Such modules count as long as the log itself tells of none.  MALFORMED: it overlaps.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_lend_module(
	struct cairn_markup *markup, const struct cairn_markup_module *module,
	const struct cairn_range *pcs, uint64_t va);

/* NO_MEMORY is the only failure; what was written is good. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_feed(struct cairn_markup *markup,
                                                             struct cairn_bytes text);

/* No more text is there for now: hand out the beginning of the line, up to what may be markup. */
CAIRN_API void cairn_markup_pause(struct cairn_markup *markup);

/* The end of the text.  The filter may be fed anew then, as if new. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_finish(struct cairn_markup *markup);

/* The number of the line that is being read, from 1 on; for complaints of the host. */
CAIRN_API uint64_t cairn_markup_line(const struct cairn_markup *markup);

#ifdef __cplusplus
}
#endif

#endif
