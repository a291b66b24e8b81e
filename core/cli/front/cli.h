/* SPDX-License-Identifier: MIT */
/*
 * Shared by all sub-commands: exit statuses, the table of verbs, options, diagnostics, and opening
 * input files.
 *
 * A sub-command is a function in a file of its own:
 *
 *	int verb_thing(int argc, char **argv)
 *	{
 *		enum form form = FORM_TEXT;
 *		uint64_t n = 0;
 *		const struct option options[] = {
 *			OPTION_JSON(&form),
 *			OPTION_NUMBER("depth", "N", "stop after N", &n),
 *		};
 *		const struct command command = COMMAND("cairn thing [OPTION...] FILE...", "Prints things.",
 *			                               options, OPERANDS(1, OPERANDS_MANY, "FILE"));
 *		int status = EXIT_CLEAN;
 *		if (!options_parse(&command, &argc, argv, &status))
 *			return status;
 *		... argv[0] to argv[argc - 1] are the operands
 *		return status;
 *	}
 *
 * and a row in VERBS below, or in the table of its parent verb.
 */
#ifndef CAIRN_CLI_FRONT_CLI_H
#define CAIRN_CLI_FRONT_CLI_H

#include <cairn.h>

#include "rights.h"

#include "formats/elf/elf.h"
#include "os/debuginfod.h"
#include "os/file/file.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__GNUC__)
#define CLI_FORMAT(at) __attribute__((format(printf, at, (at) + 1)))
#else
#define CLI_FORMAT(at)
#endif

/* Exit statuses. A command with several inputs returns the highest one. */
enum {
	EXIT_CLEAN = 0,
	EXIT_MISSING = 1, /* something was not found, or a check failed */
	EXIT_USAGE = 2,
	EXIT_BROKEN = 3, /* unreadable or malformed input, or output that cannot be written */
};

static inline int choose_worse(int a, int b)
{
	return a > b ? a : b;
}

