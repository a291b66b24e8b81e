/* SPDX-License-Identifier: MIT */
/* What GDB printed for a command, as it comes through the channel: plain, and as records of the machine interface. */
#include "unit.h"

#include "common/base/files.h"
#include "protocol/channel.h"

#include <stdio.h>

static const struct {
	const char *name, *sent, *output;
} rows[] = {
	{ "plain text", "one\n* two\n", "one\n* two\n" },
	{ "records",
	  "=cmd-param-changed,param=\"logging enabled\",value=\"on\"\n"
	  "~\"one \\\"quoted\\\" \\\\ \\302\\251\\n\"\n&\"not said\\n\"\n@\"nor "
	  "this\"\n~\"two\\n\"\n",
	  "one \"quoted\" \\ \302\251\ntwo\n" },
	{ "what happens meanwhile is not said",
	  "~\"one\\n\"\n*running,thread-id=\"all\"\n*stopped\n+download\n^done\n(gdb) "
	  "\n=x\n~\"two\\n\"\n",
	  "one\ntwo\n" },
	{ "a table between records, as newer ones print it",
	  "=cmd-param-changed,param=\"logging enabled\",value=\"on\"\n"
	  "  Num  Description       Connection           Executable        \n"
	  "* 1    process 24457     1 (native)           /srv/app \n  2    <null>  \n",
	  "  Num  Description       Connection           Executable        \n"
	  "* 1    process 24457     1 (native)           /srv/app \n  2    <null>  \n" },
	{ "lines that begin like records",
	  "=x\n= 1\n^^^\n+ 3\n& so on\n~ about\n@home\n(no record)\n",
	  "= 1\n^^^\n+ 3\n& so on\n~ about\n@home\n(no record)\n" },
	{ "a record within a record", "=x\n~\"~\\\"Thread 1\\\\n\\\"\\n\"\n~\"plain\\n\"\n",
	  "Thread 1\nplain\n" },
};

START_TEST(receives_output)
{
	char sent[1024];
	struct channel channel = { .open = false };
	struct request request;

	ck_assert(channel_open(&channel));
	const int size = snprintf(sent, sizeof(sent), "\001C 7\n%s\001E\n", rows[_i].sent);
	ck_assert(memfile_put(channel.request, sent, (size_t)size));
	ck_assert_msg(channel_receive(&channel, &request), "%s", rows[_i].name);
	ck_assert(request.again && request.number == 7);
	ck_assert_msg(request.output_size == strlen(rows[_i].output) &&
	                      memcmp(request.output, rows[_i].output, request.output_size) == 0,
	              "%s: %.*s", rows[_i].name, (int)request.output_size, request.output);
	text_finish(&channel.bytes);
}
END_TEST

/* What is behind the end of a request, and is it one? */
static const struct {
	const char *name, *sent;
	bool complete;
} ends[] = {
	{ "nothing", "\001C 7\none\n\001E\n", true },
	{ "GDB warns when it returns to the user's language",
	  "\001C 7\none\n\001E\nWarning: the current language does not match this frame.\n", true },
	{ "a line that has not ended", "\001C 7\none\n\001E\nWarning: the", false },
	{ "two lines", "\001C 7\none\n\001E\ntwo\nthree\n", false },
	{ "no end", "\001C 7\none\n", false },
	{ "half an end", "\001C 7\none\n\001E", false },
	{ "something else behind the byte", "\001C 7\none\n\001F\n", false },
	{ "another beginning", "\001C 7\none\n\001E\n\001C 8\n", false },
};

START_TEST(finds_request_end)
{
	struct channel channel = { .open = false };
	struct request request;

	ck_assert(channel_open(&channel));
	ck_assert(memfile_put(channel.request, ends[_i].sent, strlen(ends[_i].sent)));
	bool received = channel_receive(&channel, &request);
	ck_assert_msg(received == ends[_i].complete, "%s", ends[_i].name);
	if (received)
		ck_assert_msg(request.output_size == 4 && memcmp(request.output, "one\n", 4) == 0,
		              "%s", ends[_i].name);
	text_finish(&channel.bytes);
}
END_TEST

START_TEST(reads_words)
{
	static const char sent[] = "\001B 9 3 18 1 1 16\nW $pc \nW 4 \n\001E\n";
	struct channel channel = { .open = false };
	struct request request;

	ck_assert(channel_open(&channel));
	ck_assert(memfile_put(channel.request, sent, sizeof(sent) - 1));
	ck_assert(channel_receive(&channel, &request));
	ck_assert(!request.again && request.number == 9 && request.verb == 3);
	ck_assert(request.gdb_major == 18 && request.thread && request.style &&
	          request.radix == 16);
	ck_assert(request.words.count == 2 && strcmp(request.words.word[0], "$pc") == 0);
	text_finish(&channel.bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("channel");
	TCase *tcase = tcase_create("channel");

	tcase_add_loop_test(tcase, receives_output, 0, COUNT(rows));
	tcase_add_loop_test(tcase, finds_request_end, 0, COUNT(ends));
	tcase_add_test(tcase, reads_words);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
