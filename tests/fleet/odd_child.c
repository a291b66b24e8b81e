/* SPDX-License-Identifier: MIT */
/*
 * A child of a worker that gives each line to a command and prints what that answers, but for lines with "poison": of these it dies, or
 * does what no child should.
 *
 *	odd_child COMMAND WORD...
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 16 << 20, LONG_LINE = 17 << 20 };

static FILE *to, *from;

static void start_command(char **command)
{
	int in[2], out[2];

	if (pipe(in) != 0 || pipe(out) != 0)
		exit(2);
	if (fork() == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execvp(command[0], command);
		_exit(2);
	}
	close(in[0]);
	close(out[1]);
	to = fdopen(in[1], "w");
	from = fdopen(out[0], "r");
}

static bool is_poison(const char *line, const char *kind)
{
	char text[64];

	snprintf(text, sizeof(text), "\"poison\":\"%s\"", kind);
	return strstr(line, text) != NULL;
}

static void eat_memory(void)
{
	char *block;

	while ((block = malloc(BLOCK)) != NULL)
		memset(block, 1, BLOCK);
	raise(SIGKILL);
}

static void print_long_line(void)
{
	for (int i = 0; i < LONG_LINE; i++)
		putchar('x');
	putchar('\n');
	fflush(stdout);
}

static void take_poison(const char *line)
{
	static const struct {
		const char *kind;
		int signal;
	} signals[] = { { "segv", SIGSEGV }, { "abrt", SIGABRT }, { "kill", SIGKILL },
		        { "bus", SIGBUS },   { "fpe", SIGFPE },   { "ill", SIGILL },
		        { "term", SIGTERM } };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (is_poison(line, signals[i].kind)) {
			signal(signals[i].signal, SIG_DFL);
			raise(signals[i].signal);
		}
	if (is_poison(line, "exit0"))
		_exit(0);
	if (is_poison(line, "exit3"))
		_exit(3);
	while (is_poison(line, "stop"))
		pause();
	while (is_poison(line, "spin"))
		continue;
	if (is_poison(line, "memory"))
		eat_memory();
	if (is_poison(line, "deaf")) {
		fclose(stdout);
		pause();
	}
	if (is_poison(line, "long"))
		print_long_line();
	if (is_poison(line, "noise"))
		puts("what?");
	if (is_poison(line, "empty"))
		puts("");
	if (is_poison(line, "half"))
		puts("{\"answer\":1,\"request\":\"");
	if (is_poison(line, "word"))
		puts("{\"answer\":1,\"request\":null,\"result\":\"fine\"}");
	if (is_poison(line, "hash"))
		puts("{\"answer\":1,\"request\":\"abc\",\"result\":\"done\"}");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *line = NULL, *answer = NULL;
	size_t capacity = 0, answer_capacity = 0;
	ssize_t size;

	if (argc < 2)
		return 2;
	start_command(argv + 1);
	while (to && from && (size = getline(&line, &capacity, stdin)) > 0) {
		if (strstr(line, "\"poison\"")) {
			take_poison(line);
			continue;
		}
		fwrite(line, 1, (size_t)size, to);
		if (fflush(to) != 0 || (size = getline(&answer, &answer_capacity, from)) <= 0)
			return 1;
		fwrite(answer, 1, (size_t)size, stdout);
		fflush(stdout);
	}
	free(line);
	free(answer);
	return 0;
}
