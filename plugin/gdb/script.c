/* SPDX-License-Identifier: MIT */
/*
 * The GDB script that defines the commands.  It is made by the module, so that both are always of
 * one version.  Assignments and comparisons are put so that they mean the same in every language
 * that GDB knows; definitions inside of `if` replace older ones without a question.
 */
#include "commands.h"

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

/* Texts of ours are values; the user may have values be small. */
#define VALUES "with max-value-size unlimited -- "

/* Write what a command prints into the request: over what is there, or behind it. */
#define INTO_REQUEST(how, overwrite, command)                                     \
	"if $_cairn_piped\n"                                                      \
	"pipe -d \001 -- " command " \001 cat " how " /proc/$PPID/fd/@REQUEST@\n" \
	"else\n"                                                                  \
	"with logging overwrite " overwrite " -- @LOG@ " command "\n"             \
	"end\n"
#define ANEW(command) INTO_REQUEST(">", "on", command)
#define BEHIND(command) INTO_REQUEST(">>", "off", command)

/*
 * In a frame of another language GDB warns of C: once, until the frame changes.  So what runs in C
 * runs first where nobody listens; a condition is no command, and gives no warning.
 *
 * Each line costs GDB some 10 us, each time that a log is opened 50, and each byte of a reply 1 or
 * 2, for it reads a sourced file byte by byte: what can be is in these helpers, and what is written
 * is written at once.
 */
/* clang-format off */
static const char helpers[] =
	"define cairn-count-c\n"
	"set $_cairn_number = $_cairn_number + 1\n"
	"set $cairn_ok = 0\n"
	"set $cairn_error = \"no answer from the module\"\n"
	"set $_cairn_again = 1\n"
	"end\n"
	"define cairn-alone-c\n"
	"set $_cairn_logging = 0\n"
	"set $_cairn_piped = ($_gdb_major > 16) | $_cairn_deaf\n"
	"set $_cairn_style = $_gdb_setting (\"style enabled\")\n"
	"cairn-count-c\n"
	"end\n"
	"define cairn-start-c\n"
	"if $_gdb_setting (\"logging enabled\")\n"
	"set $_cairn_logging = 1\n"
	"set $_cairn_piped = 1\n"
	"set $_cairn_style = 0\n"
	"cairn-count-c\n"
	"else\n"
	"@NOWHERE@ cairn-alone-c\n"
	"end\n"
	"end\n"
	"define cairn-clear\n"
	ANEW("echo")
	"end\n"
	"define cairn-put\n"
	BEHIND("echo $arg0\\n")
	"end\n"
	"define cairn-word\n"
	BEHIND("echo W $arg0 \\n")
	"end\n"
	"define cairn-say\n"
	"printf \"\001B %d $arg0 %d %d %d\\n\", $_cairn_number, $_gdb_major, $_thread, "
	"$_cairn_style\n"
	"end\n"
	"define cairn-say-0\n"
	"cairn-say $arg0\n"
	"echo \\001E\\n\n"
	"end\n"
	"define cairn-say-1\n"
	"cairn-say $arg0\n"
	"echo W $arg1 \\n\\001E\\n\n"
	"end\n"
	"define cairn-send-0\n"
	VALUES "with language c -- cairn-start-c\n"
	ANEW("cairn-say-0 $arg0")
	"end\n"
	"define cairn-send-1\n"
	VALUES "with language c -- cairn-start-c\n"
	ANEW("cairn-say-1 $arg0 $arg1")
	"end\n"
	"define cairn-begin\n"
	VALUES "with language c -- cairn-start-c\n"
	ANEW("cairn-say $arg0")
	"end\n"
	"define cairn-trigger-c\n"
	"set $_cairn_again = 0\n"
	"set $_cairn_step = 0\n"
	"set $_cairn_answered = 0\n"
	"set $_cairn_thread = $_thread\n"
	"if $_cairn_thread\n"
	"thread apply $_cairn_thread -q -s frame apply level 0 -q -s maint flush register-cache\n"
	"end\n"
	"end\n"
	"define cairn-trigger\n"
	"if $_cairn_logging\n"
	"with language c -- cairn-trigger-c\n"
	"else\n"
	"@NOWHERE@ with language c -- cairn-trigger-c\n"
	"end\n"
	"end\n"
	"define cairn-next-c\n"
	"set $_cairn_answered = 1\n"
	"set $_cairn_number = $arg0\n"
	"set $_cairn_again = 1\n"
	"end\n"
	"define cairn-next\n"
	"cairn-put \\001E\n"
	"with language c -- cairn-next-c $arg0\n"
	"end\n"
	"define cairn-collect\n"
	"with language c -- cairn-next-c $arg0\n"
	BEHIND("with language c -- cairn-output")
	"end\n"
	"define cairn-level-c\n"
	"info frame\n"
	"echo \\001E\\n\n"
	"end\n"
	"define cairn-level\n"
	"with language c -- cairn-next-c $arg0\n"
	BEHIND(VALUES "cairn-level-c")
	"end\n"
	"define cairn-value-of\n"
	"frame apply level $arg0 -q -c printf \"V%lx\\n\", $arg1\n"
	"echo \\001E\\n\n"
	"end\n"
	"define cairn-value\n"
	"with language c -- cairn-next-c $arg0\n"
	BEHIND(VALUES "cairn-value-of $arg1 $arg2")
	"end\n"
	"define cairn-plain-here\n"
	"printf \"V%lx\\n\", $arg0\n"
	"if $arg1\n"
	"printf \"\002%d 0\\n\", $_cairn_number\n"
	"info symbol $arg0\n"
	"info line *$arg0\n"
	"end\n"
	"end\n"
	"define cairn-plain-of\n"
	"frame apply level 0 -q -c cairn-plain-here $arg0 $arg1\n"
	"echo \\002\\n\n"
	"info frame\n"
	"echo \\001E\\n\n"
	"end\n"
	"define cairn-plain\n"
	"with language c -- cairn-next-c $arg0\n"
	BEHIND(VALUES "cairn-plain-of $arg1 $arg2")
	"end\n"
	"define cairn-at\n"
	"printf \"\002%d $arg0\\n\", $_cairn_number\n"
	"info symbol $arg1\n"
	"info line *$arg1\n"
	"end\n";

