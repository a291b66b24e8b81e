/* SPDX-License-Identifier: MIT */
/* Parses options against the option table of a command, and prints help and usage errors. */
#include "cli.h"
#include "rights.h"

#include "base/encoding.h"
#include "base/names.h"
#include "os/symbol_path.h"
#include "output/escape.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int point_to_help(const struct command *command)
{
	const char *first = strstr(command->usage, " -");
	size_t length = strcspn(command->usage, "[");

	if (first && (size_t)(first - command->usage) < length)
		length = (size_t)(first - command->usage) + 1;
	fprintf(stderr, "; try '%.*s--help'\n", (int)length, command->usage);
	return EXIT_USAGE;
}

int usage_error(const struct command *command, const char *format, ...)
{
	va_list arguments;

	fputs("cairn: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	return point_to_help(command);
}

static int reject_word(const struct command *command, const char *what, const char *word,
                       const char *why)
{
	fprintf(stderr, "cairn: %s", what);
	print_string_between(stderr, "'", word, "'");
	fputs(why, stderr);
	return point_to_help(command);
}

void print_suggestion(const struct similar_word *typed, const char *dashes)
{
	if (typed->best)
		fprintf(stderr, " (did you mean '%s%s'?)", dashes, typed->best);
}

static void print_help(const struct command *command)
{
	printf("usage: %s\n\n%s\n\noptions:\n", command->usage, command->about);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option *o = &command->options[i];
		char text[64];
		if (!o->help)
			continue;
		char letter[] = { '-', o->letter, ',', ' ', '\0' };
		snprintf(text, sizeof(text), "%s--%s%s%s", o->letter ? letter : "", o->name,
		         o->argument ? " " : "", o->argument ? o->argument : "");
		printf("  %-18s %s\n", text, o->help);
	}
	printf("  %-18s %s\n", "--help", "print this text");
}

bool parse_number(const char *text, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned base = hex ? 16 : 10;
	uint64_t sum = 0;

	if (hex)
		text += 2;
	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned digit = hex_digit((unsigned char)*text);
		if (digit >= base || sum > (UINT64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	*value = sum;
	return true;
}

bool parse_placed_file(const char *word, char *path, uint64_t *base, bool *has_base)
{
	const char *at = strrchr(word, '@');
	size_t size = strlen(word);

	*base = 0;
	const bool is_placed = at && parse_number(at + 1, base);
	if (is_placed)
		size = (size_t)(at - word);
	if (has_base)
		*has_base = is_placed;
	if (size >= SYMBOL_PATH_MAX)
		return false;
	memcpy(path, word, size);
	path[size] = '\0';
	return true;
}

/* Values of a repeated option, joined as DIR:DIR. They are kept until the program exits. */
struct joined_directories {
	struct joined_directories *before;
	char text[];
};

static bool store_value(const struct option *option, const char *value)
{
	if (option->flag)
		*option->flag = true;
	if (option->form)
		*option->form = option->chosen;
	if (option->text)
		*option->text = value;
	if (option->directories) {
		/* append the directories; if allocation fails, keep only the last value */
		static struct joined_directories *all;
		const size_t size =
			*option->directories ? strlen(*option->directories) + strlen(value) + 2 : 0;
		struct joined_directories *joined =
			*option->directories ? malloc(sizeof(*joined) + size) : NULL;
		if (joined) {
			snprintf(joined->text, size, "%s:%s", *option->directories, value);
			joined->before = all;
			all = joined;
		}
		*option->directories = joined ? joined->text : value;
	}
	if (option->words)
		option->words->word[option->words->count++] = value;
	return !option->number || parse_number(value, option->number);
}

static const struct option *find_option(const struct command *command, const char *name,
                                        size_t length)
{
	for (size_t i = 0; i < command->option_count; i++)
		if (strlen(command->options[i].name) == length &&
		    memcmp(command->options[i].name, name, length) == 0)
			return &command->options[i];
	return NULL;
}

/*
 * Find the option in an argument such as "--name=value", "-n" or "-nvalue". *value points into the
 * argument, or is NULL if the argument contains no value.
 */
static const struct option *parse_option_word(const struct command *command, const char *word,
                                              const char **value)
{
	const char *name = word + 2;
	size_t length = strcspn(name, "=");

	if (word[1] == '-') {
		*value = name[length] ? name + length + 1 : NULL;
		return find_option(command, name, length);
	}
	*value = word[2] ? word + 2 : NULL;
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].letter == word[1])
			return &command->options[i];
	return NULL;
}

static void report_missing_directory(const struct option *option, const char *directory,
                                     size_t length)
{
	char path[OWN_FILE_PATH];
	struct stat found;
	int error = 0;

	if (length == 0 || length >= sizeof(path))
		return;
	memcpy(path, directory, length);
	path[length] = '\0';
	if (stat(path, &found) != 0)
		error = errno;
	else if (!S_ISDIR(found.st_mode))
		error = ENOTDIR;
	if (error != 0)
		print_diagnostic(path, "%s; ignoring this --%s", strerror(error), option->name);
}

