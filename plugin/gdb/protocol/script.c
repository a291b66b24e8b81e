/* SPDX-License-Identifier: MIT */
/*
 * The GDB scripts that define the commands: what is read at the start, and what the first command
 * reads.  The module makes them, so that both are always of one version.  Assignments and
 * comparisons are put so that they mean the same in every language that GDB knows; definitions
 * inside of `if` replace older ones without a question.
 */
#include "script.h"

#include "definitions.h"

#include <stdio.h>
#include <string.h>

/*
 * @LOG@ stands for this.  It is refused while the user logs; and from GDB 17 on a log does not get
 * what is captured above it, by `frame apply` or `pipe`.  Some interpreters have no logs.  Then it goes
 * through a pipe: its text is the standard input of a shell's `cat`, and costs some milliseconds.
 */
static const char log_to[] =
	"with logging file /proc/self/fd/@REQUEST@ -- with logging redirect on -- "
	"with logging enabled on --";

/* @NOWHERE@: where nobody listens. */
static const char log_nowhere[] = "with logging file /dev/null -- with logging redirect on -- "
				  "with logging enabled on --";

struct writer {
	struct text *text;
	const struct channel *channel;
	const char *module_path;
	const char *verb; /* of the command that is being defined, an expression */
};

/* Put in what stands for a name between two @. */
static void write_lines(const struct writer *w, const char *lines)
{
	for (const char *at = lines; *at;) {
		size_t plain = strcspn(at, "@");
		text_bytes(w->text, at, plain);
		at += plain;
		if (strncmp(at, "@MODULE@", 8) == 0)
			text_add(w->text, w->module_path);
		else if (strncmp(at, "@LOG@", 5) == 0)
			write_lines(w, log_to);
		else if (strncmp(at, "@NOWHERE@", 9) == 0)
			text_add(w->text, log_nowhere);
		else if (strncmp(at, "@VERB@", 6) == 0)
			text_add(w->text, w->verb);
		else if (strncmp(at, "@REQUEST@", 9) == 0)
			text_print(w->text, "%d", w->channel->request);
		else if (strncmp(at, "@DEFINITIONS@", 13) == 0)
			text_print(w->text, "%d", w->channel->definitions);
		else if (*at)
			text_print(w->text, "%d", w->channel->reply);
		at += *at ? strcspn(at + 1, "@") + 2 : 0;
	}
}

static void write_body(const struct writer *w)
{
	write_lines(w, definitions_words);
	write_lines(w, definitions_ask);
	text_add(w->text, "end\n");
}

static void write_help(struct text *text, const struct command *command)
{
	if (!command->help)
		return;
	text_print(text, "document %s\n", command->name);
	text_add(text, command->help);
	text_print(text, "\nUsage: %s%s%s\n", command->name, *command->usage ? " " : "",
	           command->usage);
	if (command->example)
		text_print(text, "Example: %s\n", command->example);
	text_add(text, "end\n");
}

void script_define(struct text *text, const struct channel *channel,
                   const struct command_table *table, const char *module_path)
{
	struct writer w = { text, channel, module_path, "" };

	text_add(text, "if 1\n");
	write_lines(&w, definitions_helpers);
	write_lines(&w, definitions_asking);
	write_lines(&w, definitions_ends);
	write_lines(&w, definitions_follow);
	for (unsigned i = 0; i < table->count; i++) {
		char verb[16];
		snprintf(verb, sizeof(verb), "%u", i);
		w.verb = verb;
		text_print(text, "define %s\n", table->rows[i].name);
		write_body(&w);
		write_help(text, &table->rows[i]); /* GDB 13 frees it with what was there */
	}
	text_add(text, "end\n");
	text_add(text, definitions_first);
	/* and what the command that reads this was to do */
	w.verb = "$_cairn_verb";
	text_add(text, "if 1\n");
	write_body(&w);
}

static const char prefixes[] = "define-prefix cairn\n"
			       "define-prefix cairn symbols\n"
			       "define-prefix set cairn\n"
			       "define-prefix show cairn\n"
			       "document cairn\n"
			       "Call stacks and symbols for programs without debug information.\n"
			       "Use \"help cairn NAME\" for each command.\n"
			       "After each, $cairn_ok is 1, or 0 and $cairn_error says why.\n"
			       "end\n"
			       "document cairn symbols\n"
			       "Symbols that cairn gives to GDB.\n"
			       "end\n"
			       "document set cairn\nChange a setting of cairn.\nend\n"
			       "document show cairn\nShow a setting of cairn.\nend\n";

/*
 * At the start each command is two lines: the first one that is used reads all definitions, which
 * takes their place, and goes on with their last lines, for they are read in its body.
 *
 * The module is given GDB's version by the way, one byte; nothing is answered.
 */
static const char start[] =
	"if 1 - $_cairn_loaded\n"
	"with language c -- set $_cairn_loaded = 1\n"
	"with language c -- set $_cairn_quiet = 0\n"
	"with language c -- set $cairn_ok = 1\n" VALUES
	"with language c -- set $cairn_error = \"\"\n"
	"with language c -- dump binary value /proc/self/fd/@REQUEST@ (char) $_gdb_major\n"
	"define cairn-follow\nend\n"
	"define cairn-verb-c\n"
	"if $_gdb_setting (\"logging enabled\")\n"
	"set $_cairn_verb = $arg0\n"
	"else\n"
	"@NOWHERE@ set $_cairn_verb = $arg0\n"
	"end\n"
	"end\n"
	"define cairn-verb\n" VALUES "with language c -- cairn-verb-c $arg0\n"
	"end\n";

void script_start(struct text *text, const struct channel *channel,
                  const struct command_table *table)
{
	struct writer w = { text, channel, "", "" };

	write_lines(&w, start);
	text_add(text, prefixes);
	for (unsigned i = 0; i < table->count; i++) {
		text_print(text, "define %s\ncairn-verb %u\n", table->rows[i].name, i);
		write_lines(&w, "source /proc/self/fd/@DEFINITIONS@\nend\n");
		write_help(text, &table->rows[i]);
	}
	text_add(text, "end\n");
}
