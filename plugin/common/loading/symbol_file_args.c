/* SPDX-License-Identifier: MIT */
/* Parses the options and operands of add-gsym, add-symbfile and add-breakpad. */
#include "symbol_file_args.h"

#include "common/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *symbol_file_args_command(enum cairn_symbol_format format)
{
	static const char *const names[] = { "add-gsym", "add-symbfile", "add-breakpad",
		                             "symbols load" };

	return names[format];
}

const char *symbol_file_args_format(enum cairn_symbol_format format)
{
	static const char *const names[] = { "GSYM", "a symbfile", "a Breakpad file",
		                             "a Go program" };

	return names[format];
}

static void add_word(struct symbol_file_args *args, const char *word)
{
	size_t size = strlen(args->path), more = strlen(word);

	if (size + more + 2 > sizeof(args->path))
		return;
	if (size > 0)
		args->path[size++] = ' ';
	memcpy(args->path + size, word, more + 1);
}

static void strip_quotes(char *path)
{
	size_t size = strlen(path);

	if (size < 2 || (*path != '"' && *path != '\'') || path[size - 1] != *path)
		return;
	memmove(path, path + 1, size - 2);
	path[size - 2] = '\0';
}

static bool parse_offset(const char *word, uint64_t *offset)
{
	char *end;

	*offset = strtoull(word, &end, 0);
	return *word >= '0' && *word <= '9' && *end == '\0';
}

/* Parse an option without a value. Returns false if it is unknown. */
static bool parse_flag(struct command_call *call, struct symbol_file_args *args, const char *name)
{
	if (strcmp(name, "force") == 0)
		args->force = true;
	else if (strcmp(name, "only") == 0)
		args->only = true;
	else if (strcmp(name, "json") == 0)
		call->json = true;
	else
		return false;
	return true;
}

enum taken { TAKEN_NOT, TAKEN, TAKEN_BADLY };

static enum taken parse_value_option(struct command_call *call, struct symbol_file_args *args,
                                     const char *name, const char *value)
{
	if (strcmp(name, "module") == 0) {
		args->module = value;
	} else if (strcmp(name, "url") == 0 && args->format == CAIRN_SYMBOLS_SYMBFILE) {
		args->url = value;
	} else if (strcmp(name, "offset") != 0) {
		return TAKEN_NOT;
	} else if (!parse_offset(value, &args->offset)) {
		reply_error(call, "not a number: %s", value);
		return TAKEN_BADLY;
	}
	return TAKEN;
}

/* Parse all words. Options may precede or follow the file. */
static bool parse_words(struct command_call *call, struct symbol_file_args *args)
{
	const struct words *r = call->words;

	for (unsigned i = 0; i < r->count; i++) {
		const char *word = r->word[i], *name = option_name(word);
		bool option = word[0] == '-', more = i + 1 < r->count;
		if (option && parse_flag(call, args, name))
			continue;
		enum taken taken = option && more
		                           ? parse_value_option(call, args, name, r->word[i + 1])
		                           : TAKEN_NOT;
		if (taken == TAKEN_BADLY)
			return false;
		if (taken == TAKEN)
			i++;
		else
			add_word(args, word);
	}
	return true;
}

/*
 * Get the FileID from the file name FILEID.symbfile, because a symbfile does not record its
 * executable. If the word is just a FileID, use the file in the cache.
 */
static void find_id(struct symbol_file_args *args)
{
	const char *name = path_last_part(args->path);
	size_t size = strcspn(name, ".");
	char stem[64];

	if (size < sizeof(stem)) {
		memcpy(stem, name, size);
		stem[size] = '\0';
		args->has_id = cairn_file_id_parse(stem, &args->id);
	}
	if (!args->has_id || name != args->path || name[size] != '\0' || access(name, F_OK) == 0)
		return;
	args->fetched = cairn_file_id_path(&args->id, args->path, sizeof(args->path));
}

/*
 * Make the path absolute: the file is looked for again when its module is reloaded, and the
 * debugger's current directory may have changed by then.
 */
static bool make_absolute(struct symbol_file_args *args)
{
	struct text path = { .data = NULL };

	path_add_absolute(&path, args->path, strlen(args->path));
	bool fits = !path.cut && path.size < sizeof(args->path);
	if (fits)
		memcpy(args->path, path.data, path.size + 1);
	text_finish(&path);
	return fits;
}

/* Return true if the URL contains only bytes that are safe inside shell quotes. */
static bool is_safe_url(const char *url)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~:/?&@+,;=%[]";

	return strncmp(url, "http", 4) == 0 && url[strspn(url, plain)] == '\0';
}

bool symbol_file_args_read(struct command_call *call, enum cairn_symbol_format format,
                           struct symbol_file_args *args)
{
	*args = (struct symbol_file_args){ .format = format };
	if (!parse_words(call, args))
		return false;
	strip_quotes(args->path);
	if (!args->path[0]) {
		reply_error(call, "FILE is missing; see \"help cairn %s\"",
		            symbol_file_args_command(format));
		return false;
	}
	if (format == CAIRN_SYMBOLS_SYMBFILE)
		find_id(args);
	if (!make_absolute(args)) {
		reply_error(call, "the path is too long");
		return false;
	}
	if (args->url && !is_safe_url(args->url)) {
		reply_error(call, "not a plain URL: %s", args->url);
		return false;
	}
	return true;
}
