/* SPDX-License-Identifier: MIT */
/* What GDB printed for a command, as it comes through the channel: plain, and as records of the machine interface. */
#include "unit.h"

#include "common/base/memfile.h"
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

int main(void)
{
	Suite *suite = suite_create("channel");
	TCase *tcase = tcase_create("channel");

	tcase_add_loop_test(tcase, receives_output, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
