/* SPDX-License-Identifier: MIT */
/* Stack records: which members of JSON are read, of which kinds, and how documents, threads and frames follow each other. */
#include "unit.h"

#include "output/record.h"

static void check_text(struct cairn_bytes text, const char *expected)
{
	ck_assert_uint_eq(text.size, strlen(expected));
	ck_assert(text.size == 0 || memcmp(text.data, expected, text.size) == 0);
}

static struct record_thread read_one(const char *text)
{
	const struct cairn_bytes bytes = { (const uint8_t *)text, strlen(text) };
	struct record_input input = record_input_of(unit_exact(bytes));
	struct record_thread thread, more;
	struct cairn_fault fault;

	ck_assert(record_next_document(&input, &thread, &fault));
	ck_assert_int_eq(fault.status, CAIRN_OK);
	ck_assert(!record_next_document(&input, &more, &fault));
	return thread;
}

START_TEST(reads_a_thread)
{
	const struct record_thread t =
		read_one("{\"core\":\"process 7\",\"program\":\"/a\",\"command_line\":\"a "
	                 "b\",\"pid\":7,\"tid\":8,\"name\":\"n\\\"\","
	                 "\"crashed\":true,\"signal\":\"SIGSEGV\",\"signal_number\":11,\"signal_"
	                 "code_name\":\"SEGV_MAPERR\","
	                 "\"fault_address\":\"0x10\",\"fault\":\"null "
	                 "pointer\",\"sender\":9,\"sender_user\":1,\"abort_message\":\"m\","
	                 "\"threads\":3,\"frames\":[],\"complete\":true,\"end\":\"outermost\","
	                 "\"why\":\"w\",\"missing\":\"x\"}");

	ck_assert(t.crashed == RECORD_YES && t.complete == RECORD_YES);
	check_text(t.core, "process 7");
	check_text(t.program, "/a");
	check_text(t.command_line, "a b");
	ck_assert(t.pid.value == 7 && t.tid.value == 8 && t.signal_number.value == 11 &&
	          t.threads.value == 3);
	check_text(t.name, "n\\\"");
	char name[4];
	check_text(record_text(t.name, name, sizeof(name)), "n\"");
	check_text(record_text(t.name, name, 2), "n");
	check_text(t.signal, "SIGSEGV");
	check_text(t.signal_code_name, "SEGV_MAPERR");
	check_text(t.fault, "null pointer");
	ck_assert(t.fault_address.value == 16 && t.sender.value == 9 && t.sender_user.value == 1);
	check_text(t.abort_message, "m");
	check_text(t.end, "outermost");
	check_text(t.why, "w");
	check_text(t.missing, "x");
	ck_assert(t.frames.kind == JSON_READER_ARRAY && t.reported.kind == JSON_READER_NUMBER);
}
END_TEST

/* Members of other kinds count as absent. */
START_TEST(ignores_other_kinds)
{
	const struct record_thread t =
		read_one("{\"core\":1,\"pid\":\"x\",\"tid\":-1,\"crashed\":1,\"signal\":[],"
	                 "\"exception\":\"c0\",\"threads\":{},"
	                 "\"frames\":{\"pc\":\"0x1\"},\"complete\":\"true\",\"end\":null}");
	struct record_frame frame;
	size_t at = 0;

	ck_assert(t.crashed == RECORD_UNSAID && t.complete == RECORD_UNSAID);
	ck_assert(!t.core.data && !t.pid.known && !t.tid.known && !t.exception.known);
	ck_assert(!t.signal.data && !t.end.data && t.exception.value == 0);
	ck_assert(!record_next_frame(&t, &at, &frame));
	ck_assert_int_eq(read_one("{\"crashed\":false}").crashed, RECORD_NO);
}
END_TEST

