/* SPDX-License-Identifier: MIT */
/*
 * The crash handler. It runs as root, starts and supervises the child processes that do the work,
 * and reports partial failures. It formats only strings of its own and numbers passed by the
 * kernel; all other data is copied without parsing.
 */
#define _GNU_SOURCE /* pipe2() */
#include "crash.h"

#include "cli/front/cli.h"
#include "os/children.h"
#include "os/write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	/* exit status of a child that could not be confined; 127 means that exec() failed */
	CHILD_FAILED = 126,
	ERRORS_MAX = 125, /* highest exit status of the packer that is an errno value */
	MILLISECOND = 1000 * 1000,
	MEBIBYTE = 1 << 20,
};

/* Create a pipe. Store the write end in *out and return the read end, or -1 on failure. */
static int crash_open_pipe(int *out)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	*out = ends[1];
	return ends[0];
}

static void become_confined(const struct crash *crash, int in, const int *kept)
{
	static char *nothing[1];

	os_child_restore_signals();
	for (unsigned i = 0; i < CRASH_OUTPUTS; i++)
		if (kept[i] >= 0)
			close(kept[i]);
	if (crash->store.reports >= 0)
		close(crash->store.reports);
	if (crash->store.cores >= 0)
		close(crash->store.cores);
	if (crash->store.dumps >= 0)
		close(crash->store.dumps);
	environ = nothing;
	int error = dup2(in, STDIN_FILENO) < 0 || dup2(crash->report, STDOUT_FILENO) < 0 ||
	                            dup2(crash->messages, STDERR_FILENO) < 0
	                    ? errno
	                    : os_confine(crash->handler, &crash->limits);
	if (in != STDIN_FILENO)
		close(in);
	if (error != 0)
		_exit(CHILD_FAILED);
}

/*
 * Start a child with `in` as its standard input. The reader and the packer are confined, and close
 * the handler's other descriptors, including the CRASH_OUTPUTS descriptors in `kept` (-1 is
 * ignored). In contrast, the command keeps the handler's privileges. If fork() fails, the returned
 * `pid` is negative.
 */
static struct crash_child crash_start_reader(struct crash *crash, int in, const int *kept,
                                             const char *failure)
{
	struct crash_child child = { .pid = fork() };

	if (child.pid == 0) {
		become_confined(crash, in, kept);
		if (crash->core_file >= 0)
			close(crash->core_file);
		_exit(crash_report(crash, failure));
	}
	return child;
}

static struct crash_child crash_start_packer(struct crash *crash, int in, const int *kept)
{
	struct crash_child child = { .pid = fork() };

	if (child.pid == 0) {
		become_confined(crash, in, kept);
		_exit(crash_pack(crash->core_file));
	}
	return child;
}

/*
 * Start the command with root privileges, and with the environment and open files that the handler
 * inherited from the kernel.
 */
static struct crash_child crash_start_command(const struct crash *crash, int in)
{
	struct crash_child child = { .pid = fork() };

	if (child.pid == 0) {
		os_child_restore_signals();
		if (dup2(in, STDIN_FILENO) >= 0)
			execv(crash->options.then[0], crash->options.then);
		_exit(CHILD_FAILED + 1);
	}
	return child;
}

/*
 * Wait for the child to end, and kill it at the time `until`. Return true if its exit status is 0.
 */
