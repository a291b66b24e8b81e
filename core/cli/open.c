/* SPDX-License-Identifier: MIT */
/*
 * `cairn open`: a confined child process converts a minidump or a log to a core, and this process
 * starts a debugger on the core.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "base/bytes.h"
#include "cli/bt/bt.h"
#include "formats/elf/elf.h"
#include "locate/captured_files.h"
#include "os/atomic_file.h"
#include "os/channel.h"
#include "os/children.h"
#include "os/file.h"
#include "os/sandbox.h"
#include "os/symbol_path.h"
#include "os/write.h"
#include "output/escape.h"
#include "process/capture/backtraces.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	OPEN_PATH = 4096,
};

enum open_debugger {
	OPEN_NONE,
	OPEN_GDB,
	OPEN_LLDB,
};

struct open {
	struct bt bt;
	struct option_words exes; /* values of --exe: FILE[@BASE] */
	bool captured;
	bool tasks; /* the input is a core, whose Swift tasks are added as threads */
	/* EXIT_MISSING if some frames of the log are missing from the stacks; otherwise 0 */
	int incomplete;
	const char *out;
	enum open_debugger debugger;
	const char *command;    /* debugger to run; NULL selects the default program */
	char *const *arguments; /* NULL-terminated extra arguments */
	/* temporary directory to delete at exit; otherwise empty */
	char directory[OPEN_PATH];
	int directory_lock; /* descriptor of the locked temporary directory, or -1 */
	char core[OPEN_PATH];
	/* absolute path of the directory for placeholders; may be empty */
	char modules[OPEN_PATH];
	char script[OPEN_PATH];
	char program[OPEN_PATH]; /* empty if the program's file was not found */
};

static bool open_exe(struct captured_files *files, const char *word)
{
	char path[SYMBOL_PATH_MAX];
	struct os_file opened;
	struct elf elf;
	uint64_t base;
	bool has_base;

	if (!parse_placed_file(word, path, &base, &has_base) ||
	    !input_open_elf(path, &opened, &elf))
		return false;
	struct cairn_captured_file *file = captured_files_keep(files, path, &opened);
	if (!file) {
		os_file_close(&opened);
		return false;
	}
	file->has_base = has_base;
	file->base = base;
	return true;
}

static void tell_unchecked(const char *path)
{
	print_diagnostic(path,
	                 "used without verification because the log does not record its build ID");
}

static void tell_loaded(const char *path, const struct load_base *base)
{
	print_diagnostic(path, CAPTURED_FILES_LOADED, base->first, base->follow, base->inside);
}

/*
 * Convert the log to a snapshot in memory. Return EXIT_BROKEN on failure, otherwise the exit
 * status.
 */
static int make_snapshot(const struct open *open, struct captured_files *files,
                         struct cairn_bytes text, struct snapshot *snapshot)
{
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary summary = { .size = sizeof(summary) };
	struct cairn_error error;

	for (size_t i = 0; i < open->exes.count; i++)
		if (!open_exe(files, open->exes.word[i]))
			return EXIT_BROKEN;
	captured_files_infer(files, text, tell_loaded);
	options.text = text;
	options.files = files->file;
	options.file_count = files->count;
	options.find = captured_files_find;
	options.context = files;
	if (captured_snapshot_open(&options, snapshot, &summary, &error) == CAIRN_OK) {
		if (summary.ended > 0)
			print_diagnostic(open->bt.path,
			                 "%" PRIu64 " of %" PRIu64
			                 " stacks are incomplete because call frame information is "
			                 "missing; add files with --exe",
			                 summary.ended, summary.threads);
		if (summary.lost > 0)
			print_diagnostic(open->bt.path,
			                 "%" PRIu64
			                 " frames have no address because the files needed to "
			                 "compute the addresses were not found; add the files with "
			                 "--exe (vmlinux for kernel frames)",
			                 summary.lost);
		if (summary.left_out > 0)
			print_diagnostic(open->bt.path, "too many frames; %" PRIu64 " are omitted",
			                 summary.left_out);
		return summary.ended > 0 || summary.lost > 0 || summary.left_out > 0 ? EXIT_MISSING
		                                                                     : EXIT_CLEAN;
	}
	return fail_with(open->bt.path, "%s; expected a minidump or a log with backtraces",
	                 error.text);
}

