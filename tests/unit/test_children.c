/* SPDX-License-Identifier: MIT */
/* Programs as children: why one cannot start, its streams, limits and signals, its end, and the end of one that is late. */
#define _GNU_SOURCE /* pipe2() */
#include "unit.h"

#include "os/channel.h"
#include "os/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Start a shell with a script. */
static pid_t start_shell(struct os_program program, const char *script)
{
	const char *words[] = { "sh", "-c", script, NULL };
	pid_t pid;

	program.words = words;
	ck_assert_int_eq(os_child_start(&program, &pid), 0);
	return pid;
}

static int run_shell(struct os_program program, const char *script)
{
	bool late = true;
	const int status = os_child_end(start_shell(program, script), CHANNEL_NEVER, &late);

	ck_assert(!late);
	return status;
}

static const struct os_program plain = { .input = -1, .output = -1, .error = -1 };

START_TEST(test_absent_program)
{
	const char *const words[] = { "/nowhere/cairn-absent", NULL };
	struct os_program program = plain;
	pid_t pid;

	program.words = words;
	ck_assert_int_eq(os_child_start(&program, &pid), ENOENT);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(test_streams)
{
	struct os_program program = plain;
	int in[2], out[2];
	char text[8] = "";

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	program.input = in[0];
	program.output = program.error = out[1];
	ck_assert_int_eq(write(in[1], "one", 3), 3);
	close(in[1]);
	ck_assert_int_eq(run_shell(program, "cat; echo two >&2"), 0);
	ck_assert_int_eq(read(out[0], text, sizeof(text)), 7);
	ck_assert_mem_eq(text, "onetwo\n", 7);
}
END_TEST

START_TEST(test_limits)
{
	struct os_program program = plain;

	program.memory = 1 << 30;
	ck_assert_int_eq(run_shell(program, "[ $(ulimit -v) = 1048576 ] && [ $(ulimit -c) = 0 ]"),
	                 0);
	/* the child leads a group exactly if it was wanted */
	ck_assert_int_ne(run_shell(program, "kill -0 -$$ 2>/dev/null"), 0);
	program.owns_group = true;
	ck_assert_int_eq(run_shell(program, "kill -0 -$$"), 0);
}
END_TEST

START_TEST(test_signals)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(WTERMSIG(run_shell(plain, "kill -PIPE $$; exit 5")), SIGPIPE);
	ck_assert_int_eq(WTERMSIG(run_shell(plain, "kill -TERM $$; exit 5")), SIGTERM);
}
END_TEST

START_TEST(test_end_with_parent)
{
	struct os_program program = plain;
	int out[2];
	char byte;

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	const pid_t parent = fork();
	if (parent == 0) {
		program.output = out[1];
		program.ends_with_parent = true;
		start_shell(program, "exec sleep 1000");
		_exit(0);
	}
	close(out[1]);
	ck_assert_int_eq(os_child_end(parent, CHANNEL_NEVER, NULL), 0);
	/* the pipe ends with the last process that holds it */
	ck_assert_int_eq(read(out[0], &byte, 1), 0);
}
END_TEST

START_TEST(test_ends)
{
	bool late = false;

	ck_assert_int_eq(WEXITSTATUS(run_shell(plain, "exit 3")), 3);
	/* the status is left to the next who waits */
	const pid_t ended = start_shell(plain, "exit 4");
	ck_assert(os_child_await(ended, CHANNEL_NEVER));
	ck_assert_int_eq(WEXITSTATUS(os_child_end(ended, 1, &late)), 4);
	ck_assert(!late);
	/* one that does not end is killed, at its time or at once */
	const pid_t slow = start_shell(plain, "exec sleep 1000");
	ck_assert(!os_child_await(slow, channel_clock() + 1));
	ck_assert_int_eq(WTERMSIG(os_child_end(slow, channel_clock() + 1, &late)), SIGKILL);
	ck_assert(late);
	ck_assert_int_eq(WTERMSIG(os_child_end(start_shell(plain, "exec sleep 1000"), 0, NULL)),
	                 SIGKILL);
	/* a process that is not a child is neither waited for nor killed */
	ck_assert_int_eq(os_child_end(getppid(), channel_clock() + 1, &late), -1);
	ck_assert(!late);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("children");
	TCase *tests = tcase_create("children");

	tcase_add_test(tests, test_absent_program);
	tcase_add_test(tests, test_streams);
	tcase_add_test(tests, test_limits);
	tcase_add_test(tests, test_signals);
	tcase_add_test(tests, test_end_with_parent);
	tcase_add_test(tests, test_ends);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