static bool crash_wait_child(struct crash_child *child, uint64_t until)
{
	if (child->pid <= 0) {
		snprintf(child->why, CHILD_WHY, "it could not be started");
		return false;
	}
	child->status = os_child_end(child->pid, until / MILLISECOND + 1, &child->late);
	if (child->status == -1)
		snprintf(child->why, CHILD_WHY, "it could not be waited for");
	else {
		const int status = child->status;
		if (child->late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM))
			snprintf(child->why, CHILD_WHY, "it took longer than it may");
		else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
			snprintf(child->why, CHILD_WHY, "it took more processor time than it may");
		else if (WIFSIGNALED(status))
			snprintf(child->why, CHILD_WHY, "it was ended by signal %d",
			         WTERMSIG(status));
		else if (WEXITSTATUS(status) == CHILD_FAILED)
			snprintf(child->why, CHILD_WHY, "its privileges could not be dropped");
		else if (WEXITSTATUS(status) != 0)
			snprintf(child->why, CHILD_WHY, "it ended with status %d",
			         WEXITSTATUS(status));
	}
	return child->why[0] == '\0';
}

/*
 * Creates the files that are kept after a crash. The packer writes the core under a temporary name,
 * and crash_finish_core() renames it when it is complete. All other files are copied from unnamed
 * files that the reader has written.
 */

static void give_up(struct crash *crash, struct crash_core *core, const char *why)
{
	snprintf(core->why, sizeof(core->why), "%s", why);
	if (core->temporary[0])
		crash_store_drop(crash->store.cores, core->temporary);
	core->temporary[0] = '\0';
}

static void start_packer(struct crash *crash, struct crash_core *core, int out[CRASH_OUTPUTS],
                         int *mine)
{
	const uint64_t before = crash->limits.file;
	int in = crash_open_pipe(mine);

	if (in < 0)
		return;
	crash->limits.file = crash->options.space * MEBIBYTE;
	core->packer = crash_start_packer(crash, in, out);
	crash->limits.file = before;
	close(in);
}

/*
 * Create the core's file under a temporary name and start the packer. Set out[CRASH_OUT_PACKER] to
 * the pipe for the core's stream. On failure it stays -1, and core->why is set. crash_finish_core()
 * gives the file its final name or deletes it.
 */
static void crash_begin_core(struct crash *crash, struct crash_core *core, int out[CRASH_OUTPUTS])
{
	int *mine = &out[CRASH_OUT_PACKER];
	int error = crash_store_file(&crash->store, crash->store.cores, core->temporary,
	                             &crash->core_file);

	core->wanted = true;
	if (error != 0) {
		core->temporary[0] = '\0';
		crash->core_file = -1;
		give_up(crash, core, strerror(error));
		return;
	}
	start_packer(crash, core, out, mine);
	if (core->packer.pid <= 0)
		give_up(crash, core, "the core could not be compressed");
}

/* Give the core its final name. Return NULL on success, otherwise the reason for the failure. */
static const char *name_core(struct crash *crash, struct crash_core *core, bool whole,
                             uint64_t until)
{
	bool packed = crash_wait_child(&core->packer, until);
	const int status = core->packer.status;
	struct stat about = { .st_size = 0 };

	if (!whole)
		return "the stream of the core did not end in time";
	if (!packed && !core->packer.late && WIFEXITED(status) && WEXITSTATUS(status) <= ERRORS_MAX)
		return strerror(WEXITSTATUS(status));
	if (!packed)
		return core->packer.why;
	if (fstat(crash->core_file, &about) != 0 || about.st_size == 0)
		return "it is empty";
	core->size = (uint64_t)about.st_size;
	int error = crash_store_keep(&crash->store, crash->store.cores, core->temporary,
	                             crash_core_ending(), core->name);
	return error == 0 ? NULL : strerror(error);
}

static void crash_finish_core(struct crash *crash, struct crash_core *core, bool whole,
                              uint64_t until)
{
	const char *why = core->packer.pid > 0 ? name_core(crash, core, whole, until) : NULL;

	if (why)
		give_up(crash, core, why);
	core->kept = core->packer.pid > 0 && !why;
	if (crash->core_file >= 0)
		close(crash->core_file);
	crash->core_file = -1;
}

/*
 * Keep the perf map or jitdump, which is the only source for names of JIT code once the process is
 * gone. Return 0 or an errno value.
 */