static int open_log(struct open *open, struct cairn_bytes text)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	const struct bt_options *bt = &open->bt.options;
	struct captured_files *files = captured_files_new(bt->directories, bt->sysroot);
	struct snapshot snapshot;

	open->captured = true;
	if (!files)
		return fail_with(open->bt.path, "out of memory");
	files->tell_unchecked = tell_unchecked;
	open->incomplete = make_snapshot(open, files, text, &snapshot);
	captured_files_free(files);
	if (open->incomplete == EXIT_BROKEN)
		return EXIT_BROKEN;
	options.path = open->bt.path;
	/* clear the sysroot, because the paths of the files found for modules already include it */
	open->bt.options.sysroot = NULL;
	return bt_open_stacks(&open->bt, &options, &snapshot, text.size);
}

static int open_input(struct open *open)
{
	/* static, because the stacks refer to the bytes of a minidump that was read from a pipe */
	static struct os_file file;
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	const bool piped = strcmp(open->bt.path, "-") == 0;
	int status;

	if (os_file_open(piped ? "/dev/stdin" : open->bt.path, &file) != 0)
		return bt_input_open(&open->bt);
	options.bytes = file.bytes;
	options.path = open->bt.path;
	if (captured_files_is_text(file.bytes) && !bt_input_is_packed(file.bytes))
		status = open_log(open, file.bytes);
	else if (piped) /* a pipe cannot be opened a second time */
		return bt_open_stacks(&open->bt, &options, NULL, file.bytes.size);
	else
		status = bt_input_open(&open->bt);
	os_file_close(&file);
	return status;
}

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
	const int error = os_make_directories(placing->open->modules);

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
	options.write_file = place_file;
	options.directory = c->open->modules[0] ? c->open->modules : NULL;
	options.context = &placing;
	options.tasks = c->open->tasks;
	c->summary.size = sizeof(c->summary);
	c->status = cairn_core_write(c->open->bt.opened, &options, &c->summary, &c->error);
	if (c->status == CAIRN_OK)
		return 0;
	return c->error.system ? c->error.system : ECANCELED;
}

/* Replace characters that could end a word, so that a thread name cannot inject GDB commands. */
static char choose_plain(uint8_t byte)
{
	const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	                   (byte >= '0' && byte <= '9') || strchr("._:/+-@", byte);

	return byte != 0 && plain ? (char)byte : '_';
}

static int write_script(const struct open *open)
{
	FILE *script = fopen(open->script, "w");

	if (!script)
		return fail_with(open->script, "cannot write: %s", strerror(errno));
	/* number the threads as GDB does, in the order of the core */
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
	size_t at = 0;
	for (size_t number = 1; cairn_core_next_thread(open->bt.opened, &at, &thread); number++) {
		if (thread.name.size == 0)
			continue;
		fprintf(script, "thread apply %zu -q -s -- thread name ", number);
		for (size_t k = 0; k < thread.name.size; k++)
			fputc(choose_plain(thread.name.data[k]), script);
		fputc('\n', script);
	}
	/* hide argument values, because registers that were not captured are 0 in the core */
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
	if (open->tasks) {
		printf("; %" PRIu64 " of the threads are tasks\n", c->summary.tasks);
		return;
	}
	puts(open->captured
	             ? "; only return addresses are known: registers show 0, and variables "
	               "in memory cannot be read"
	             : "; memory that was not captured cannot be read, nor thread-local variables");
	fflush(stdout);
}

static int write_core_file(struct converting *c)
{
	const struct open *open = c->open;
	const int error = os_atomic_file_fill(open->core, fill_core, c);

	if (open->bt.process.kind == CAIRN_STACKS_CORE && !open->tasks)
		return fail_with(open->bt.path,
		                 "is a core file; open it directly in a debugger (gdb PROGRAM "
		                 "CORE), print its stacks with 'cairn bt', or show its Swift tasks "
		                 "as threads with --tasks");
	if (c->status != CAIRN_OK && c->error.system == 0)
		return fail_with(open->bt.path, "%s", c->error.text);
	if (error)
		print_diagnostic(open->core, "cannot write: %s", strerror(error));
	return error ? EXIT_BROKEN : EXIT_CLEAN;
}

/* Return true if the program's file was not found, even if a placeholder takes its place. */
static bool lacks_program(const struct converting *c)
{
	const struct bt *bt = &c->open->bt;
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);

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
		print_diagnostic(open->bt.path,
		                 "the program's file was not found; specify the file with --exe or "
		                 "the root directory with --sysroot");
	if (c->summary.ambiguous > 0)
		print_diagnostic(open->bt.path,
		                 "%" PRIu64 " frames differ in size from other frames at the same "
		                 "address; debuggers may fail to unwind them",
		                 c->summary.ambiguous);
	bt_print_new_problems(&open->bt);
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
		if (open->directory[0])
			sandbox_allow_write(&sandbox, open->directory);
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