START_TEST(reads_frames)
{
	const struct record_thread t =
		read_one("{\"frames\":[{\"level\":1,\"pc\":\"0x10\",\"function\":\"f\",\"file\":"
	                 "\"a.c\",\"line\":3,\"va\":\"0x8\",\"module\":\"/m\","
	                 "\"build_id\":\"ab\",\"module_offset\":\"0x0\",\"found\":\"cfi\","
	                 "\"inlined\":true,\"signal\":true,\"guessed\":true,"
	                 "\"exact\":false},{\"pc\":16,\"va\":\"8\",\"module_offset\":\"0x\","
	                 "\"function\":7,\"exact\":true},[\"pc\"],{}]}");
	struct record_frame f;
	size_t at = 0;

	ck_assert(record_next_frame(&t, &at, &f));
	ck_assert(f.level.value == 1 && f.pc.value == 16 && f.va.value == 8 && f.line.value == 3);
	ck_assert(f.module_offset.known && f.module_offset.value == 0);
	ck_assert(f.inlined == RECORD_YES && f.signal == RECORD_YES && f.guessed == RECORD_YES);
	ck_assert(f.exact == RECORD_NO && f.cfi == RECORD_UNSAID);
	check_text(f.function, "f");
	check_text(f.file, "a.c");
	check_text(f.module, "/m");
	check_text(f.build_id, "ab");
	check_text(f.found, "cfi");
	ck_assert(record_next_frame(&t, &at, &f));
	ck_assert(!f.pc.known && !f.va.known && !f.module_offset.known && !f.function.data);
	ck_assert(f.exact == RECORD_YES);
	ck_assert(record_next_frame(&t, &at, &f));
	ck_assert(f.object.kind == JSON_READER_ARRAY && !f.pc.known);
	ck_assert(record_next_frame(&t, &at, &f));
	ck_assert(f.object.kind == JSON_READER_OBJECT && f.exact == RECORD_UNSAID);
	ck_assert(!record_next_frame(&t, &at, &f));
}
END_TEST

/* A document with "threads" has these, another one is a thread. */
START_TEST(finds_threads)
{
	const struct record_thread report =
		read_one("{\"tid\":1,\n\"threads\":[{\"tid\":2},3,{\"tid\":4}]}");
	struct record_thread one, t;
	size_t at = 0;

	ck_assert(record_next_thread(&report, &at, &t) && t.tid.value == 2);
	ck_assert(record_next_thread(&report, &at, &t) && t.object.kind == JSON_READER_NUMBER);
	ck_assert(record_next_thread(&report, &at, &t) && t.tid.value == 4);
	check_text(t.object.text, "{\"tid\":4}");
	ck_assert(!record_next_thread(&report, &at, &t));
	one = read_one("{\"tid\":5,\"threads\":2}");
	at = 0;
	ck_assert(record_next_thread(&one, &at, &t) && t.tid.value == 5);
	ck_assert(!record_next_thread(&one, &at, &t));
}
END_TEST

/* Lines are documents of their own; one that is not JSON has a fault at its place, and does not end the others. */
START_TEST(reads_lines)
{
	const struct cairn_bytes text = BYTES("{\"tid\":1}\n\n{\"tid\":\n{\"tid\":3}");
	struct record_input input = record_input_of(unit_exact(text));
	struct record_thread t;
	struct cairn_fault fault;

	ck_assert(record_next_document(&input, &t, &fault) && t.tid.value == 1);
	ck_assert_int_eq(fault.status, CAIRN_OK);
	ck_assert(record_next_document(&input, &t, &fault));
	ck_assert_int_eq(fault.status, CAIRN_TRUNCATED);
	ck_assert_uint_eq(fault.offset, 19);
	ck_assert(t.tid.value == 0 && !t.frames.text.data && t.object.kind == JSON_READER_NULL);
	ck_assert(record_next_document(&input, &t, &fault) && t.tid.value == 3);
	ck_assert_int_eq(fault.status, CAIRN_OK);
	ck_assert(!record_next_document(&input, &t, &fault));
}
END_TEST

/* Members of the reader's own come in the same pass, also those that a record has. */
START_TEST(reads_more_members)
{
	static const char *const names[] = { "time", "tid", "none" };
	const struct cairn_bytes whole = BYTES("{\"tid\":1,\"time\":2}"), cut = BYTES("{\"tid\"");
	struct json_reader_value value[COUNT(names)];
	struct record_thread t;
	struct cairn_fault fault;

	ck_assert_int_eq(record_open(unit_exact(whole), names, COUNT(names), value, &t, &fault),
	                 CAIRN_OK);
	check_text(value[0].text, "2");
	check_text(value[1].text, "1");
	ck_assert(!value[2].text.data && t.tid.value == 1);
	ck_assert_int_eq(record_open(unit_exact(cut), names, COUNT(names), value, &t, &fault),
	                 CAIRN_TRUNCATED);
	ck_assert_uint_eq(fault.offset, 6);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("records");
	TCase *tcase = tcase_create("records");

	tcase_add_test(tcase, reads_a_thread);
	tcase_add_test(tcase, ignores_other_kinds);
	tcase_add_test(tcase, reads_frames);
	tcase_add_test(tcase, finds_threads);
	tcase_add_test(tcase, reads_lines);
	tcase_add_test(tcase, reads_more_members);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
