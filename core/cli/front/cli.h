/* SPDX-License-Identifier: MIT */
/*
 * What the sub-commands share: exit statuses, the table of verbs, options, messages, and opening
 * input.
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
 *		const struct command command = { "cairn thing [OPTION...] FILE...", "Prints things.",
 *			                         options, COUNT(options),
 *			                         .operands = { 1, OPERANDS_MANY, { "FILE" } } };
 *		int status = EXIT_CLEAN;
 *		if (!options_parse(&command, &argc, argv, &status))
 *			return status;
 *		... argv[0] to argv[argc - 1] are the operands
 *		return status;
 *	}
 *
 * and a row in the table at the top of main.c (or of the verb it belongs to).
 */
#ifndef CAIRN_CLI_FRONT_CLI_H
#define CAIRN_CLI_FRONT_CLI_H

#include <cairn.h>

#include "rights.h"

#include "formats/elf/elf.h"
#include "os/file/file.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__GNUC__)
#define CLI_FORMAT(at) __attribute__((format(printf, at, (at) + 1)))
#else
#define CLI_FORMAT(at)
#endif

/* The worst one over all input is the program's. */
enum {
	EXIT_CLEAN = 0,
	EXIT_MISSING = 1, /* something was not found, or is not clean */
	EXIT_USAGE = 2,
	EXIT_BROKEN =
		3, /* input that cannot be read or is malformed, output that cannot be written */
};

static inline int choose_worse(int a, int b)
{
	return a > b ? a : b;
}

struct verb {
	const char *name;
	const char *summary;               /* one phrase for --help */
	int (*run)(int argc, char **argv); /* argv[0] is the verb itself */
};

/* Run the verb that argv[1] names.  `name` is the words before it, such as "cairn sframe". */
int verbs_run(const char *name, const char *about, const struct verb *verbs, size_t count, int argc,
              char **argv);

/* The same from the start of a program to its exit status; `--version` too. */
int program_run(const char *name, const char *about, const struct verb *verbs, size_t count,
                int argc, char **argv);

/* The same of a program that is one verb, which argv[0] stands for. */
int program_run_verb(const struct verb *verb, int argc, char **argv);

/*
 * The path of another file of cairn.  `built` is its place in a build folder, when this program runs from
 * there; `installed` its place below the prefix otherwise.  Absolute paths stay.  False: nobody knows.
 */
enum { OWN_FILE_PATH = 4096 };
bool own_file_path(const char *installed, const char *built, char path[OWN_FILE_PATH]);

enum form {
	FORM_TEXT,
	FORM_LINES,
	FORM_JSON,
};

/* What an option was given, which may be given again. */
enum { OPTION_WORDS_MAX = 64 };

struct option_words {
	const char *word[OPTION_WORDS_MAX];
	size_t count;
};

/* One option; of the last ones, one is set, the place it goes to. */
struct option {
	const char *name;     /* without the dashes */
	char letter;          /* after one dash, with the value after it or in the next word */
	const char *argument; /* what --help calls its value; NULL when it has none */
	const char *help;     /* NULL: an old name, which works and is not shown */
	unsigned rights;      /* enum right */
	bool *flag;
	const char **text;
	const char **folders; /* DIR:DIR; what is given later goes after it */
	struct option_words *words;
	uint64_t *number; /* decimal, or hexadecimal after 0x */
	enum form *form;  /* gets `chosen`; the last one on the line counts */
	enum form chosen;
};

/* An option without a value, with a text, and with a number; then those that have a letter, too. */
#define OPTION_FLAG(word, says, where) OPTION_FLAG_OF(0, word, says, where)
#define OPTION_TEXT(word, value, says, where) OPTION_TEXT_OF(0, word, value, says, where)
#define OPTION_NUMBER(word, value, says, where) OPTION_NUMBER_OF(0, word, value, says, where)
#define OPTION_FLAG_OF(key, word, says, where) OPTION_ROW(key, word, NULL, says, flag, where)
#define OPTION_TEXT_OF(key, word, value, says, where) \
	OPTION_ROW(key, word, value, says, text, where)
#define OPTION_NUMBER_OF(key, word, value, says, where) \
	OPTION_ROW(key, word, value, says, number, where)
/* One that may be given again, one that names directories in which files are found, and one that names an output. */
#define OPTION_WORDS(word, value, says, where) OPTION_ROW(0, word, value, says, words, where)
#define OPTION_FOLDERS(word, value, says, where) \
	OPTION_WITH(RIGHT_FINDS | RIGHT_DIRECTORY, folders, 0, word, value, says, where)
#define OPTION_OUTPUT(key, word, value, says, where) \
	OPTION_WITH(RIGHT_OUTPUT, text, key, word, value, says, where)
#define OPTION_ROW(key, word, value, says, member, where) \
	OPTION_WITH(0, member, key, word, value, says, where)
/* One that the process needs rights for. */
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
/* The option of verbs that print no messages but progress beside their answers. */
#define OPTION_NO_PROGRESS(where) OPTION_FLAG("quiet", "show no progress on a terminal", where)

/* Folders of symbols have one name in all verbs. */
#define OPTION_DIRECTORY(where)                     \
	OPTION_FOLDERS("directory", "DIR[:DIR...]", \
	               "search these folders for symbols and debug files", where)
/* The name that folders of debug files had. */
#define OPTION_DEBUG_FILE_DIRECTORY(where) \
	OPTION_FOLDERS("debug-file-directory", "DIR[:DIR...]", NULL, where)