/*
 * Create the core and the GDB script in a confined process, and set open->program. Return the exit
 * status, which is EXIT_BROKEN or higher if no core was created.
 */
static int open_convert(struct open *open)
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
	if (pid > 0) {
		size_t size = 0;
		ssize_t got;
		while ((got = read(ends[0], open->program + size,
		                   sizeof(open->program) - 1 - size)) > 0)
			size += (size_t)got;
		open->program[size] = '\0';
	}
	close(ends[0]);
	if (pid < 0)
		return fail_with(NULL, "cannot start a process: %s", strerror(errno));
	const int ended = os_child_end(pid, CHANNEL_NEVER, NULL);
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : EXIT_BROKEN;
}

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

static int open_terminal(void)
{
	return open("/dev/tty", O_RDWR | O_CLOEXEC);
}

/*
 * Run the debugger and wait for it. Return its exit status, or EXIT_BROKEN if it cannot be started.
 */
static int open_start_debugger(const struct open *open)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction before[2];
	struct words words = { .count = 0 };
	struct os_program program = { .input = -1, .output = -1, .error = -1 };
	pid_t pid;

	if (open->debugger == OPEN_GDB) {
		/*
		 * Disable libthread_db, which would report errors because the dynamic linker's
		 * memory was not captured.
		 */
		push_word(&words, open->command ? open->command : "gdb");
		push_word(&words, "-q");
		push_word(&words, "-iex");
		push_word(&words, "set auto-load libthread-db off");
		if (open->program[0]) {
			push_word(&words, open->program);
			push_word(&words, open->core);
		} else {
			push_word(&words, "-core");
			push_word(&words, open->core);
		}
		push_word(&words, "-x");
		push_word(&words, open->script);
	} else {
		push_word(&words, open->command ? open->command : "lldb");
		push_word(&words, "--core");
		push_word(&words, open->core);
		if (open->program[0]) {
			push_word(&words, "--file");
			push_word(&words, open->program);
		}
	}
	for (size_t i = 0; open->arguments[i]; i++)
		push_word(&words, open->arguments[i]);
	program.words = words.word;
	/* standard input was the capture, so let the debugger read from the terminal */
	if (strcmp(open->bt.path, "-") == 0)
		program.input = open_terminal();
	const int error = os_child_start(&program, &pid);
	if (program.input >= 0)
		close(program.input);
	if (error)
		return fail_with(words.word[0], "cannot start: %s", strerror(error));
	/* ignore Ctrl-C here, because it is meant for the debugger */
	sigaction(SIGINT, &ignored, &before[0]);
	sigaction(SIGQUIT, &ignored, &before[1]);
	const int ended = os_child_end(pid, CHANNEL_NEVER, NULL);
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGQUIT, &before[1], NULL);
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : EXIT_BROKEN;
}

static const char about[] =
	"Open a minidump, or the backtraces in a log, in GDB or LLDB: create a core file and\n"
	"start the debugger with the program. '-' is standard input. ARGUMENTs go to the\n"
	"debugger. With -o the core is kept, and a debugger starts only with --gdb or --lldb;\n"
	"otherwise GDB starts, and the core is removed when it ends. The debugger's exit\n"
	"status is returned; without a debugger it is 0, 1 if files of modules were not found\n"
	"or a part of the input is lost, or 3 if there is no core.";
static const char *const directory_files[] = { "core", "script", "core.modules/", NULL };

/*
 * Choose the directory for placeholder files. The core contains its absolute path. If the core is
 * written to a device, there is no such directory.
 */
static bool name_modules(struct open *open)
{
	const bool whole = open->core[0] == '/';
	char here[OPEN_PATH] = "";
	struct stat there;

	if (stat(open->core, &there) == 0 && !S_ISREG(there.st_mode))
		return true;

	if (!whole && !getcwd(here, sizeof(here)))
		return false;
	const int size = snprintf(open->modules, sizeof(open->modules), "%s%s%s.modules", here,
	                          whole ? "" : "/", open->core);
	return size > 0 && (size_t)size < sizeof(open->modules);
}

/*
 * Choose the paths of the output files. Print a diagnostic and return false if a path is too long,
 * or if the temporary directory cannot be created.
 */