static int crash_keep_map(const struct crash *crash, const struct crash_core *core,
                          struct crash_kept *kept)
{
	/*
	 * give the copy the core's modification time, because cairn ignores a perf map that is
	 * newer than the core
	 */
	const int error = crash_store_copy(&crash->store, crash->store.cores, crash->map,
	                                   ".perf-map", core->name, kept->map);

	if (error != 0)
		kept->map[0] = '\0';
	return error == ENODATA ? 0 : error;
}

/* Keep the minidump. `made` is false if the reader has not finished it. */
static void crash_keep_minidump(const struct crash *crash, bool made, struct crash_kept *kept)
{
	const int error = made ? crash_store_copy(&crash->store, crash->store.dumps, crash->dump,
	                                          ".dmp", NULL, kept->dump)
	                       : ENODATA;

	if (error == 0)
		return;
	kept->dump[0] = '\0';
	kept->dump_missing = error == ENODATA ? "none could be made of the core" : strerror(error);
}

enum {
	TEXT_CAPACITY = 1024,
	/* maximum number of old reports to delete for a new one when the disk is full */
	FULL_TRIES = 16,
	NANOSECONDS = 1000000000,
	/*
	 * maximum size of each file that the reader writes; must suffice for a minidump with 64 MiB
	 * of stacks
	 */
	FILE_MEBIBYTES = 96,
	GRACE_SECONDS = 10, /* SIGALRM kills the handler this many seconds after all other limits */
	/* drop an output that accepts no data for 1/PATIENCE of the time limit */
	PATIENCE = 4,
	HEAD_SECONDS = 5, /* time limit of the reader for a report without the core */
};

struct work {
	struct crash *crash;
	uint64_t start, until;
	int out[CRASH_OUTPUTS];
	struct crash_child reader, command;
	struct crash_core core;
	bool by_kernel; /* true if the kernel started the handler, with standard error closed */
	bool stored;
	bool refused;
	bool whole; /* true if the kernel's stream was read to its end */
	struct crash_kept kept;
	long memory; /* peak memory use of a child in KiB */
};

/*
 * Format a report that contains only the numbers passed by the kernel, and the reason for the
 * failure.
 */
static const char *make_text(const struct crash *crash, const char *failure)
{
	static char text[TEXT_CAPACITY];
	const struct crash_options *options = &crash->options;

	snprintf(text, sizeof(text),
	         "{\"crash_report\":1,\"cairn\":\"%s\",\"time\":%llu,\"pid\":%llu,\"tid\":%llu,"
	         "\"signal_number\":%llu,\"dump_mode\":%llu,\"complete\":false,\"failure\":\"%s\"}"
	         "\n",
	         cairn_version(), (unsigned long long)options->time,
	         (unsigned long long)options->pid, (unsigned long long)options->tid,
	         (unsigned long long)options->signal, (unsigned long long)options->dump_mode,
	         failure);
	return text;
}

/*
 * Log a failure on standard error or, if the kernel started the handler and standard error is
 * closed, in the kernel log.
 */
static void log_failure(const struct work *work, const char *path, const char *what,
                        const char *why)
{
	const struct crash_options *options = &work->crash->options;
	char text[TEXT_CAPACITY];

	if (!work->by_kernel) {
		print_diagnostic(path, "%s: %s", what, why);
		return;
	}
	int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int size = snprintf(
		text, sizeof(text), "cairn: crash of process %llu, signal %llu: %s: %s\n",
		(unsigned long long)options->pid, (unsigned long long)options->signal, what, why);
	if (log < 0)
		return;
	if (write(log, text, (size_t)size) < 0)
		/* standard error is /dev/null here, so only strace shows this */
		print_diagnostic("/dev/kmsg", "%s", strerror(errno));
	close(log);
}

static struct crash_bounds take_bounds(const struct crash *crash)
{
	return (struct crash_bounds){ crash->options.keep, crash->options.space * MEBIBYTE };
}

