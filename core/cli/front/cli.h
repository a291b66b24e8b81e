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
 * It needs a row in VERBS below, or in the table of its parent verb.
 */
#ifndef CAIRN_CLI_FRONT_CLI_H
#define CAIRN_CLI_FRONT_CLI_H

#include <cairn.h>

#include "rights.h"

#include "formats/elf/elf.h"
#include "os/debuginfod.h"
#include "os/file.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__GNUC__)
#define CLI_FORMAT(at) __attribute__((format(printf, at, (at) + 1)))
#else
#define CLI_FORMAT(at)
#endif

/* Exit statuses. A command with several inputs returns the highest status. */
enum {
	EXIT_CLEAN = 0,
	EXIT_MISSING = 1, /* some data was not found, or a check failed */
	EXIT_USAGE = 2,
	EXIT_BROKEN = 3, /* input is unreadable or malformed, or output cannot be written */
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

/* Run the verb in argv[1]. `name` is the command up to the verb, such as "cairn sframe". */
int verbs_run(const char *name, const char *about, const struct verb *verbs, size_t count, int argc,
              char **argv);

/*
 * Run a whole program: set up standard error and the guard for truncated files, handle `--version`,
 * run the verb, flush the output, and return the exit status.
 */
int program_run(const char *name, const char *about, const struct verb *verbs, size_t count,
                int argc, char **argv);

/*
 * Run a program that has a single verb, for example if cairn is started under the name addr2line.
 */
int program_run_verb(const struct verb *verb, int argc, char **argv);

/*
 * Find another file of cairn's installation and store its path in `path`. `built` is relative to
 * the build directory and is used if this program runs from there; `installed` is relative to the
 * installation prefix. Absolute paths are used unchanged. Return false if /proc/self/exe cannot be
 * read or the path is too long.
 */
enum { OWN_FILE_PATH = 4096 };
bool own_file_path(const char *installed, const char *built, char path[OWN_FILE_PATH]);

enum form {
	FORM_TEXT,
	FORM_LINES,
	FORM_JSON,
};

enum { OPTION_WORDS_MAX = 64 };

struct option_words {
	const char *word[OPTION_WORDS_MAX];
	size_t count;
};

/*
 * Exactly one of the pointers from `flag` to `form` must be set; the option's value is stored
 * there.
 */
struct option {
	const char *name;
	/* short name, as in "-n VALUE" or "-nVALUE"; 0 if the option has only a long name */
	char letter;
	/* placeholder for the value in --help; NULL if the option takes no value */
	const char *argument;
	/*
	 * description in --help; NULL hides the option, for example an old name that is still
	 * accepted
	 */
	const char *help;
	unsigned rights;
	bool *flag;
	const char **text;
	const char *
		*directories; /* if the option is repeated, the values are joined as "DIR:DIR" */
	struct option_words *words;
	uint64_t *number; /* decimal, or hexadecimal with the prefix 0x */
	/* set to `chosen`; if several options set the same variable, the last one takes effect */
	enum form *form;
	enum form chosen;
};

/*
 * Table rows for options without a value, with a string, and with a number. The _OF variants add a
 * short name.
 */
#define OPTION_FLAG(word, says, where) OPTION_FLAG_OF(0, word, says, where)
#define OPTION_TEXT(word, value, says, where) OPTION_TEXT_OF(0, word, value, says, where)
#define OPTION_NUMBER(word, value, says, where) OPTION_NUMBER_OF(0, word, value, says, where)
#define OPTION_FLAG_OF(key, word, says, where) OPTION_ROW(key, word, NULL, says, flag, where)
#define OPTION_TEXT_OF(key, word, value, says, where) \
	OPTION_ROW(key, word, value, says, text, where)
#define OPTION_NUMBER_OF(key, word, value, says, where) \
	OPTION_ROW(key, word, value, says, number, where)
/* Table rows for a repeatable option, for search directories, and for an output file. */
#define OPTION_WORDS(word, value, says, where) OPTION_ROW(0, word, value, says, words, where)
#define OPTION_DIRECTORIES(word, value, says, where) \
	OPTION_WITH(RIGHT_FINDS | RIGHT_DIRECTORY, directories, 0, word, value, says, where)
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
#define OPTION_NO_PROGRESS(where) OPTION_FLAG("quiet", "print no progress on a terminal", where)

#define OPTION_DIRECTORY(where)                         \
	OPTION_DIRECTORIES("directory", "DIR[:DIR...]", \
	                   "search these directories for symbols and debug files", where)
#define OPTION_DEBUG_FILE_DIRECTORY(where) \
	OPTION_DIRECTORIES("debug-file-directory", "DIR[:DIR...]", NULL, where)

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
	const char *usage;
	const char *about; /* description in --help, without a final newline */
	const struct option *options;
	size_t option_count;
	struct {
		int least, most;
		/* names of the operands in messages; further operands have the last name */
		const char *name[3];
	} operands;
	unsigned rights;
};

