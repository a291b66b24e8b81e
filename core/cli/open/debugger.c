/* SPDX-License-Identifier: MIT */
/* Starts GDB or LLDB on the core, with its program. */
#include "open.h"

#include "os/channel.h"
#include "os/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 64 };

struct words {
	const char *word[WORDS_MAX + 1];
	size_t count;
};

static void push_word(struct words *words, const char *word)
{
	if (words->count < WORDS_MAX)
		words->word[words->count++] = word;
}

/* Disable libthread_db, which prints errors because the linker's memory was not captured. */
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

static int open_terminal(void)
{
	return open("/dev/tty", O_RDWR | O_CLOEXEC);
}

int open_start_debugger(const struct open *open)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction before[2];
	struct words words = { .count = 0 };
	struct os_program program = { .input = -1, .output = -1, .error = -1 };
	pid_t pid;

	if (open->debugger == OPEN_GDB)
		add_gdb(&words, open);
	else
		add_lldb(&words, open);
	for (size_t i = 0; open->arguments[i]; i++)
		push_word(&words, open->arguments[i]);
	program.words = words.word;
	/* standard input was consumed by the input, so the debugger reads from the terminal */
	if (strcmp(open->bt.path, "-") == 0)
		program.input = open_terminal();
	const int error = os_child_start(&program, &pid);
	if (program.input >= 0)
		close(program.input);
	if (error)
		return fail_with(words.word[0], "cannot start it: %s", strerror(error));
	/* Ctrl-C is for the debugger */
	sigaction(SIGINT, &ignored, &before[0]);
	sigaction(SIGQUIT, &ignored, &before[1]);
	const int ended = os_child_end(pid, CHANNEL_NEVER, NULL);
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGQUIT, &before[1], NULL);
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : EXIT_BROKEN;
}
