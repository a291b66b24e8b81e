/* SPDX-License-Identifier: MIT */
/* Tests the plugins' commands with a debugger made by hand, which answers at once or later. */
#include "common/commands/commands.h"
#include "common/commands/markup.h"

#include "unit.h"

#include <stdio.h>

#define BASE ((uint64_t)0x10000)

static uint8_t memory[4096];

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	if (address < BASE || address - BASE > sizeof(memory) ||
	    size > sizeof(memory) - (address - BASE))
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory + (address - BASE), size);
	return CAIRN_OK;
}

/* The debugger: what it is asked, what it prints. */
static struct {
	bool later; /* it answers when the step is run again, as GDB does */
	bool asked; /* and it has been */
	unsigned rounds;
	enum frame_state frame;
	struct text printed;
	char variables[512];
} fake;

static enum answer answer_now_or_later(void)
{
	fake.asked = fake.later && !fake.asked;
	return fake.asked ? ANSWER_PENDING : ANSWER_READY;
}

static void describe_fake(const struct session *session, struct debugger_status *status)
{
	(void)session;
	*status = (struct debugger_status){ .name = "FDB", .key = "fdb", .major = 3 };
}

static enum answer evaluate_number(struct command_call *call, struct word_range expression,
                                   uint64_t *value, struct code_location *spot)
{
	struct text text = { .data = NULL };
	char *end;

	(void)spot;
	enum answer answer = answer_now_or_later();
	if (answer != ANSWER_READY)
		return answer;
	words_join(call->words, expression, &text);
	*value = strtoull(text.data, &end, 0);
	if (*end)
		reply_error(call, "not a number: %s", text.data);
	text_finish(&text);
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

static enum frame_state read_fake_frame(struct command_call *call,
                                        struct cairn_registers *registers)
{
	(void)call;
	*registers = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64, .pc = 0x401004 };
	return fake.frame;
}

/* Code at 0x401000 has lines. */
static enum answer name_fake_spots(struct command_call *call, struct trace *trace, bool full_path)
{
	enum answer answer = answer_now_or_later();

	(void)call;
	for (size_t i = 0; answer == ANSWER_READY && i < trace->count; i++) {
		struct code_location *spot = &trace->spots[i];
		spot->named = true;
		if (spot->lookup >> 12 != 0x401)
			continue;
		snprintf(spot->function, sizeof(spot->function), "f + %u",
		         (unsigned)(spot->lookup & 0xfff));
		snprintf(spot->file, sizeof(spot->file), "%sa.c", full_path ? "/src/" : "");
		spot->line = 7;
	}
	return answer;
}

static enum answer name_fake_modules(struct command_call *call)
{
	(void)call;
	return answer_now_or_later();
}

static enum answer find_fake_ranges(struct command_call *call, enum memory_access access,
                                    struct range_list *ranges)
{
	enum answer answer = answer_now_or_later();

	(void)call;
	(void)access;
	if (answer == ANSWER_READY)
		ck_assert(range_list_add(ranges,
		                         (struct cairn_range){ BASE, BASE + sizeof(memory) }));
	return answer;
}

static void print_fake_line(struct command_call *call, const struct text *line)
{
	(void)call;
	text_bytes(&fake.printed, line->size ? line->data : "", line->size);
	text_add(&fake.printed, "\n");
}

static void set_fake_number(struct command_call *call, const char *name, uint64_t value)
{
	size_t size = strlen(fake.variables);

	(void)call;
	snprintf(fake.variables + size, sizeof(fake.variables) - size, "%s=%#llx ", name,
	         (unsigned long long)value);
}

static void set_fake_string(struct command_call *call, const char *name, const char *value)
{
	size_t size = strlen(fake.variables);

	(void)call;
	snprintf(fake.variables + size, sizeof(fake.variables) - size, "%s=%s ", name, value);
}

static const struct debugger debugger = {
	.describe = describe_fake,
	.evaluate = evaluate_number,
	.read_frame = read_fake_frame,
	.name_spots = name_fake_spots,
	.name_modules = name_fake_modules,
	.memory_ranges = find_fake_ranges,
	.print_line = print_fake_line,
	.set_number = set_fake_number,
	.set_string = set_fake_string,
};

/* Words of 64 bits, one return address of three bytes. */
static const uint8_t trace_bytes[] = { 0x02, 0x2a, 0x40, 0x10, 0x04 };
static const char markup_bytes[] = "at {{{symbol:_Z1fv}}}";

static struct session session;

static void setup(void)
{
	const struct cairn_target target = { read_memory, NULL };

	memset(&fake, 0, sizeof(fake));
	fake.frame = FRAME_NONE;
	memcpy(memory + 0x100, trace_bytes, sizeof(trace_bytes));
	memcpy(memory + 0x200, markup_bytes, sizeof(markup_bytes));
	session = (struct session){ .debugger = &debugger, .space = cairn_space_new(&target) };
	ck_assert_ptr_nonnull(session.space);
}

