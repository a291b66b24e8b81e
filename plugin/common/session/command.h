/* SPDX-License-Identifier: MIT */
/*
 * The words of a command: options, then operands. Operands are expressions, which may have several
 * words, and numbers: decimal, or hexadecimal after 0x. Expressions are not evaluated here.
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

/* The words from index `first` to `end` - 1. */
struct word_range {
	unsigned first, end;
};

/* Return the option without its dashes. */
const char *option_name(const char *word);

/*
 * Return the value of the next option "-name=VALUE" from word *at on, or NULL. *at is 0 at first.
 */
const char *words_next_value(const struct words *words, const char *name, unsigned *at);

struct word_range words_operands(const struct words *words);
unsigned words_count_operands(const struct words *words);

void words_join(const struct words *words, struct word_range range, struct text *text);

/* Parse operand number `index`. Returns false if it is not a number. */
bool words_parse_number(const struct words *words, unsigned index, uint64_t *number);

/*
 * Remove the last word from the expression if it is a separate number: in "p 22", but not in "p +
 * 22". Returns false if there is no such number.
 */
bool words_split_number(const struct words *words, struct word_range *expression, uint64_t *number);

/*
 * Return the index of the word that begins the second of two expressions: "p n", "p + 2 sizeof
 * (x)", "(char *) p n - 1". Returns 0 if there is only one expression.
 */
unsigned words_find_last_expression(const struct words *words);

/*
 * Commands. A command has a name, words, and steps that produce its answer.
 *
 * A step makes at most one query to the debugger (debugger.h). If the debugger answers later, the
 * step runs again, and the same query then returns its answer at once. Data passed between steps is
 * in the command's context, a struct that is zeroed before the first step and freed after the last.
 *
 *	static const struct command example = { .name = "cairn example",
 *		                                .usage = "[-json] EXPRESSION",
 *		                                .help = "Show an example.",
 *		                                .steps = { read_address, print_example },
 *		                                .context_size = sizeof(struct example) };
 */
struct session;

/* A call of a command. A plugin may embed it in a larger struct. */
struct command_call {
	struct session *session;
	const struct words *words;
	void *context;
	struct text *line; /* line being built; printed by reply_line() */
	bool json;         /* -json or --json was given */
	bool failed;
};

enum answer {
	ANSWER_READY,
	ANSWER_PENDING, /* the debugger was queried; run the step again */
	ANSWER_DONE,   /* the command ends here without an error; the remaining steps are skipped */
	ANSWER_FAILED, /* the command ends here with an error, which has been reported */
};

typedef enum answer command_step(struct command_call *call);

enum { COMMAND_STEPS = 8 };

struct command {
	const char *name;
	const char *old_name; /* alternative name that still works but is not shown, or NULL */
	/* words after the name: options as "[-json]", then operands in capitals */
	const char *usage;
	const char *help;    /* first line: one sentence; NULL hides the command from users */
	const char *example; /* may be NULL */
	command_step *steps[COMMAND_STEPS];
	unsigned variant;              /* distinguishes commands that share their steps */
	size_t context_size;           /* 0 if there is no context */
	void (*finish)(void *context); /* frees what the context holds; may be NULL */
};

struct command_table {
	const struct command *const *rows;
	unsigned count;
};

struct running_command {
	const struct command *command; /* NULL if no command is in progress */
	void *context;
	unsigned step;
	bool json; /* -json was read by an earlier step */
};

/*
 * Free the state of an interrupted command, check the words against the usage, and create the
 * context. Returns false if an error was reported.
 */
bool command_begin(struct command_call *call, const struct command *command);

/* Run the remaining steps. The command has ended unless it returns ANSWER_PENDING. */
enum answer command_continue(struct command_call *call);

bool command_call_option(const struct command_call *call, const char *name);

/* Return the operands joined by spaces, or an empty string. Valid until the next call. */
const char *command_call_expression(struct command_call *call);

/* Return the operands as a file name, without quotes around it. */
const char *command_call_path(struct command_call *call);

__attribute__((format(printf, 2, 3))) void reply_print(struct command_call *call,
                                                       const char *format, ...);

/* Print call->line as one line, and clear it. */
void reply_line(struct command_call *call);

/* Begin and print an answer that consists of one JSON object on one line. */
struct json_writer reply_begin_json(struct command_call *call);
void reply_end_json(struct command_call *call, struct json_writer *json);

/* Print an error; $cairn_ok becomes 0 and $cairn_error the message. */
__attribute__((format(printf, 2, 3))) void reply_error(struct command_call *call,
                                                       const char *format, ...);

/* Set a convenience variable for scripts, if the debugger has such variables. */
void reply_set(struct command_call *call, const char *name, uint64_t value);
void reply_set_string(struct command_call *call, const char *name, const char *value);

#ifdef __cplusplus
}
#endif

#endif