/* Describe an error of crash_store_directory(). */
static const char *explain_directory(int error)
{
	return error == EPERM ? "other users can write to it or to a directory above it"
	                      : strerror(error);
}

/* Open an optional directory. On failure, log the reason and set *path to NULL. */
static void open_directory(const struct work *work, const char **path, const char *what,
                           int *directory)
{
	const int error = *path ? crash_store_directory(*path, directory) : 0;

	if (error == 0)
		return;
	log_failure(work, *path, what, explain_directory(error));
	*directory = -1;
	*path = NULL;
}

/*
 * Delete an old report to make space for the new one. Return false if there is no old report or
 * FULL_TRIES is reached.
 */
static bool trim_for_report(const struct crash *crash, unsigned *tries)
{
	const struct crash_bounds bounds = take_bounds(crash);

	return ++*tries < FULL_TRIES &&
	       crash_store_trim(&crash->store, crash->store.reports, &bounds, true) > 0;
}

/* Create a preliminary report, which remains if the handler is killed. */
static int begin_report(struct crash *crash)
{
	const char *text = make_text(crash, "the handler was ended before the report was made");
	unsigned tries = 0;
	int error;

	do
		error = crash_store_begin(&crash->store, crash->options.time, crash->options.pid,
		                          text);
	while (error == ENOSPC && trim_for_report(crash, &tries));
	return error;
}

/*
 * Trim the directories and check the user's rate limit. If the lock cannot be acquired, skip both
 * and allow the report.
 */
static bool is_refused(struct crash *crash)
{
	const struct crash_bounds bounds = take_bounds(crash);
	int lock = crash_store_lock(&crash->store);
	struct timespec now = { 0, 0 };

	if (lock < 0)
		return false;
	clock_gettime(CLOCK_BOOTTIME, &now);
	crash_store_trim(&crash->store, crash->store.reports, &bounds, false);
	if (crash->store.cores >= 0)
		crash_store_trim(&crash->store, crash->store.cores, &bounds, false);
	if (crash->store.dumps >= 0)
		crash_store_trim(&crash->store, crash->store.dumps, &bounds, false);
	bool allowed =
		crash_store_allows(&crash->store, lock, crash->options.rate,
	                           (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec);
	close(lock);
	return !allowed;
}

/*
 * Start the reader. It reads the kernel's stream directly unless there are other consumers; then it
 * reads from a pipe.
 */
static void start_reader(struct work *work)
{
	bool alone = work->out[CRASH_OUT_PACKER] < 0 && work->out[CRASH_OUT_COMMAND] < 0;
	int in = alone ? STDIN_FILENO : crash_open_pipe(&work->out[CRASH_OUT_READER]);

	if (in < 0)
		return;
	work->reader = crash_start_reader(work->crash, in, work->out, NULL);
	if (!alone)
		close(in);
}

static void start_command(struct work *work)
{
	int in = crash_open_pipe(&work->out[CRASH_OUT_COMMAND]);

	if (in < 0)
		return;
	work->command = crash_start_command(work->crash, in);
	close(in);
}

static void leave_standard_input(void)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0)
		close(nothing);
}

/*
 * Format the last JSON members of the report, which only the handler knows, and the end of the
 * object.
 */
