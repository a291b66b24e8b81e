/* SPDX-License-Identifier: MIT */
/* Parses the options and operands of add-gsym, add-symbfile and add-breakpad. */
#include "symbol_file_args.h"

#include "common/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *symbol_file_args_command(enum cairn_symbol_format format)
{
	static const char *const names[] = { "add-gsym", "add-symbfile", "add-breakpad" };

	return names[format];
}

const char *symbol_file_args_format(enum cairn_symbol_format format)
{
	static const char *const names[] = { "GSYM", "a symbfile", "a Breakpad file" };

	return names[format];
}

static void add_word(struct symbol_file_args *gift, const char *word)
{
	size_t size = strlen(gift->path), more = strlen(word);

	if (size + more + 2 > sizeof(gift->path))
		return;
	if (size > 0)
		gift->path[size++] = ' ';
	memcpy(gift->path + size, word, more + 1);
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

/* An option without a value; false when it is none of these. */
static bool parse_flag(struct command_call *call, struct symbol_file_args *gift, const char *name)
{
	if (strcmp(name, "force") == 0)
		gift->force = true;
	else if (strcmp(name, "only") == 0)
		gift->only = true;
	else if (strcmp(name, "json") == 0)
		call->json = true;
	else
		return false;
	return true;
}

enum taken { TAKEN_NOT, TAKEN, TAKEN_BADLY };

/* An option with the word behind it. */
static enum taken parse_value_option(struct command_call *call, struct symbol_file_args *gift,
                                     const char *name, const char *value)
{
	if (strcmp(name, "module") == 0) {
		gift->module = value;
	} else if (strcmp(name, "url") == 0 && gift->format == CAIRN_SYMBOLS_SYMBFILE) {
		gift->url = value;
	} else if (strcmp(name, "offset") != 0) {
		return TAKEN_NOT;
	} else if (!parse_offset(value, &gift->offset)) {
		reply_error(call, "not a number: %s", value);
		return TAKEN_BADLY;
	}
	return TAKEN;
}

/* Options may stand before the file and behind it. */
static bool parse_words(struct command_call *call, struct symbol_file_args *gift)
{
	const struct words *r = call->words;

	for (unsigned i = 0; i < r->count; i++) {
		const char *word = r->word[i], *name = option_name(word);
		bool option = word[0] == '-', more = i + 1 < r->count;
		if (option && parse_flag(call, gift, name))
			continue;
		enum taken taken = option && more
		                           ? parse_value_option(call, gift, name, r->word[i + 1])
		                           : TAKEN_NOT;
		if (taken == TAKEN_BADLY)
			return false;
		if (taken == TAKEN)
			i++;
		else
			add_word(gift, word);
	}
	return true;
}

/* A symbfile tells of no executable, but its name may: FILEID.symbfile. */
static void find_id(struct symbol_file_args *gift)
{
	const char *slash = strrchr(gift->path, '/'), *name = slash ? slash + 1 : gift->path;
	size_t size = strcspn(name, ".");
	char stem[64];

	if (size < sizeof(stem)) {
		memcpy(stem, name, size);
		stem[size] = '\0';
		gift->has_id = cairn_file_id_parse(stem, &gift->id);
	}
	if (!gift->has_id || name != gift->path || name[size] != '\0' || access(name, F_OK) == 0)
		return;
	gift->fetched = cairn_file_id_path(&gift->id, gift->path, sizeof(gift->path));
}

/* The file is looked for again when the module comes again: the debugger may be elsewhere by then. */
static bool make_absolute(struct symbol_file_args *gift)
{
	struct text path = { .data = NULL };

	path_add_absolute(&path, gift->path, strlen(gift->path));
	bool fits = !path.cut && path.size < sizeof(gift->path);
	if (fits)
		memcpy(gift->path, path.data, path.size + 1);
	text_finish(&path);
	return fits;
}

bool symbol_file_args_read(struct command_call *call, enum cairn_symbol_format format,
                           struct symbol_file_args *gift)
{
	*gift = (struct symbol_file_args){ .format = format };
	if (!parse_words(call, gift))
		return false;
	strip_quotes(gift->path);
	if (!gift->path[0]) {
		reply_error(call, "FILE is missing; see \"help cairn %s\"",
		            symbol_file_args_command(format));
		return false;
	}
	if (format == CAIRN_SYMBOLS_SYMBFILE)
		find_id(gift);
	if (!make_absolute(gift)) {
		reply_error(call, "the path is too long");
		return false;
	}
	if (gift->url && !symbol_file_args_is_safe_url(gift->url)) {
		reply_error(call, "not a plain URL: %s", gift->url);
		return false;
	}
	return true;
}

bool symbol_file_args_is_safe_url(const char *url)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~:/?&@+,;=%[]";

	return strncmp(url, "http", 4) == 0 && url[strspn(url, plain)] == '\0';
}