/*
 * Handle the option at argv[*at]. Advance *at if the next argument is its value. Return EXIT_CLEAN
 * or EXIT_USAGE.
 */
static int read_option(const struct command *command, int argc, char **argv, int *at,
                       struct rights *rights)
{
	const char *word = argv[*at], *value;
	const struct option *option = parse_option_word(command, word, &value);

	if (!option) {
		const size_t dashes = strspn(word, "-");
		struct similar_word typed =
			similar_word_start(word + dashes, strcspn(word + dashes, "="));
		for (size_t i = 0; word[1] == '-' && i < command->option_count; i++)
			if (command->options[i].help)
				similar_word_offer(&typed, command->options[i].name);
		print_string_between(stderr, "cairn: unknown option '", word, "'");
		print_suggestion(&typed, "--");
		return point_to_help(command);
	}
	const bool has_more = value && !option->argument && word[1] != '-';
	if (has_more)
		value = NULL;
	if (value && !option->argument)
		return reject_word(command, "option ", word, " takes no value");
	if (option->argument && !value) {
		if (*at + 1 >= argc)
			return reject_word(command, "option ", word, " requires a value");
		value = argv[++*at];
	}
	if (option->words && option->words->count == OPTION_WORDS_MAX) {
		char what[64];
		snprintf(what, sizeof(what), " may be given at most %d times", OPTION_WORDS_MAX);
		return reject_word(command, "option ", word, what);
	}
	if (!store_value(option, value)) {
		char what[64];
		snprintf(what, sizeof(what), "--%s: ", option->name);
		return reject_word(command, what, value,
		                   " is not a number (decimal, or hexadecimal with 0x)");
	}
	if (value && (option->rights & RIGHT_DIRECTORY)) {
		/*
		 * warn about search directories that do not exist, because a mistyped name would
		 * silently find nothing
		 */
		while (*value) {
			const size_t length =
				option->directories ? strcspn(value, ":") : strlen(value);
			report_missing_directory(option, value, length);
			value += length + (value[length] == ':');
		}
	}
	rights_take_option(rights, option->rights, value);
	if (!has_more)
		return EXIT_CLEAN;
	argv[*at]++; /* turn "-if" into "-f" after handling `i`, which takes no value */
	argv[*at][0] = '-';
	return read_option(command, argc, argv, at, rights);
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

/*
 * Return true if the argument is a FileID. One base64 FileID in 64 begins with a dash, like an
 * option. An argument that is also a valid option is taken as the option unless "--" precedes it.
 */
static bool is_file_id(const struct command *command, const char *word)
{
	struct cairn_file_id id;
	const char *value;

	return word[1] != '-' && !parse_option_word(command, word, &value) &&
	       cairn_file_id_parse(word, &id);
}

static int check_operands(const struct command *command, int count)
{
	const bool few = count < command->operands.least;
	int at = 0;

	if (!few && count <= command->operands.most)
		return EXIT_CLEAN;
	if (command->operands.most == 0)
		return usage_error(command, "this command takes no operands");
	while (at < count && at + 1 < (int)COUNT(command->operands.name) &&
	       command->operands.name[at + 1])
		at++;
	return usage_error(command, "%s %s", few ? "no" : "more than one",
	                   command->operands.name[at]);
}

bool options_parse_then(const struct command *command, int *argc, char **argv,
                        const struct options_before *before, int *status)
{
	int operands = 0;
	bool options = true;
	struct rights rights = rights_of(command->rights);

	*status = EXIT_CLEAN;
	if (asks_for_help(*argc, argv)) {
		print_help(command);
		return false;
	}
	for (int i = 1; i < *argc; i++) {
		bool dashed =
			options && argv[i][0] == '-' && argv[i][1] && !is_file_id(command, argv[i]);
		if (dashed && strcmp(argv[i], "--") == 0)
			options = false;
		else if (dashed)
			*status = read_option(command, *argc, argv, &i, &rights);
		else
			rights_take_operand(&rights, argv[operands++] = argv[i]);
		if (*status != EXIT_CLEAN)
			return false;
	}
	*argc = operands;
	*status = check_operands(command, operands);
	if (*status == EXIT_CLEAN && before)
		*status = before->run(before->context);
	if (*status == EXIT_CLEAN)
		rights_enter(&rights);
	return *status == EXIT_CLEAN;
}

bool options_parse(const struct command *command, int *argc, char **argv, int *status)
{
	return options_parse_then(command, argc, argv, NULL, status);
}

void print_file_name(const char *path)
{
	print_string_between(stdout, "# ", path, "\n");
}

int for_each_file(const struct command *command, int argc, char **argv,
                  const struct for_each_file *each)
{
	int status = EXIT_CLEAN;

	if (!options_parse(command, &argc, argv, &status))
		return status;
	const unsigned each_opens = each->with && *each->with ? 2 : 1;
	for (int i = 0; i < argc; i++) {
		if (argc > 1 && each->form && *each->form == FORM_LINES)
			print_file_name(argv[i]);
		rights_expect_files((unsigned)(argc - i) * each_opens);
		status = choose_worse(status, each->take(argv[i], each->context));
	}
	return status;
}