static void teardown(void)
{
	cairn_space_free(session.space);
	text_finish(&fake.printed);
	text_finish(&session.line);
	text_finish(&session.expression);
}

/* The words of a line, which are kept as long as the line is. */
static struct words split_line(char *line)
{
	struct words words = { .count = 0 };

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		words.word[words.count++] = word;
	return words;
}

static enum answer run_round(const struct command *command, const struct words *words, bool first)
{
	struct command_call call = { .session = &session, .words = words, .line = &session.line };

	text_reset(&session.line);
	fake.rounds++;
	if (first && !command_begin(&call, command))
		return ANSWER_FAILED;
	return command_continue(&call);
}

/* Runs the command to its end, as a plugin does; what it printed. */
static const char *run_command(const struct command *command, const char *typed)
{
	char line[256];

	snprintf(line, sizeof(line), "%s", typed);
	const struct words words = split_line(line);
	text_reset(&fake.printed);
	fake.variables[0] = '\0';
	fake.rounds = 0;
	for (bool first = true; run_round(command, &words, first) == ANSWER_PENDING; first = false)
		ck_assert_uint_lt(fake.rounds, 20);
	ck_assert_ptr_null(session.running.context);
	return fake.printed.size ? fake.printed.data : "";
}

static const struct row {
	const char *name;
	const struct command *command;
	const char *words;
	unsigned questions; /* that the debugger answers */
	const char *answer;
	const char *variables;
} rows[] = {
	{ "where", &command_where, "0x401004", 2, "0x401004 f + 4 at a.c:7\n  module   none\n",
	  "cairn_pc0=0x401004 " },
	{ "where in JSON", &command_where, "--json 0x401004", 2,
	  "{\"pc\":\"0x401004\",\"function\":\"f\",\"offset\":4,\"file\":\"a.c\",\"line\":7}\n",
	  "cairn_pc0=0x401004 " },
	{ "where nobody knows", &command_where, "0x5", 2, "0x5 ??\n  module   none\n",
	  "cairn_pc0=0x5 " },
	{ "where nothing is", &command_where, "nonsense", 1, "cairn: not a number: nonsense\n",
	  "cairn_error=not a number: nonsense " },
	{ "where in JSON with an error", &command_where, "-json nonsense", 1,
	  "{\"error\":\"not a number: nonsense\"}\n", "cairn_error=not a number: nonsense " },
	{ "an option too many", &command_where, "-full 1", 0,
	  "cairn: unknown option -full; usage: cairn where [-json] EXPRESSION\n",
	  "cairn_error=unknown option -full; usage: cairn where [-json] EXPRESSION " },
	{ "a FileID with dashes in front", &command_where, "--JTGs7AzsJpLHWG0RybzA", 1,
	  "cairn: not a number: --JTGs7AzsJpLHWG0RybzA\n",
	  "cairn_error=not a number: --JTGs7AzsJpLHWG0RybzA " },
	{ "a word too few", &command_where, "", 0,
	  "cairn: EXPRESSION is missing; usage: cairn where [-json] EXPRESSION\n",
	  "cairn_error=EXPRESSION is missing; usage: cairn where [-json] EXPRESSION " },
	{ "a word too many", &command_status, "now", 0,
	  "cairn: too many arguments; usage: cairn status [-json]\n",
	  "cairn_error=too many arguments; usage: cairn status [-json] " },
	{ "no thread", &command_bt, "", 0, "cairn: no stack\n", "cairn_error=no stack " },
	{ "names of three languages", &command_demangle, "$s4deck4DeckV4parkyySiF _Z1fv main", 0,
	  "Deck.park(_:)\nf()\nmain\n", "" },
	{ "a whole name", &command_demangle, "-full $s4deck4DeckV4parkyySiF", 0,
	  "deck.Deck.park(Swift.Int) -> ()\n", "" },
	{ "no rule", &command_sframe, "0x401004", 1, "cairn: no module contains 0x401004\n",
	  "cairn_error=no module contains 0x401004 " },
	{ "status", &command_status, "", 0,
	  "cairn " CAIRN_VERSION " in FDB 3\nModules:\nNo modules yet: cairn learns of them when "
	  "FDB shows a stack, or by \"cairn sync\".\n"
	  "Next: \"cairn symbols load\" gives names and lines where there are symbol files; \"help "
	  "cairn\" "
	  "lists all commands.\n",
	  "" },
	{ "status in JSON", &command_status, "-json", 0,
	  "{\"version\":\"" CAIRN_VERSION "\",\"fdb\":3,\"color\":\"auto\",\"modules\":[]}\n", "" },
	{ "a backtrace", &command_cbf, "0x10100 5", 2,
	  "#0   0x0000000000401004 [ra] in f + 3 at a.c:7\n",
	  "cairn_pc0=0x401004 cairn_kind0=0x2 cairn_times0=0x1 cairn_frames=0x1 cairn_total=0x1 "
	  "cairn_end=eof " },
	{ "a backtrace that is not there", &command_cbf, "8", 1,
	  "cairn: cannot read memory at this address\n",
	  "cairn_error=cannot read memory at this address " },
	{ "markup", &command_markup, "-string 0x10200", 2, "at f()\n", "" },
	{ "markup of a length", &command_markup, "0x10200 2", 2, "at\n", "" },
	{ "no backtraces", &command_find_cbf, "", 2, "0 arrays in 4096 bytes\n", "cairn_found=0 " },
	{ "of all addresses those that can be read", &command_find_cbf, "0 0xffffffffffffffff", 2,
	  "0 arrays in 4096 bytes\n", "cairn_found=0 " },
	{ "a part of what can be read", &command_find_cbf, "0x10ff8 0x20000", 2,
	  "0 arrays in 8 bytes\n", "cairn_found=0 " },
	{ "a range that cannot be read", &command_find_cbf, "1 2", 2, "0 arrays in 0 bytes\n",
	  "cairn_found=0 " },
	{ "a range upside down", &command_find_cbf, "2 1", 0,
	  "cairn: START must be less than END\n", "cairn_error=START must be less than END " },
};