#define OPTION_DEBUGINFOD_DEADLINE(where) \
	OPTION_NUMBER("debuginfod-deadline", "SECONDS", "wait this long for each file (10)", where)

enum { OPERANDS_MANY = 1 << 30 };

struct command {
	const char *usage; /* as --help shows it: "cairn thing [OPTION...] FILE..." */
	const char *about; /* some lines for --help, without the last newline */
	const struct option *options;
	size_t option_count;
	struct {
		int least, most;
		const char *name[3]; /* for messages; the last one also stands for those after it */
	} operands;
	unsigned rights; /* enum right */
};

/*
 * Takes the options out of argv and leaves the operands: *argc of them from argv[0] on.  Options
 * and operands may be mixed; "--" ends the options; "-" is an operand.  False when the command is
 * done, with --help or wrong usage: *status is what to return.
 */
bool options_parse(const struct command *command, int *argc, char **argv, int *status);

/* What is to be done when the options are known and the process has its rights yet, such as to start another program; an exit status. */
struct options_before {
	int (*run)(void *context);
	void *context;
};
bool options_parse_then(const struct command *command, int *argc, char **argv,
                        const struct options_before *before, int *status);

/* Prints " (did you mean '--best'?)" after a word that is not known, if another one is near. */
struct similar_word;
void print_suggestion(const struct similar_word *typed, const char *dashes);

/* "cairn: ...; try 'cairn thing --help'".  Returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...) CLI_FORMAT(2);

/* Prints "# FILE" before the --lines of each of several files. */
void print_file_name(const char *path);

/*
 * A verb that does one thing with each FILE: parses the options, and takes the files in their
 * order. With `form` in FORM_LINES several files get their names before them.  Returns the worst of
 * what `take` returned.
 */
struct for_each_file {
	int (*take)(const char *path, const void *context);
	const void *context;     /* where the options go, for example */
	const enum form *form;   /* may be NULL */
	const char *const *with; /* one file more that `take` opens each time; either may be NULL */
};

int for_each_file(const struct command *command, int argc, char **argv,
                  const struct for_each_file *each);

/* A readable name of a function, in a buffer that the next call writes over; the name itself if it has none. */
struct cairn_bytes readable_name(struct cairn_bytes name);

/* A whole number, decimal or after 0x hexadecimal, of 64 bits and nothing after it. */
bool parse_number(const char *text, uint64_t *value);

/* "cairn: FILE: ..." on standard error, after what is still to be written on standard output. */
void print_diagnostic(const char *file, const char *format, ...) CLI_FORMAT(2);

/* Print such a message and return EXIT_BROKEN, or false, which a caller that cannot go on returns at once. */
int fail_with(const char *file, const char *format, ...) CLI_FORMAT(2);
bool refuse_with(const char *file, const char *format, ...) CLI_FORMAT(2);

/* "cairn: FILE: 'WORD': why", for words that came from outside. */
void print_word_diagnostic(const char *file, const char *word, const char *why);

/*
 * "cairn: FILE: .sframe: rows do not ascend at byte 40 (0x28); what comes next".  `part` and
 * `next` may be NULL.
 */
void print_fault_diagnostic(const char *file, const char *part, const struct cairn_fault *fault,
                            const char *next);

/* The same of what the library said, and why it failed. */
struct cairn_message;
void print_message_diagnostic(const struct cairn_message *message);
void print_error_diagnostic(const struct cairn_error *error);

/*
 * FILE[@BASE]: the base is what is after the last @ if that is a number; `has_base` may be NULL.  `path` has
 * SYMBOL_PATH_MAX bytes; false: it is too long.
 */
bool parse_placed_file(const char *word, char *path, uint64_t *base, bool *has_base);

/* Opens FILE ("-" is standard input), or gives the reason. */
bool input_open(const char *path, struct os_file *file);

/* The same; of a file in gzip, zstd, xz or lz4 what is in it, if that is not too much. */
bool input_open_unpacked(const char *path, struct os_file *file);

/* The same for an ELF file; nothing is left open when it is none. */
bool input_open_elf(const char *path, struct os_file *file, struct elf *elf);

/* Is a file that is open an ELF file?  Says so when it is none. */
bool input_parse_elf(const char *path, const struct os_file *file, struct elf *elf);

/* The verbs of main.c. */
int verb_addr2line(int argc, char **argv);
int verb_bt(int argc, char **argv);
int verb_cache(int argc, char **argv);
int verb_cbf(int argc, char **argv);
int verb_crash(int argc, char **argv);
int verb_demangle(int argc, char **argv);
int verb_doctor(int argc, char **argv);
int verb_dwarf(int argc, char **argv);
int verb_group(int argc, char **argv);
int verb_gsym(int argc, char **argv);
int verb_markup(int argc, char **argv);
int verb_minidump(int argc, char **argv);
int verb_open(int argc, char **argv);
int verb_profile(int argc, char **argv);
int verb_serve(int argc, char **argv);
int verb_bodies(int argc, char **argv); /* of cairn-net alone */
int verb_setup(int argc, char **argv);
int verb_sframe(int argc, char **argv);
int verb_store(int argc, char **argv);
int verb_symbfile(int argc, char **argv);
int verb_symbolize(int argc, char **argv);
int verb_symbols(int argc, char **argv);
int verb_where(int argc, char **argv);
int verb_work(int argc, char **argv);

#endif
