/* SPDX-License-Identifier: MIT */
/*
 * The texts of the script that the first command reads: helpers that all commands share, and the
 * lines in the body of each.
 */
#include "definitions.h"

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
const char definitions_helpers[] =
	"define cairn-new-c\n"
	"set $_cairn_number = 0\n"
	"set $_cairn_logging = 0\n"
	"set $_cairn_piped = 0\n"
	"set $_cairn_style = 0\n"
	"set $_cairn_answered = 0\n"
	"set $_cairn_again = 0\n"
	"set $_cairn_step = 0\n"
	"set $_cairn_deaf = 0\n"
	"set $_cairn_doubt = ($_gdb_major > 13) & ($_gdb_major < 17)\n"
	"end\n"
	"with language c -- cairn-new-c\n"
	"define cairn-count-c\n"
	"set $_cairn_number = $_cairn_number + 1\n"
	"set $cairn_ok = 0\n"
	"set $cairn_error = \"no answer from the module\"\n"
	"set $_cairn_again = 1\n"
	"set $_cairn_missed = 0\n"
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
	"with language c -- set $_cairn_left = $_cairn_left - 1\n"
	"end\n"
	"define cairn-say\n"
	"printf \"\001B %d %d %d %d %d\\n\", $_cairn_number, $arg0, $_gdb_major, $_thread, "
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
	"define cairn-words\n"
	"with language c -- set $_cairn_left = $arg1\n"
	"cairn-begin $arg0\n"
	"end\n";

/* To reach the module, and to go on with what its reply wants. */
const char definitions_asking[] =
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
	"set $_cairn_missed = 0\n"
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

/*
 * What hook-stop does at each stop: three words by `dump`, which needs no log, and as a rule an empty
 * answer.
 */
const char definitions_follow[] =
	"define cairn-glance-c\n"
	"set $_cairn_number = $_cairn_number + 1\n"
	"dump binary value /proc/self/fd/@REQUEST@ {1ULL,(unsigned long long)$_cairn_number,"
	"(unsigned long long)$_inferior}\n"
	"cairn-trigger-c\n"
	"end\n"
	"define cairn-glance\n"
	"if $_gdb_setting (\"logging enabled\")\n"
	"cairn-glance-c\n"
	"else\n"
	"@NOWHERE@ cairn-glance-c\n"
	"end\n"
	"end\n"
	"define cairn-follow\n"
	"if $_thread\n"
	VALUES "with language c -- cairn-glance\n"
	"source /proc/self/fd/@REPLY@\n"
	"else\n"
	"cairn-gather\n"
	"end\n"
	"end\n";

const char definitions_ends[] =
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
	"end\n"
	"define cairn-missed-c\n"
	"set $_cairn_missed = $_cairn_missed + 1\n"
	"set $_cairn_again = 2 - $_cairn_missed\n"
	"end\n"
	"define cairn-check\n"
	"if 1 - $_cairn_answered\n"
	"with language c -- cairn-missed-c\n"
	"if $_cairn_again\n"
	"cairn-reload\n"
	"else\n"
	"if $_cairn_quiet\n"
	"else\n"
	"echo cairn: no answer from the module\\n\n"
	"end\n"
	"end\n"
	"end\n"
	"if $_cairn_step\n"
	"cairn-step\n"
	"end\n"
	"end\n";

/* clang-format on */

/*
 * Send the request and execute the answer, which may send another one.  This stands in the body of
 * each command, not in a helper: so a reply can name the command's arguments, $arg0 and so on, just
 * as they were typed.
 */
const char definitions_ask[] = "while $_cairn_again\n"
			       "cairn-trigger\n"
			       "source /proc/self/fd/@REPLY@\n"
			       "cairn-check\n"
			       "end\n";

/*
 * The first request.  Interpreters may ignore logs (dap does, from GDB 14 to 16): when nothing comes by
 * a log, all goes through pipes from then on.  What is not logged would be shown, so it is thrown away.
 */
const char definitions_first[] = "if 1\n"
				 "with language c -- set $_cairn_quiet = $_cairn_quiet + 1\n"
				 "if $_cairn_doubt\n"
				 "pipe -d \001 -- cairn-ping \001 cat >/dev/null\n"
				 "else\n"
				 "cairn-ping\n"
				 "end\n"
				 "with language c -- set $_cairn_quiet = $_cairn_quiet - 1\n"
				 "if 1 - $cairn_ok\n"
				 "with language c -- set $_cairn_deaf = 1\n"
				 "cairn-ping\n"
				 "with language c -- set $_cairn_deaf = $cairn_ok\n"
				 "end\n"
				 "end\n";

/* Most commands have one word or none: these are sent at once. */
const char definitions_words[] = "if $argc\n"
				 "if $argc - 1\n"
				 "cairn-words @VERB@ $argc\n"
				 "while $_cairn_left\n"
				 "eval \"cairn-word $arg%d\", $argc - $_cairn_left\n"
				 "end\n"
				 "cairn-put \\001E\n"
				 "else\n"
				 "cairn-send-1 @VERB@ $arg0\n"
				 "end\n"
				 "else\n"
				 "cairn-send-0 @VERB@\n"
				 "end\n";