static bool prepare_files(struct open *open)
{
	const char *directory = getenv("TMPDIR");

	if (open->debugger != OPEN_NONE) {
		snprintf(open->directory, sizeof(open->directory) - 16, "%s/cairn-open.XXXXXX",
		         directory && *directory ? directory : "/tmp");
		const int error = os_temporary_directory_make(open->directory, directory_files,
		                                              &open->directory_lock);
		if (error != 0)
			return refuse_with(open->directory, "cannot create: %s", strerror(error));
		snprintf(open->script, sizeof(open->script), "%.4000s/script", open->directory);
	}
	const int size = open->out ? snprintf(open->core, sizeof(open->core), "%s", open->out)
	                           : snprintf(open->core, sizeof(open->core), "%.4000s/core",
	                                      open->directory);
	if (size > 0 && (size_t)size < sizeof(open->core) && name_modules(open))
		return true;
	return refuse_with(open->bt.path, "the output path is too long");
}

/*
 * Parse FILE[@BASE] and make the path absolute, because the debugger runs in a different directory.
 * Return false if the path is too long.
 */
static bool read_given_path(const char *word, char path[SYMBOL_PATH_MAX])
{
	uint64_t base;

	if (!parse_placed_file(word, path, &base, NULL))
		return false;
	char *whole = realpath(path, NULL);
	if (whole && strlen(whole) < SYMBOL_PATH_MAX)
		memcpy(path, whole, strlen(whole) + 1);
	free(whole);
	return true;
}

/*
 * Use the first --exe file as the program, even if it has no build ID. BASE matters only for logs,
 * because a minidump contains the load addresses.
 */
static bool take_program_file(struct open *open)
{
	static char path[SYMBOL_PATH_MAX];

	if (open->exes.count == 0)
		return true;
	if (!read_given_path(open->exes.word[0], path))
		return false;
	open->bt.options.program = path;
	return true;
}

static bool has_build_id(const char *path, struct cairn_bytes build_id)
{
	struct os_file file;
	struct elf elf;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	const bool same = elf_opens(file.bytes, &elf) && bytes_equal(elf_build_id(&elf), build_id);
	os_file_close(&file);
	return same;
}

/* Find a module's file by build ID among the other --exe files. */
static bool find_given(void *context, struct cairn_bytes build_id, char *path, size_t size)
{
	const struct open *open = context;
	char given[SYMBOL_PATH_MAX];

	for (size_t i = 1; i < open->exes.count; i++)
		if (read_given_path(open->exes.word[i], given) && has_build_id(given, build_id)) {
			snprintf(path, size, "%s", given);
			return true;
		}
	return false;
}

int verb_open(int argc, char **argv)
{
	struct open open = { .out = NULL, .directory_lock = -1 };
	bool gdb = false, lldb = false;
	const struct option options[] = {
		OPTION_OUTPUT('o', "output", "CORE", "keep the core file as CORE", &open.out),
		OPTION_WITH(RIGHT_FINDS, words, 0, "exe", "FILE[@BASE]",
		            "program or module that has moved; may be repeated", &open.exes),
		OPTION_SYSROOT("find the program's files below DIR", &open.bt.options.sysroot),
		OPTIONS_DIRECTORIES(&open.bt.options.directories),
		OPTION_FLAG("tasks", "open a core, with its Swift tasks as further threads",
		            &open.tasks),
		OPTION_FLAG("gdb", "start GDB", &gdb),
		OPTION_FLAG("lldb", "start LLDB", &lldb),
		OPTION_TEXT("debugger", "PROGRAM", "start PROGRAM as GDB or LLDB", &open.command),
		OPTION_NO_PROGRESS(&open.bt.options.quiet),
	};
	const struct command command = COMMAND(
		"cairn open [OPTION...] MINIDUMP|LOG|- [-- ARGUMENT...]", about, options,
		OPERANDS(1, OPERANDS_MANY, "MINIDUMP|LOG", "ARGUMENT"), .rights = RIGHT_ALL);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	/* argv has space for this element, because it contained the verb before */
	argv[argc] = NULL;
	open.bt.path = argv[0];
	if (!take_program_file(&open))
		return EXIT_BROKEN;
	open.bt.find_given = open.exes.count > 1 ? find_given : NULL;
	open.bt.context = &open;
	open.arguments = argv + 1;
	open.debugger = lldb ? OPEN_LLDB : gdb || !open.out ? OPEN_GDB : OPEN_NONE;
	status = EXIT_BROKEN;
	if (prepare_files(&open))
		status = open_convert(&open);
	if (status < EXIT_USAGE && open.debugger != OPEN_NONE)
		status = open_start_debugger(&open);
	os_temporary_directory_remove(open.directory, directory_files, open.directory_lock);
	return status;
}