static const char *make_end(const struct work *work)
{
	static char text[TEXT_CAPACITY];
	const struct crash_core *core = &work->core;
	char about[TEXT_CAPACITY / 2] = "", map[NAME_CAPACITY + 32] = "",
				   dump[NAME_CAPACITY + 32] = "";

	if (work->kept.map[0])
		snprintf(map, sizeof(map), ",\"map_file\":\"%s\"", work->kept.map);
	if (work->kept.dump[0])
		snprintf(dump, sizeof(dump), ",\"minidump_file\":\"%s\"", work->kept.dump);
	else if (work->kept.dump_missing)
		snprintf(dump, sizeof(dump), ",\"minidump_missing\":\"%s\"",
		         work->kept.dump_missing);
	if (core->kept)
		snprintf(about, sizeof(about), ",\"core_file\":\"%s\",\"core_bytes\":%llu",
		         core->name, (unsigned long long)core->size);
	else if (core->wanted)
		snprintf(about, sizeof(about), ",\"core_missing\":\"%s\"", core->why);
	snprintf(text, sizeof(text), "%s%s%s%s,\"milliseconds\":%llu,\"memory_kib\":%ld}\n", about,
	         map, dump, work->whole ? "" : ",\"stream_cut\":true",
	         (unsigned long long)((crash_clock() - work->start) / MILLISECOND), work->memory);
	return text;
}

/*
 * Write a report without the core, from the data in /proc and the reason for the failure. Return
 * false if this fails, too.
 */
static bool report_failure(struct work *work, const char *why)
{
	const int none[CRASH_OUTPUTS] = { -1, -1, -1 };
	struct crash *crash = work->crash;
	char text[CHILD_WHY + 64];

	snprintf(text, sizeof(text), "the core could not be read: %s", why);
	if (ftruncate(crash->report, 0) != 0 || lseek(crash->report, 0, SEEK_SET) != 0 ||
	    ftruncate(crash->messages, 0) != 0)
		return false;
	leave_standard_input();
	crash->limits.seconds = crash->limits.processor = HEAD_SECONDS;
	struct crash_child child = crash_start_reader(crash, STDIN_FILENO, none, text);
	return crash_wait_child(&child, crash_clock() + HEAD_SECONDS * (uint64_t)NANOSECONDS);
}

static int write_report(const struct work *work)
{
	const struct crash *crash = work->crash;
	unsigned tries = 0;
	int error;

	do
		error = crash_store_finish(&crash->store, crash->report, make_end(work));
	while (error == ENOSPC && trim_for_report(crash, &tries));
	return error;
}

static int amend_report(const struct work *work, const char *why)
{
	const struct crash *crash = work->crash;
	int error = crash_store_amend(&crash->store, make_text(crash, why));

	if (error != 0)
		log_failure(work, work->crash->options.reports, "cannot update the report",
		            strerror(error));
	return EXIT_MISSING;
}

static void keep_files(struct work *work, bool whole, bool made)
{
	int error = 0;

	if (whole && work->core.kept)
		error = crash_keep_map(work->crash, &work->core, &work->kept);
	if (error != 0)
		log_failure(work, work->crash->options.reports, "cannot save the names of JIT code",
		            strerror(error));
	if (work->crash->options.minidump)
		crash_keep_minidump(work->crash, made, &work->kept);
}

static int finish_report(struct work *work)
{
	struct rusage used;

	if (work->refused)
		return amend_report(work, "there are too many crashes of this user in a minute");
	bool whole = crash_wait_child(&work->reader, work->until);
	/* with EXIT_MISSING the report is complete and lists the missing data */
	bool made = whole ||
	            (!work->reader.late && work->reader.pid > 0 && WIFEXITED(work->reader.status) &&
	             WEXITSTATUS(work->reader.status) == EXIT_MISSING);
	if (getrusage(RUSAGE_CHILDREN, &used) == 0)
		work->memory = used.ru_maxrss;
	if (!made && !report_failure(work, work->reader.why))
		return amend_report(work, work->reader.why);
	keep_files(work, whole, made);
	int error = write_report(work);
	if (error != 0)
		return amend_report(work, strerror(error));
	return whole ? EXIT_CLEAN : EXIT_MISSING;
}

/*
 * Return the UID of the crashed process. Without --uid, use the owner of its directory in /proc,
 * which is root if the process is not dumpable.
 */
static uint64_t find_user(const struct crash_options *options)
{
	struct stat about;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%llu", (unsigned long long)options->pid);
	if (options->uid != UINT64_MAX)
		return options->uid;
	return stat(path, &about) == 0 ? about.st_uid : 0;
}