static void check_row(const struct row *row)
{
	const char *answer = run_command(row->command, row->words);

	ck_assert_msg(strcmp(answer, row->answer) == 0, "%s: %s\n%s", row->name, answer,
	              row->answer);
	ck_assert_msg(strcmp(fake.variables, row->variables) == 0, "%s: %s\n%s", row->name,
	              fake.variables, row->variables);
	ck_assert_msg(fake.rounds == 1 + (fake.later ? row->questions : 0), "%s: %u rounds",
	              row->name, fake.rounds);
}

START_TEST(answers_at_once)
{
	check_row(&rows[_i]);
}
END_TEST

START_TEST(answers_later)
{
	fake.later = true;
	check_row(&rows[_i]);
}
END_TEST

/* The next command frees what one that was interrupted has left: a sanitizer sees to it. */
START_TEST(interrupted)
{
	char line[] = "0x401004";
	const struct words words = split_line(line);

	fake.later = true;
	ck_assert_int_eq(run_round(&command_where, &words, true), ANSWER_PENDING);
	ck_assert_int_eq(run_round(&command_where, &words, false), ANSWER_PENDING);
	ck_assert_ptr_nonnull(session.running.context);
	fake.asked = false;
	ck_assert_str_eq(run_command(&command_where, "0x5"), "0x5 ??\n  module   none\n");
}
END_TEST

/* An output that belongs to no command any more does nothing. */
START_TEST(nothing_runs)
{
	const struct words words = { .count = 0 };

	ck_assert_int_eq(run_round(&command_where, &words, false), ANSWER_FAILED);
}
END_TEST

/* Each type is twice as long as the one before it: 11 KB of a name of 90 bytes. */
#define DOUBLED                                                 \
	"{{{symbol:_Z1f4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_E" \
	"S_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_E}}}"

/* What the command prints of a file with the name so often. */
static const char *show_doubled(const char *options, size_t count)
{
	FILE *file = tmpfile();
	char typed[64];

	ck_assert_ptr_nonnull(file);
	for (size_t i = 0; i < count; i++)
		fputs(DOUBLED, file);
	ck_assert_int_eq(fflush(file), 0);
	snprintf(typed, sizeof(typed), "%s -file /proc/self/fd/%d", options, fileno(file));
	const char *answer = run_command(&command_markup, typed);
	fclose(file);
	return answer;
}

/* Bytes that may be shown of it. */
static size_t limit_doubled(size_t count)
{
	return MARKUP_SHOWN_LEAST + MARKUP_SHOWN_TIMES * count * (sizeof(DOUBLED) - 1);
}

/* As many names as there is room for are shown, and not one more. */
START_TEST(markup_that_grows)
{
	static const char cut[] = "[the text is too long; the rest is not shown]\n";
	const size_t shown = strlen(show_doubled("", 1)) - 1;
	size_t count = 1;

	ck_assert_uint_gt(shown, MARKUP_SHOWN_TIMES * sizeof(DOUBLED));
	while ((count + 1) * shown <= limit_doubled(count + 1))
		count++;
	ck_assert_uint_eq(strlen(show_doubled("", count)), count * shown + 1);
	const char *answer = show_doubled("", count + 1);
	const size_t size = strlen(answer);
	ck_assert_uint_le(size, limit_doubled(count + 1) + sizeof(cut));
	ck_assert_str_eq(answer + size - (sizeof(cut) - 1), cut);
	answer = show_doubled("-json", count + 1);
	ck_assert_uint_le(strlen(answer), limit_doubled(count + 1) + sizeof(cut));
	ck_assert_ptr_nonnull(strstr(answer, "{\"type\":\"cut\"}"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plugin commands");
	TCase *tcase = tcase_create("rows");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, answers_at_once, 0, COUNT(rows));
	tcase_add_loop_test(tcase, answers_later, 0, COUNT(rows));
	tcase_add_test(tcase, interrupted);
	tcase_add_test(tcase, nothing_runs);
	tcase_add_test(tcase, markup_that_grows);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