static inline struct cairn_bytes borrow_string(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

struct verb {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

/* Run the verb that argv[1] names. `name` is the words before it, such as "cairn sframe". */
int verbs_run(const char *name, const char *about, const struct verb *verbs, size_t count, int argc,
              char **argv);

/*
 * Run a whole program: set up stderr and the guard for truncated files, handle `--version`, run the
 * verb, flush the output, and return the exit status.
 */
int program_run(const char *name, const char *about, const struct verb *verbs, size_t count,
                int argc, char **argv);

/* Run a program that is a single verb, such as cairn called as addr2line. */
int program_run_verb(const struct verb *verb, int argc, char **argv);

/*
 * Write the path of another file of cairn to `path`. `built` is relative to the build directory and
 * is used if this program runs from there; `installed` is relative to the installation prefix.
 * Absolute paths are kept. Return false if /proc/self/exe cannot be read or the path is too long.
 */
enum { OWN_FILE_PATH = 4096 };
bool own_file_path(const char *installed, const char *built, char path[OWN_FILE_PATH]);

enum form {
	FORM_TEXT,
	FORM_LINES,
	FORM_JSON,
};

/* Values of an option that may be repeated. */
enum { OPTION_WORDS_MAX = 64 };

struct option_words {
	const char *word[OPTION_WORDS_MAX];
	size_t count;
};

/* An option. Exactly one of the pointers from `flag` to `form` is set, and receives the value. */
struct option {
	const char *name;
	char letter;          /* one-letter name: "-n VALUE" or "-nVALUE"; 0 for a long name only */
	const char *argument; /* name of the value in --help; NULL if the option has no value */
	const char *help;     /* NULL hides the option: an old name that still works */
	unsigned rights;
	bool *flag;
	const char **text;
	const char **folders; /* DIR:DIR; repeated options append */
	struct option_words *words;
	uint64_t *number; /* decimal, or hexadecimal after 0x */
	enum form *form;  /* set to `chosen`; the last such option wins */
	enum form chosen;
};

/*
 * Rows for an option without a value, with a string, and with a number. The _OF variants add a
 * letter.
 */
#define OPTION_FLAG(word, says, where) OPTION_FLAG_OF(0, word, says, where)
#define OPTION_TEXT(word, value, says, where) OPTION_TEXT_OF(0, word, value, says, where)
#define OPTION_NUMBER(word, value, says, where) OPTION_NUMBER_OF(0, word, value, says, where)
#define OPTION_FLAG_OF(key, word, says, where) OPTION_ROW(key, word, NULL, says, flag, where)
#define OPTION_TEXT_OF(key, word, value, says, where) \
	OPTION_ROW(key, word, value, says, text, where)
#define OPTION_NUMBER_OF(key, word, value, says, where) \
	OPTION_ROW(key, word, value, says, number, where)
/* Rows for a repeatable option, for directories to search, and for an output file. */
#define OPTION_WORDS(word, value, says, where) OPTION_ROW(0, word, value, says, words, where)
#define OPTION_FOLDERS(word, value, says, where) \
	OPTION_WITH(RIGHT_FINDS | RIGHT_DIRECTORY, folders, 0, word, value, says, where)
#define OPTION_OUTPUT(key, word, value, says, where) \
	OPTION_WITH(RIGHT_OUTPUT, text, key, word, value, says, where)
#define OPTION_ROW(key, word, value, says, member, where) \
	OPTION_WITH(0, member, key, word, value, says, where)
#define OPTION_WITH(kept, member, key, word, value, says, where)                      \
	{                                                                             \
		.name = (word), .letter = (key), .argument = (value), .help = (says), \
		.rights = (kept), .member = (where)                                   \
	}

#define OPTION_FORM(word, says, form_of, where)                                      \
	{                                                                            \
		.name = (word), .help = (says), .form = (where), .chosen = (form_of) \
	}
#define OPTION_LINES(where) \
	OPTION_FORM("lines", "one record per line, for scripts", FORM_LINES, where)
#define OPTION_JSON(where) OPTION_FORM("json", "one JSON object per line", FORM_JSON, where)
/* --quiet for verbs that print progress but no notes. */
#define OPTION_NO_PROGRESS(where) OPTION_FLAG("quiet", "print no progress on a terminal", where)

#define OPTION_DIRECTORY(where)                     \
	OPTION_FOLDERS("directory", "DIR[:DIR...]", \
	               "search these directories for symbols and debug files", where)
/* Old name of --directory. */
#define OPTION_DEBUG_FILE_DIRECTORY(where) \
	OPTION_FOLDERS("debug-file-directory", "DIR[:DIR...]", NULL, where)

/* --directory and its old name. */
#define OPTIONS_DIRECTORIES(where) OPTION_DIRECTORY(where), OPTION_DEBUG_FILE_DIRECTORY(where)
#define OPTION_SYSROOT(says, where) \
	OPTION_WITH(RIGHT_DIRECTORY, text, 0, "sysroot", "DIR", says, where)
#define OPTION_DEBUGINFOD(says, where) \
	OPTION_WITH(RIGHT_NETWORK | RIGHT_FETCHES, flag, 0, "debuginfod", NULL, says, where)
#define OPTION_DEBUGINFOD_DEADLINE(where)               \
	OPTION_NUMBER("debuginfod-deadline", "SECONDS", \
	              "wait at most this long for each file (10)", where)

enum { OPERANDS_MANY = 1 << 30 };

struct command {
	const char *usage; /* as --help shows it: "cairn thing [OPTION...] FILE..." */
	const char *about; /* lines for --help, without the last newline */
	const struct option *options;
	size_t option_count;
	struct {
		int least, most;
		/* names for messages; all further operands have the last name */
		const char *name[3];
	} operands;
	unsigned rights;
};

/* A struct command: COMMAND("cairn thing FILE...", about, options, OPERANDS(1, 1, "FILE")). */
#define COMMAND(shown, says, table, ...)                            \
	{                                                           \
		(shown), (says), (table), COUNT(table), __VA_ARGS__ \
	}
#define OPERANDS(fewest, greatest, ...) .operands = { fewest, greatest, { __VA_ARGS__ } }

/*
 * Parse the options, and leave *argc operands in argv[0] to argv[*argc - 1]. Options and operands
 * may be mixed; "--" ends the options; "-" is an operand. Confines the process on success. Return
 * false if the command is finished, after --help or a usage error, and set *status to the exit
 * status.
 */
bool options_parse(const struct command *command, int *argc, char **argv, int *status);

/*
 * Hook for options_parse_then(): `run` is called after the options are parsed, while the process
 * still has all its rights, for example to start another program. It returns an exit status; any
 * other than EXIT_CLEAN ends the command.
 */
struct options_before {
	int (*run)(void *context);
	void *context;
};
bool options_parse_then(const struct command *command, int *argc, char **argv,
                        const struct options_before *before, int *status);

/* Print " (did you mean '--best'?)" on standard error if a similar word was found. */
struct similar_word;
void print_suggestion(const struct similar_word *typed, const char *dashes);

/* Print "cairn: ...; try 'cairn thing --help'", and return EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...) CLI_FORMAT(2);

/* Print "# FILE", which separates the --lines output of several files. */
void print_file_name(const char *path);

/*
 * Implement a verb that handles each FILE on its own: parse the options, and call `take` for the
 * files in order. With several files, FORM_LINES prints the file name before each. Return the worst
 * status of `take`.
 */
struct for_each_file {
	int (*take)(const char *path, const void *context);
	const void *context;
	const enum form *form; /* may be NULL */
	/* further file that each call of `take` opens; either pointer may be NULL */
	const char *const *with;
};

int for_each_file(const struct command *command, int argc, char **argv,
                  const struct for_each_file *each);

/*
 * Demangle a function name. Return `name` itself if it is not mangled. The result is in a static
 * buffer and valid until the next call.
 */
struct cairn_bytes demangled_name(struct cairn_bytes name);

/* Parse a 64-bit number, decimal or hexadecimal after "0x". Return false if anything follows it. */
bool parse_number(const char *text, uint64_t *value);

/*
 * Print "cairn: FILE: ..." on standard error, after flushing standard output. `file` may be NULL.
 */
void print_diagnostic(const char *file, const char *format, ...) CLI_FORMAT(2);

/* Print a diagnostic, and return EXIT_BROKEN or false for the caller to return. */
int fail_with(const char *file, const char *format, ...) CLI_FORMAT(2);
bool refuse_with(const char *file, const char *format, ...) CLI_FORMAT(2);

/* Print "cairn: FILE: 'WORD': why". The word is escaped because it comes from the input. */
void print_word_diagnostic(const char *file, const char *word, const char *why);

/*
 * Print the fault as "cairn: FILE: PART: REASON at byte N (0xN); NEXT". `part` names the section,
 * and `next` says how cairn continues or what it expects; both may be NULL.
 */
void print_fault_diagnostic(const char *file, const char *part, const struct cairn_fault *fault,
                            const char *next);

/* Print a message or an error of the library in the same form. */
struct cairn_message;
void print_message_diagnostic(const struct cairn_message *message);
void print_error_diagnostic(const struct cairn_error *error);

/*
 * Report once per `asked` why debuginfod did not help. Nothing is printed if the servers do not
 * have the file, or a server could not be reached. `file` may be NULL.
 */
void print_debuginfod_diagnostic(const char *file, struct debuginfod *asked,
                                 enum debuginfod_answer answer);

/*
 * Split FILE[@BASE]. The string after the last '@' is the base if it is a number; otherwise the
 * whole word is the path and *base is 0. `has_base` may be NULL. `path` holds SYMBOL_PATH_MAX
 * bytes; return false if it is too small.
 */
bool parse_placed_file(const char *word, char *path, uint64_t *base, bool *has_base);

/* Open FILE, or standard input if it is "-". On failure, print a diagnostic and return false. */
bool input_open(const char *path, struct os_file *file);

/*
 * Open FILE like input_open(), but replace a gzip, zstd, xz or lz4 file by its content. Fails if
 * the content exceeds unpack_file_limit().
 */
bool input_open_unpacked(const char *path, struct os_file *file);

/* Open an ELF file. A file that is not ELF is closed again. */
bool input_open_elf(const char *path, struct os_file *file, struct elf *elf);

/* Parse an open file as ELF. If it is not ELF, print a diagnostic and return false. */
bool input_parse_elf(const char *path, const struct os_file *file, struct elf *elf);

/*
 * The verbs of cairn, with their lines in the list of `cairn --help`. A new verb is a row here, a file
 * with its function, and the name of that file in meson.build.
 */
#define VERBS(ROW)                                                                \
	ROW(addr2line, "answer like addr2line of binutils, for perf")             \
	ROW(bt, "print stacks (backtraces) of a program from its core file")      \
	ROW(cache, "list or clear the cache of converted files")                  \
	ROW(cbf, "decode, encode and find Swift's backtraces")                    \
	ROW(crash, "report a crash, started by the kernel")                       \
	ROW(demangle, "print the demangled form of names of C++, Rust and Swift") \
	ROW(doctor, "check the installation, and what the machine allows")        \
	ROW(dwarf, "print functions, lines and inlined calls from DWARF")         \
	ROW(group, "count equal crashes by the names of their stacks")            \
	ROW(gsym, "create, show, search and check GSYM files")                    \
	ROW(markup, "add names, files and lines to logs with symbolizer markup")  \
	ROW(minidump, "create a small dump of a core or process with its stacks") \
	ROW(open, "open a minidump or backtraces of a log in GDB or LLDB")        \
	ROW(profile, "add names to profiles, and convert them")                   \
	ROW(serve, "name addresses over HTTP, beside a collector or a profiler")  \
	ROW(setup, "make a debugger load cairn when it starts")                   \
	ROW(sframe, "show, look up and check SFrame unwind tables")               \
	ROW(store, "keep symbols in a directory for any web server")              \
	ROW(symbfile, "create, show, check, send and fetch Elastic symbfiles")    \
	ROW(symbolize, "answer requests for names of stacks and addresses")       \
	ROW(symbols, "write symbols as ELF files with DWARF, for debuggers")      \
	ROW(where, "print function, file and line of addresses in a program")     \
	ROW(work, "answer requests for names from a queue")

#define VERB_DECLARATION(name, summary) int verb_##name(int argc, char **argv);
VERBS(VERB_DECLARATION)
int verb_bodies(int argc, char **argv); /* cairn-net only */

#endif