/*
 * Open the directories and create the preliminary report. This comes first, so that a later failure
 * leaves a report.
 */
static bool prepare_store(struct work *work)
{
	struct crash *crash = work->crash;
	int error = crash_store_directory(crash->options.reports, &crash->store.reports);

	crash->store.user = find_user(&crash->options);
	if (error != 0) {
		crash->store.reports = -1;
		log_failure(work, crash->options.reports, "cannot use the report directory",
		            explain_directory(error));
		return false;
	}
	open_directory(work, &crash->options.core, "cannot use the core directory",
	               &crash->store.cores);
	open_directory(work, &crash->options.minidump, "cannot use the minidump directory",
	               &crash->store.dumps);
	error = begin_report(crash);
	if (error != 0)
		log_failure(work, work->crash->options.reports, "cannot create a report",
		            strerror(error));
	return error == 0;
}

static bool open_unnamed(struct crash *crash)
{
	crash->report = os_unnamed_file();
	crash->messages = os_unnamed_file();
	crash->map = os_unnamed_file();
	crash->dump = os_unnamed_file();
	return crash->report >= 0 && crash->messages >= 0 && crash->map >= 0 && crash->dump >= 0;
}

int crash_handle(struct crash *crash)
{
	struct work work = { .crash = crash, .start = crash_clock(), .out = { -1, -1, -1 } };
	int status = EXIT_BROKEN;

	work.until = work.start + crash->options.seconds * NANOSECONDS;
	crash->handler = getpid();
	crash->core_file = -1;
	work.by_kernel = fcntl(STDERR_FILENO, F_GETFD) < 0;
	/* occupy descriptors 0 to 2, so that no file opened later gets one of these numbers */
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	crash->limits = (struct os_limits){ .user = (uint32_t)crash->options.user,
		                            .memory = (uint64_t)2048 * MEBIBYTE,
		                            .file = (uint64_t)FILE_MEBIBYTES * MEBIBYTE,
		                            .processor = (unsigned)crash->options.seconds,
		                            .seconds = (unsigned)crash->options.seconds };
	alarm((unsigned)crash->options.seconds + HEAD_SECONDS + GRACE_SECONDS);
	work.stored = prepare_store(&work) && open_unnamed(crash);
	work.refused = work.stored && is_refused(crash);
	crash_facts_take(&crash->facts, crash->options.pid, crash->options.environment);
	const struct crash_options *options = &work.crash->options;
	/* writing must not kill the handler if a child exits before reading the whole stream */
	signal(SIGPIPE, SIG_IGN);
	/* start the command first, because it may want to inspect the process */
	if (options->then)
		start_command(&work);
	if (options->core && work.stored && !work.refused)
		crash_begin_core(work.crash, &work.core, work.out);
	if (work.stored && !work.refused)
		start_reader(&work);
	const uint64_t patience = work.crash->options.seconds * NANOSECONDS / PATIENCE;
	work.whole = true;
	if (work.out[CRASH_OUT_PACKER] >= 0 || work.out[CRASH_OUT_COMMAND] >= 0)
		work.whole = crash_pass_stream(STDIN_FILENO, work.out, work.until, patience);
	/*
	 * Close the stream only if there is no command. The kernel may keep the process in /proc
	 * until the stream is closed, and the command may still inspect it.
	 */
	if (!work.command.pid)
		leave_standard_input();
	if (work.core.wanted)
		crash_finish_core(crash, &work.core, work.whole, work.until);
	if (work.stored)
		status = finish_report(&work);
	if (work.command.pid > 0 && !crash_wait_child(&work.command, work.until))
		log_failure(&work, work.crash->options.reports, "the --then command failed",
		            work.command.why);
	crash_facts_finish(&crash->facts);
	return status;
}
