/* SPDX-License-Identifier: MIT */
/* Starts GDB or LLDB on the core, with its program. */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 64 };

struct words {
	char *word[WORDS_MAX + 1];
	size_t count;
};

static void push_word(struct words *words, const char *word)
{
	if (words->count < WORDS_MAX)
		words->word[words->count++] = (char *)(uintptr_t)word;
}

/* libthread_db asks for memory of the linker that nobody captured, and complains. */
static void add_gdb(struct words *words, const struct open *open)
{
	push_word(words, open->command ? open->command : "gdb");
	push_word(words, "-q");
	push_word(words, "-iex");
	push_word(words, "set auto-load libthread-db off");
	if (open->program[0]) {
		push_word(words, open->program);
		push_word(words, open->core);
	} else {
		push_word(words, "-core");
		push_word(words, open->core);
	}
	push_word(words, "-x");
	push_word(words, open->script);
}

static void add_lldb(struct words *words, const struct open *open)
{
	push_word(words, open->command ? open->command : "lldb");
	push_word(words, "--core");
	push_word(words, open->core);
	if (open->program[0]) {
		push_word(words, "--file");
		push_word(words, open->program);
	}
}

/* Ctrl-C is the debugger's. */
static int wait_for_debugger(pid_t pid)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction before[2];
	int ended = 0;

	sigaction(SIGINT, &ignored, &before[0]);
	sigaction(SIGQUIT, &ignored, &before[1]);
	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGQUIT, &before[1], NULL);
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : EXIT_BROKEN;
}

/* The input came through standard input, and the debugger's comes from the terminal, if there is one. */
static void take_terminal(void)
{
	const int terminal = open("/dev/tty", O_RDWR);

	if (terminal < 0)
		return;
	dup2(terminal, STDIN_FILENO);
	close(terminal);
}

int open_start_debugger(const struct open *open)
{
	struct words words = { .count = 0 };

	if (open->debugger == OPEN_GDB)
		add_gdb(&words, open);
	else
		add_lldb(&words, open);
	for (size_t i = 0; open->arguments[i]; i++)
		push_word(&words, open->arguments[i]);
	const pid_t pid = fork();
	if (pid == 0) {
		if (strcmp(open->bt.path, "-") == 0)
			take_terminal();
		execvp(words.word[0], words.word);
		print_diagnostic(words.word[0], "cannot start it: %s", strerror(errno));
		_exit(EXIT_BROKEN);
	}
	if (pid > 0)
		return wait_for_debugger(pid);
	return fail_with(words.word[0], "cannot start it: %s", strerror(errno));
}
