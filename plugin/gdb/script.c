/* SPDX-License-Identifier: MIT */
/*
 * The GDB script that defines the commands.  It is made by the module, so that both are always of
 * one version.  Assignments and comparisons are put so that they mean the same in every language
 * that GDB knows.
 */
#include "commands.h"

#include <string.h>

/* Text into the request: by GDB's own log, or by a shell while the user is logging. */
static const char helpers[] =
	"define-prefix cairn\n"
	"document cairn\n"
	"Call stacks and symbols for programs without debug information.\n"
	"Use \"help cairn NAME\" for each command.\n"
	"end\n"
	"define cairn-put\n"
	"if $_cairn_logging\n"
	"pipe -d \001 echo $arg0\\n \001 cat >> /proc/$PPID/fd/@REQUEST@\n"
	"else\n"
	"with logging overwrite off -- with logging file /proc/self/fd/@REQUEST@ -- with logging "
	"redirect "
	"on -- with logging enabled on -- echo $arg0\\n\n"
	"end\n"
	"end\n"
	"define cairn-word\n"
	"if $_cairn_logging\n"
	"pipe -d \001 echo W $arg0\\n \001 cat >> /proc/$PPID/fd/@REQUEST@\n"
	"else\n"
	"with logging overwrite off -- with logging file /proc/self/fd/@REQUEST@ -- with logging "
	"redirect "
	"on -- with logging enabled on -- echo W $arg0\\n\n"
	"end\n"
	"end\n"
	"define cairn-begin\n"
	"with language c -- set $_cairn_number = $_cairn_number + 1\n"
	"with language c -- set $_cairn_logging = $_gdb_setting (\"logging enabled\")\n"
	"with language c -- set $cairn_ok = 0\n"
	"eval \"cairn-put \\\\001B\\\\ %d\\\\ $arg0\\\\ %d\", $_cairn_number, $_gdb_major\n"
	"end\n"
	"define cairn-reload\n"
	"jit-reader-unload\n"
	"jit-reader-load @MODULE@\n"
	"source /proc/self/fd/@REPLY@\n"
	"end\n"
	"define cairn-ask\n"
	"with language c -- set $_cairn_answered = 0\n"
	"with language c -- set $_cairn_thread = $_thread\n"
	"if $_cairn_thread\n"
	"thread apply $_cairn_thread -q -s frame apply level 0 -q -s maint flush register-cache\n"
	"source /proc/self/fd/@REPLY@\n"
	"end\n"
	"if 1 - $_cairn_answered\n"
	"cairn-reload\n"
	"end\n"
	"if 1 - $_cairn_answered\n"
	"echo cairn: no answer from the module\\n\n"
	"end\n"
	"end\n"
	"define cairn-end\n"
	"cairn-put \\001E\n"
	"cairn-ask\n"
	"end\n";

/* Put in what stands for a name between two @. */
static void write_helpers(struct text *text, const struct channel *channel, const char *module_path)
{
	for (const char *at = helpers; *at;) {
		size_t plain = strcspn(at, "@");
		text_bytes(text, at, plain);
		at += plain;
		if (strncmp(at, "@MODULE@", 8) == 0)
			text_add(text, module_path);
		else if (strncmp(at, "@REQUEST@", 9) == 0)
			text_print(text, "%d", channel->request);
		else if (*at)
			text_print(text, "%d", channel->reply);
		at += *at ? strcspn(at + 1, "@") + 2 : 0;
	}
}

static void write_definition(struct text *text, const struct command *command, unsigned verb)
{
	text_print(text, "define %s%s\n", command->internal ? "cairn-" : "cairn ", command->name);
	text_print(text, "cairn-begin %u\n", verb);
	text_add(text, "with language c -- set $_cairn_left = $argc\n"
	               "while $_cairn_left\n"
	               "eval \"cairn-word $arg%d\", $argc - $_cairn_left\n"
	               "with language c -- set $_cairn_left = $_cairn_left - 1\n"
	               "end\n"
	               "cairn-end\n"
	               "end\n");
	if (command->internal)
		return;
	text_print(text, "document cairn %s\n", command->name);
	text_add(text, command->help);
	text_print(text, "\nUsage: cairn %s%s%s\nExample: cairn %s\nend\n", command->name,
	           *command->usage ? " " : "", command->usage, command->example);
}

/* Settings in GDB's manner, over commands of the same name. */
static void write_settings(struct text *text)
{
	text_add(text,
	         "define-prefix set cairn\n"
	         "define-prefix show cairn\n"
	         "define set cairn unwinder\ncairn-unwinder $arg0\nend\n"
	         "define show cairn unwinder\ncairn-unwinder\nend\n"
	         "define set cairn color\ncairn-color $arg0\nend\n"
	         "define show cairn color\ncairn-color\nend\n"
	         "document set cairn\nChange a setting of cairn.\nend\n"
	         "document show cairn\nShow a setting of cairn.\nend\n"
	         "document set cairn unwinder\n"
	         "Set which frames cairn unwinds.\n"
	         "auto: those for which GDB has no call frame information (the default);\n"
	         "always: wherever a module has SFrame; off: none.\n"
	         "Usage: set cairn unwinder auto|always|off\nend\n"
	         "document show cairn unwinder\nShow which frames cairn unwinds.\nend\n"
	         "document set cairn color\n"
	         "Set whether cairn's output is coloured.\n"
	         "auto: as GDB's own output (the default); on; off.\n"
	         "Usage: set cairn color auto|on|off\nend\n"
	         "document show cairn color\nShow whether cairn's output is coloured.\nend\n");
}

void script_write(struct text *text, const struct channel *channel, const char *module_path)
{
	text_add(text, "with language c -- set $_cairn_loaded = 1\n"
	               "with language c -- set $_cairn_number = 0\n"
	               "with language c -- set $_cairn_logging = 0\n"
	               "with language c -- set $_cairn_answered = 0\n"
	               "with language c -- set $cairn_ok = 1\n"
	               "with language c -- set $cairn_error = \"\"\n");
	write_helpers(text, channel, module_path);
	for (unsigned i = 0; i < command_count; i++)
		write_definition(text, &commands[i], i);
	write_settings(text);
	/* this very file: executed once */
	text_print(text, "with language c -- dump binary value /proc/self/fd/%d (char) 10\n",
	           channel->reply);
	text_add(text, "cairn-ping\n");
}