static const char ends[] =
	"define cairn-got\n"
	"with language c -- set $_cairn_answered = 1\n"
	"end\n"
	"define cairn-set\n"
	"with language c -- set $$arg0 = $arg1\n"
	"end\n"
	"define cairn-done-c\n"
	"set $_cairn_answered = 1\n"
	"set $cairn_ok = 1\n"
	"set $cairn_error = \"\"\n"
	"end\n"
	"define cairn-done\n"
	VALUES "with language c -- cairn-done-c\n"
	"end\n"
	"define cairn-reload\n"
	"jit-reader-unload\n"
	"jit-reader-load @MODULE@\n"
	"end\n";

/* clang-format on */

/*
 * Send the request and execute the answer, which may send another one.  This stands in the body of
 * each command, not in a helper: so a reply can name the command's arguments, $arg0 and so on, just
 * as they were typed.
 */
static const char ask[] = "while $_cairn_again\n"
			  "cairn-trigger\n"
			  "source /proc/self/fd/@REPLY@\n"
			  "if 1 - $_cairn_answered\n"
			  "cairn-reload\n"
			  "source /proc/self/fd/@REPLY@\n"
			  "if 1 - ($_cairn_answered | $_cairn_quiet)\n"
			  "echo cairn: no answer from the module\\n\n"
			  "end\n"
			  "end\n"
			  "if $_cairn_step\n"
			  "cairn-step\n"
			  "end\n"
			  "end\n";

/*
 * The first request.  Interpreters may ignore logs (dap does until GDB 16): when nothing comes by a log,
 * all goes through pipes from then on.
 */
static const char first[] = "with language c -- set $_cairn_quiet = 1\n"
			    "cairn-ping\n"
			    "with language c -- set $_cairn_quiet = 0\n"
			    "if 1 - $cairn_ok\n"
			    "with language c -- set $_cairn_deaf = 1\n"
			    "cairn-ping\n"
			    "with language c -- set $_cairn_deaf = $cairn_ok\n"
			    "end\n"
			    "end\n";

/* Most commands have one word or none: these are sent at once. */
static const char words[] = "if $argc\n"
			    "if $argc - 1\n"
			    "cairn-begin @VERB@\n"
			    "with language c -- set $_cairn_left = $argc\n"
			    "while $_cairn_left\n"
			    "eval \"cairn-word $arg%d\", $argc - $_cairn_left\n"
			    "with language c -- set $_cairn_left = $_cairn_left - 1\n"
			    "end\n"
			    "cairn-put \\001E\n"
			    "else\n"
			    "cairn-send-1 @VERB@ $arg0\n"
			    "end\n"
			    "else\n"
			    "cairn-send-0 @VERB@\n"
			    "end\n";

struct writer {
	struct text *text;
	const struct channel *channel;
	const char *module_path;
	unsigned verb; /* of the command that is being defined */
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
			text_print(w->text, "%u", w->verb);
		else if (strncmp(at, "@REQUEST@", 9) == 0)
			text_print(w->text, "%d", w->channel->request);
		else if (*at)
			text_print(w->text, "%d", w->channel->reply);
		at += *at ? strcspn(at + 1, "@") + 2 : 0;
	}
}

static void write_definition(const struct writer *w, const struct command *command)
{
	text_print(w->text, "define %s\n", command->name);
	write_lines(w, words);
	write_lines(w, ask);
	text_add(w->text, "end\n");
	if (!command->help)
		return;
	text_print(w->text, "document %s\n", command->name);
	text_add(w->text, command->help);
	text_print(w->text, "\nUsage: %s%s%s\n", command->name, *command->usage ? " " : "",
	           command->usage);
	if (command->example)
		text_print(w->text, "Example: %s\n", command->example);
	text_add(w->text, "end\n");
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

void script_write(struct text *text, const struct channel *channel, const char *module_path)
{
	struct writer w = { text, channel, module_path, 0 };

	text_add(text, "if 1 - $_cairn_loaded\n"
	               "with language c -- set $_cairn_loaded = 1\n"
	               "with language c -- set $_cairn_number = 0\n"
	               "with language c -- set $_cairn_logging = 0\n"
	               "with language c -- set $_cairn_piped = 0\n"
	               "with language c -- set $_cairn_style = 0\n"
	               "with language c -- set $_cairn_answered = 0\n"
	               "with language c -- set $_cairn_again = 0\n"
	               "with language c -- set $_cairn_step = 0\n"
	               "with language c -- set $_cairn_quiet = 0\n"
	               "with language c -- set $_cairn_deaf = 0\n"
	               "with language c -- set $cairn_ok = 1\n"
	               VALUES "with language c -- set $cairn_error = \"\"\n");
	text_add(text, prefixes);
	write_lines(&w, helpers);
	write_lines(&w, ends);
	for (; w.verb < command_count; w.verb++)
		write_definition(&w, &commands[w.verb]);
	text_add(text, first);
}
