/* SPDX-License-Identifier: MIT */
/*
 * The words of a command: options, then operands. An operand is an expression of one or more words,
 * or a number, which is decimal or, with 0x, hexadecimal. Expressions are not evaluated here.
 *
 *	struct word_range expression = words_operands(words);
 *	uint64_t length = 0;
 *	words_split_number(words, &expression, &length);        "trace 22"
 */
#ifndef CAIRN_COMMON_SESSION_COMMAND_H
#define CAIRN_COMMON_SESSION_COMMAND_H

#include "common/base/json_writer.h"
#include "common/base/text.h"

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WORDS_MAX = 64 };

struct words {
	const char *word[WORDS_MAX];
	unsigned count;
	bool too_many;
};

/* A range of words: indices `first` to `end` - 1. */
struct word_range {
	unsigned first, end;
};

const char *option_name(const char *word);

/*
 * Return the value of the next option "-name=VALUE", or NULL. The search starts at the word with
 * the index *at and advances *at; initialize *at to 0.
 */
const char *words_next_value(const struct words *words, const char *name, unsigned *at);

struct word_range words_operands(const struct words *words);
unsigned words_count_operands(const struct words *words);

void words_join(const struct words *words, struct word_range range, struct text *text);

bool words_parse_number(const struct words *words, unsigned index, uint64_t *number);

/*
 * If the last word is a separate number, parse it and remove it from the expression. "p 22" ends
 * with such a number, but "p + 22" does not. Returns false if the last word is not a separate
 * number.
 */
bool words_split_number(const struct words *words, struct word_range *expression, uint64_t *number);

/*
 * Return the index of the first word of the second expression in strings such as "p n", "p + 2
 * sizeof (x)" or "(char *) p n - 1". Returns 0 if there is only one expression.
 */
unsigned words_find_last_expression(const struct words *words);

/*
 * Commands. A command has a name, a usage, and steps that produce its answer.
 *
 * A step makes at most one query to the debugger (debugger.h). If the debugger answers later, the
 * step runs again, and the same query then returns its answer at once. Steps share data in the
 * command's context, a struct that is zero-filled before the first step and freed after the last.
 *
 *	static const struct command example = { .name = "cairn example",
 *		                                .usage = "[-json] EXPRESSION",
 *		                                .help = "Show an example.",
 *		                                .steps = { read_address, print_example },
 *		                                .context_size = sizeof(struct example) };
 */
struct session;

/* One call of a command. A plugin may embed it in a larger struct. */
struct command_call {
	struct session *session;
	const struct words *words;
	void *context;
	struct text *line; /* output line being built; reply_line() prints it */
	bool json;
	bool failed;
};

enum answer {
	ANSWER_READY,
	ANSWER_PENDING, /* the debugger has been queried; repeat this step when it has answered */
	ANSWER_DONE,    /* the command succeeded; skip the remaining steps */
	ANSWER_FAILED,  /* the command failed and has reported an error */
};

typedef enum answer command_step(struct command_call *call);

enum { COMMAND_STEPS = 8 };

struct command {
	const char *name;
	const char *old_name; /* hidden alternative name, or NULL */
	/* words after the name: options such as "[-json]", then operands in capitals */
	const char *usage;
	/* help text with a one-sentence first line; NULL hides the command from users */
	const char *help;
	const char *example;
	command_step *steps[COMMAND_STEPS];
	unsigned variant; /* distinguishes commands with the same steps */
	size_t context_size;
	void (*finish)(void *context);
};

struct command_table {
	const struct command *const *rows;
	unsigned count;
};

struct running_command {
	const struct command *command;
	void *context;
	unsigned step;
	bool json; /* an earlier step parsed -json */
};

/*
 * Begin a command: free the state left by an interrupted command, check the words against the
 * usage, and create the context. Returns false if an error has been reported.
 */
bool command_begin(struct command_call *call, const struct command *command);

/* Run the remaining steps. The command has ended unless the result is ANSWER_PENDING. */
enum answer command_continue(struct command_call *call);

bool command_call_option(const struct command_call *call, const char *name);

/* Return the operands joined by spaces, or an empty string. Valid until the next call. */
const char *command_call_expression(struct command_call *call);

/* Return the operands as a file name, without surrounding quotes. */
const char *command_call_path(struct command_call *call);

__attribute__((format(printf, 2, 3))) void reply_print(struct command_call *call,
                                                       const char *format, ...);

/* Print call->line as one line, and clear it. */
void reply_line(struct command_call *call);

/* Begin an answer that is one JSON object on one line. */
struct json_writer reply_begin_json(struct command_call *call);
void reply_end_json(struct command_call *call, struct json_writer *json);

/* Print an error. Sets $cairn_ok to 0 and $cairn_error to the message. */
__attribute__((format(printf, 2, 3))) void reply_error(struct command_call *call,
                                                       const char *format, ...);

/* Set a convenience variable for scripts, if the debugger supports them. */
void reply_set(struct command_call *call, const char *name, uint64_t value);
void reply_set_string(struct command_call *call, const char *name, const char *value);

#ifdef __cplusplus
}
#endif

#endif