/*
 * Initialize a struct command: COMMAND("cairn thing FILE...", about, options, OPERANDS(1, 1,
 * "FILE")).
 */
#define COMMAND(shown, says, table, ...)                            \
	{                                                           \
		(shown), (says), (table), COUNT(table), __VA_ARGS__ \
	}
#define OPERANDS(fewest, greatest, ...) .operands = { fewest, greatest, { __VA_ARGS__ } }

/*
 * Parse the options, and leave *argc operands in argv[0] to argv[*argc - 1]. Options and operands
 * may be mixed. "--" ends the options, and "-" is an operand. On success the process is confined.
 * Return false after --help or a usage error, with the exit status in *status.
 */
bool options_parse(const struct command *command, int *argc, char **argv, int *status);

/*
 * Hook for options_parse_then(), called between parsing the options and entering the sandbox, for
 * example to start another program. `run` returns an exit status; anything but EXIT_CLEAN ends the
 * command.
 */
struct options_before {
	int (*run)(void *context);
	void *context;
};
bool options_parse_then(const struct command *command, int *argc, char **argv,
                        const struct options_before *before, int *status);

/* Print " (did you mean '--best'?)" on standard error if a similar word has been found. */
struct similar_word;
void print_suggestion(const struct similar_word *typed, const char *dashes);

/* Print "cairn: ...; try 'cairn thing --help'" and return EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...) CLI_FORMAT(2);

/* Print "# FILE" before the output for a file, if there are several files. */
void print_file_name(const char *path);

/*
 * Implements a verb that handles each FILE independently: parses the options, and calls `take` for
 * each file in order. If there are several files, FORM_LINES prints each file's name before its
 * output. Returns the highest exit status.
 */
struct for_each_file {
	int (*take)(const char *path, const void *context);
	const void *context;
	const enum form *form; /* may be NULL */
	/*
	 * *with is the path of an additional file that each call of `take` opens; `with` and *with
	 * may be NULL
	 */
	const char *const *with;
};

int for_each_file(const struct command *command, int argc, char **argv,
                  const struct for_each_file *each);

/*
 * Demangle a function name. Return `name` itself if it is not mangled. The result is valid until
 * the next call.
 */
struct cairn_bytes demangled_name(struct cairn_bytes name);

/*
 * Parse a 64-bit number, decimal or hexadecimal with the prefix 0x. Return false if the string
 * contains anything else.
 */
bool parse_number(const char *text, uint64_t *value);

/* Print "cairn: FILE: ..." on standard error after flushing standard output. `file` may be NULL. */
void print_diagnostic(const char *file, const char *format, ...) CLI_FORMAT(2);

/* Print a diagnostic, and return EXIT_BROKEN or false, so that the caller can return the result. */
int fail_with(const char *file, const char *format, ...) CLI_FORMAT(2);
bool refuse_with(const char *file, const char *format, ...) CLI_FORMAT(2);

/* Print "cairn: FILE: 'WORD': why". The word is escaped because it comes from the input. */
void print_word_diagnostic(const char *file, const char *word, const char *why);

/*
 * Print a fault as "cairn: FILE: PART: REASON at byte N (0xN); NEXT". `part` names a section of the
 * file, and `next` says how cairn continues or what it expects; both may be NULL.
 */
void print_fault_diagnostic(const char *file, const char *part, const struct cairn_fault *fault,
                            const char *next);

/* Print a message or an error from the library in the format of print_fault_diagnostic(). */
struct cairn_message;
void print_message_diagnostic(const struct cairn_message *message);
void print_error_diagnostic(const struct cairn_error *error);

/*
 * Report why debuginfod cannot be used, at most once for each `asked`. Print nothing if no server
 * has the file or if a server cannot be reached. `file` may be NULL.
 */
void print_debuginfod_diagnostic(const char *file, struct debuginfod *asked,
                                 enum debuginfod_answer answer);

/*
 * Split FILE[@BASE]. The part after the last '@' is the base if it is a number; otherwise the whole
 * word is the path, and *base is 0. `has_base` may be NULL. Return false if the path does not fit
 * into SYMBOL_PATH_MAX bytes.
 */
bool parse_placed_file(const char *word, char *path, uint64_t *base, bool *has_base);

/* Open FILE, or standard input if FILE is "-". On failure, print a diagnostic and return false. */
bool input_open(const char *path, struct os_file *file);

/*
 * Open FILE like input_open(), but decompress gzip, zstd, xz and lz4 files. Fail if the
 * decompressed size exceeds unpack_file_limit().
 */
bool input_open_unpacked(const char *path, struct os_file *file);

/* Open an ELF file like input_open(). Fail, and close the file again, if it is not ELF. */
bool input_open_elf(const char *path, struct os_file *file, struct elf *elf);

bool input_parse_elf(const char *path, const struct os_file *file, struct elf *elf);

/*
 * The verbs of cairn, with their lines in the list that `cairn --help` prints. A new verb needs a
 * row here and a source file for its function, which must be listed in meson.build.
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
int verb_bodies(int argc, char **argv); /* only in cairn-net */

#endif
