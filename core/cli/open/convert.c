/* SPDX-License-Identifier: MIT */
/* Converts a minidump to a core, in a process that cannot write anything else. */
#include "open.h"

#include "base/bytes.h"
#include "os/channel.h"
#include "os/children.h"
#include "os/file/atomic_file.h"
#include "os/sandbox/sandbox.h"
#include "output/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct converting {
	struct open *open;
	struct cairn_core_summary summary;
	struct cairn_error error;
	enum cairn_status status;
};

struct placing {
	const struct open *open;
	int fd;
};

static int place_file(void *context, const char *path, const struct cairn_bytes *parts,
                      size_t count)
{
	const struct placing *placing = context;
	const int error = os_make_folders(placing->open->modules);

	return error ? error : os_atomic_file_replace(path, parts, count);
}

static int write_core_piece(void *context, const void *bytes, size_t size)
{
	struct placing *placing = context;

	return os_write_piece(&placing->fd, bytes, size);
}

static int fill_core(void *context, int fd)
{
	struct converting *c = context;
	struct placing placing = { c->open, fd };
	struct cairn_core_options options = CAIRN_CORE_OPTIONS;

	options.write = write_core_piece;
	options.place = place_file;
	options.folder = c->open->modules[0] ? c->open->modules : NULL;
	options.context = &placing;
	c->summary.size = sizeof(c->summary);
	c->status = cairn_core_write(c->open->bt.opened, &options, &c->summary, &c->error);
	if (c->status == CAIRN_OK)
		return 0;
	return c->error.system ? c->error.system : ECANCELED;
}

/* Replace characters that could end a word, so that a thread name cannot form a GDB command. */
static char choose_plain(uint8_t byte)
{
	const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	                   (byte >= '0' && byte <= '9') || strchr("._:/+-@", byte);

	return byte != 0 && plain ? (char)byte : '_';
}

/* Write GDB commands that set the thread names. Threads are numbered as in the core. */
static void put_thread_names(FILE *script, const struct bt *bt)
{
	struct cairn_thread thread;
	size_t at = 0;

	for (size_t number = 1; cairn_core_next_thread(bt->opened, &at, &thread); number++) {
		if (thread.name.size == 0)
			continue;
		fprintf(script, "thread apply %zu -q -s -- thread name ", number);
		for (size_t k = 0; k < thread.name.size; k++)
			fputc(choose_plain(thread.name.data[k]), script);
		fputc('\n', script);
	}
}

static int write_script(const struct open *open)
{
	FILE *script = fopen(open->script, "w");

	if (!script)
		return fail_with(open->script, "cannot write: %s", strerror(errno));
	put_thread_names(script, &open->bt);
	/* registers that were not captured are 0, and GDB would show them as arguments */
	if (open->captured)
		fputs("set print frame-arguments presence\nset print entry-values no\n", script);
	if (fclose(script) == 0)
		return EXIT_CLEAN;
	return fail_with(open->script, "cannot write: %s", strerror(errno));
}

static void print_open_summary(const struct converting *c)
{
	const struct open *open = c->open;

	print_string(stdout, open->debugger == OPEN_NONE ? open->core : open->bt.path);
	printf(": %" PRIu64 " threads, %" PRIu64 " modules", c->summary.threads,
	       c->summary.modules);
	if (c->summary.missing > 0)
		printf(", %" PRIu64 " of them without their files", c->summary.missing);
	puts(open->captured
	             ? "; return addresses are all that is known: registers show 0, and variables "
	               "in "
	               "memory cannot be read"
	             : "; memory that was not captured cannot be read, nor thread-local variables");
	fflush(stdout);
}

static int write_core_file(struct converting *c)
{
	const struct open *open = c->open;
	const int error = os_atomic_file_fill(open->core, fill_core, c);

	if (open->bt.process.kind == CAIRN_STACKS_CORE)
		return fail_with(open->bt.path,
		                 "a core file, which debuggers open as it is (gdb PROGRAM "
		                 "CORE); 'cairn bt' prints its stacks");
	if (c->status != CAIRN_OK && c->error.system == 0)
		return fail_with(open->bt.path, "%s", c->error.text);
	if (error)
		print_diagnostic(open->core, "cannot write: %s", strerror(error));
	return error ? EXIT_BROKEN : EXIT_CLEAN;
}

/* Return true if the program's file was not found, even if another file replaces it. */
static bool lacks_program(const struct converting *c)
{
	const struct bt *bt = &c->open->bt;
	struct cairn_loaded_module module;

	for (size_t i = 0; cairn_stacks_module(bt->opened, i, &module); i++)
		if (bytes_equal(module.path, bt->process.program))
			return module.file.size == 0;
	return c->summary.program.size == 0;
}

static int convert_opened(struct converting *c, int told)
{
	struct open *open = c->open;
	int status = write_core_file(c);

	if (status != EXIT_CLEAN)
		return status;
	if (open->script[0])
		status = write_script(open);
	if (os_write_all(told, c->summary.program) != 0)
		status = EXIT_BROKEN;
	if (lacks_program(c))
		print_diagnostic(open->bt.path, "the program's file was not found: give it with "
		                                "--exe, or its folder with --sysroot");
	if (c->summary.ambiguous > 0)
		print_diagnostic(open->bt.path,
		                 "%" PRIu64
		                 " frames have another size than others at their addresses: "
		                 "debuggers may lose the way there",
		                 c->summary.ambiguous);
	if (!open->bt.options.quiet)
		print_open_summary(c);
	if (c->summary.missing > 0 || cairn_stacks_problems(open->bt.opened, NULL) > 0)
		status = choose_worse(status, EXIT_MISSING);
	return choose_worse(status, bt_check_program(&open->bt));
}

static int convert_confined(struct open *open, int told)
{
	struct converting c = { .open = open, .status = CAIRN_OK };
	struct sandbox sandbox;

	if (sandbox_is_possible()) {
		sandbox_begin(&sandbox, SANDBOX_READ_ALL);
		sandbox_allow_write(&sandbox, open->core);
		if (open->modules[0])
			sandbox_allow_write(&sandbox, open->modules);
		if (open->folder[0])
			sandbox_allow_write(&sandbox, open->folder);
		(void)sandbox_enter(&sandbox);
	}
	int status = open_input(open);
	if (status != EXIT_CLEAN)
		return status;
	bt_print_problems(&open->bt);
	status = choose_worse(convert_opened(&c, told), open->incomplete);
	bt_close(&open->bt);
	return status;
}

static void take_program(struct open *open, int from)
{
	size_t size = 0;
	ssize_t got;

	while ((got = read(from, open->program + size, sizeof(open->program) - 1 - size)) > 0)
		size += (size_t)got;
	open->program[size] = '\0';
}

int open_convert(struct open *open)
{
	int ends[2];

	if (pipe(ends) != 0)
		return EXIT_BROKEN;
	fflush(NULL);
	const pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		const int status = convert_confined(open, ends[1]);
		fflush(NULL);
		_exit(status);
	}
	close(ends[1]);
	if (pid > 0)
		take_program(open, ends[0]);
	close(ends[0]);
	if (pid < 0)
		return fail_with(NULL, "cannot start a process: %s", strerror(errno));
	const int ended = os_child_end(pid, CHANNEL_NEVER, NULL);
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : EXIT_BROKEN;
}
