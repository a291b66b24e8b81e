/* SPDX-License-Identifier: MIT */
/*
 * Generates two GDB scripts that define the commands: one for startup, and one that the first
 * command reads. The module generates the scripts so that their version is always the module's.
 * Their source is definitions.gdb.in.
 */
#define _GNU_SOURCE /* dladdr */
#include "script.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct writer {
	struct text *text;
	const struct channel *channel;
	const char *module_path;
	const char *verb; /* GDB expression for the verb of the command being defined */
};

static const char *find_module_path(void)
{
	static const char here;
	Dl_info info;

	return dladdr(&here, &info) && info.dli_fname ? info.dli_fname : "";
}

/*
 * Return a digit that identifies the set of descriptors. A single digit keeps the startup script
 * short.
 */
static int first_use_name(const struct channel *channel)
{
	return channel->definitions / 10 % 10;
}

/* Write a line, with each @NAME@ replaced with its value. */
static void write_line(const struct writer *w, const char *line)
{
	for (const char *at = line; *at;) {
		size_t plain = strcspn(at, "@");
		text_bytes(w->text, at, plain);
		at += plain;
		if (strncmp(at, "@MODULE@", 8) == 0)
			text_add(w->text, w->module_path);
		else if (strncmp(at, "@VERB@", 6) == 0)
			text_add(w->text, w->verb);
		else if (strncmp(at, "@VERSION@", 9) == 0)
			text_add(w->text, cairn_version());
		else if (strncmp(at, "@NUMBER@", 8) == 0)
			text_print(w->text, "%d", CAIRN_VERSION_NUMBER);
		else if (strncmp(at, "@REQUEST@", 9) == 0)
			text_print(w->text, "%d", w->channel->request);
		else if (strncmp(at, "@DEFINITIONS@", 13) == 0)
			text_print(w->text, "%d", w->channel->definitions);
		else if (strncmp(at, "@FIRST@", 7) == 0)
			text_print(w->text, "%d", first_use_name(w->channel));
		else if (*at)
			text_print(w->text, "%d", w->channel->reply);
		at += *at ? strcspn(at + 1, "@") + 2 : 0;
	}
}

static void write_part(const struct writer *w, const char *const *part)
{
	while (*part)
		write_line(w, *part++);
}

static void write_body(const struct writer *w)
{
	write_part(w, definitions_words);
	write_part(w, definitions_ask);
	text_add(w->text, "end\n");
}

static void write_help(struct text *text, const struct command *command)
{
	text_print(text, "document %s\n", command->name);
	text_add(text, command->help);
	text_print(text, "\nUsage: %s%s%s\n", command->name, *command->usage ? " " : "",
	           command->usage);
	if (command->example)
		text_print(text, "Example: %s\n", command->example);
	text_add(text, "end\n");
}

static void write_commands(struct writer *w, const struct command_table *table)
{
	for (unsigned i = 0; i < table->count; i++) {
		char verb[16];
		snprintf(verb, sizeof(verb), "%u", i);
		w->verb = verb;
		text_print(w->text, "define %s\n", table->rows[i]->name);
		write_body(w);
	}
}

void script_define(struct text *text, const struct channel *channel,
                   const struct command_table *table)
{
	struct writer w = { text, channel, find_module_path(), "" };

	write_part(&w, definitions_verb);
	write_part(&w, definitions_helpers);
	write_part(&w, definitions_asking);
	write_part(&w, definitions_ends);
	write_part(&w, definitions_follow);
	write_commands(&w, table);
	text_add(text, "end\n");
	/*
	 * GDB discards the help of a redefined command, so document the commands after their
	 * definitions; GDB 10 does not allow `document` inside `if`.
	 */
	for (unsigned i = 0; i < table->count; i++)
		if (table->rows[i]->help)
			write_help(text, table->rows[i]);
	write_part(&w, definitions_prefix_help);
	write_part(&w, definitions_first);
	/* run the command that has read this script */
	w.verb = "$_cairn_verb";
	write_body(&w);
}

void script_start(struct text *text, const struct channel *channel,
                  const struct command_table *table)
{
	struct writer w = { text, channel, "", "" };

	write_part(&w, definitions_start);
	write_part(&w, definitions_prefixes);
	/*
	 * The body of each command reads the definitions, then runs the real definition, which it
	 * finds by the command's number.
	 */
	for (unsigned i = 0; i < table->count; i++)
		text_print(text, "define %s\n_%d %u\nend\n", table->rows[i]->name,
		           first_use_name(channel), i);
	write_part(&w, definitions_aliases);
	/* define aliases only once, because an alias keeps working when its command is redefined */
	for (unsigned i = 0; i < table->count; i++)
		if (table->rows[i]->old_name)
			text_print(text, "alias -a %s=%s\n", table->rows[i]->old_name,
			           table->rows[i]->name);
	write_part(&w, definitions_named);
	text_add(text, "end\n");
}
