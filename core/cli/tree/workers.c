/* SPDX-License-Identifier: MIT */
/*
 * Makes the files of a store in processes of their own, so that one input that crashes or takes too much
 * memory costs its own file.  What a process prints is kept until all files before it are done: messages
 * come in the order of the files, whatever the number of processes.
 */
#include "tree.h"

#include "cli/front/progress.h"
#include "os/file/atomic_file.h"
#include "os/file/unnamed_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Files after the first one that is not done yet that may be begun: each may hold an open file. */
enum { AHEAD = 2 * TREE_JOBS_MAX };

/* A file that is begun and not reported. */
struct worker {
	pid_t pid;    /* 0: it has ended */
	int messages; /* -1: none */
	int status;   /* of waitpid() */
	enum tree_state state;
};

struct workers {
	struct tree *tree;
	struct worker worker[AHEAD]; /* of file i at i % AHEAD */
	size_t first, next;          /* files that are begun and not reported */
	unsigned running;
	struct progress progress;
};

static int make_file(const struct tree *tree, const struct tree_file *file, char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	int error = os_make_folders(path);
	if (error)
		return fail_with(path, "cannot write: %s", strerror(error));
	*slash = '/';
	return tree->verb->make(tree->verb->context, file->path, path);
}

/* In the new process. */
static _Noreturn void run_worker(const struct tree *tree, const struct tree_file *file,
                                 int messages, char *path)
{
	if (messages >= 0 &&
	    (dup2(messages, STDERR_FILENO) < 0 || dup2(messages, STDOUT_FILENO) < 0))
		_exit(EXIT_BROKEN);
	int status = make_file(tree, file, path);
	fflush(NULL);
	_exit(status);
}

static enum tree_state classify_exit(int status)
{
	return status == EXIT_CLEAN ? TREE_MADE : status == EXIT_MISSING ? TREE_EMPTY : TREE_FAILED;
}

static void begin_worker(struct workers *workers, size_t index)
{
	struct worker *worker = &workers->worker[index % AHEAD];
	const struct tree_file *file = &workers->tree->file[index];
	char path[4096];

	*worker = (struct worker){ .messages = -1, .state = TREE_FAILED };
	if (!tree_output(workers->tree, file, path, sizeof(path))) {
		print_diagnostic(file->path, "the name of the output is too long");
		return;
	}
	if (workers->tree->verb->is_stored(path, file)) {
		worker->state = TREE_KEPT;
		return;
	}
	worker->messages = os_unnamed_file();
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		run_worker(workers->tree, file, worker->messages, path);
	worker->pid = pid > 0 ? pid : 0;
	workers->running += pid > 0;
	if (pid < 0) /* there are too many processes */
		worker->state = classify_exit(make_file(workers->tree, file, path));
}

/* Waits until one of them ends. */
static void end_worker(struct workers *workers)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	for (size_t i = workers->first; pid > 0 && i < workers->next; i++) {
		struct worker *worker = &workers->worker[i % AHEAD];
		if (worker->pid != pid)
			continue;
		worker->pid = 0;
		worker->status = status;
		worker->state =
			WIFEXITED(status) ? classify_exit(WEXITSTATUS(status)) : TREE_FAILED;
		workers->running--;
		return;
	}
	if (pid < 0 && errno != EINTR)
		workers->running = 0;
}

/* What the process printed, and how it ended if it was not by itself. */
static void print_messages(const struct worker *worker, const struct tree_file *file)
{
	char text[4096];
	ssize_t size;

	for (off_t at = 0;
	     worker->messages >= 0 && (size = pread(worker->messages, text, sizeof(text), at)) > 0;
	     at += size)
		fwrite(text, 1, (size_t)size, stderr);
	if (WIFSIGNALED(worker->status))
		print_diagnostic(file->path, "its conversion was ended by signal %d",
		                 WTERMSIG(worker->status));
}

/* Reports the workers at the front that have ended. */
static void report_workers(struct workers *workers)
{
	struct tree *tree = workers->tree;

	for (; workers->first < workers->next; workers->first++) {
		struct worker *worker = &workers->worker[workers->first % AHEAD];
		const struct tree_file *file = &tree->file[workers->first];
		if (worker->pid)
			break;
		if (worker->state != TREE_MADE)
			progress_end(&workers->progress);
		print_messages(worker, file);
		if (worker->messages >= 0)
			close(worker->messages);
		tree_report(tree, file, worker->state);
		progress_update(&workers->progress, workers->first + 1, tree->files);
	}
}

void tree_make(struct tree *tree)
{
	static struct workers workers;
	workers =
		(struct workers){ .tree = tree,
		                  .progress = progress_begin(tree->folder, "files", tree->quiet) };
	while (workers.first < tree->files) {
		while (workers.next < tree->files && workers.running < tree->jobs &&
		       workers.next - workers.first < AHEAD)
			begin_worker(&workers, workers.next++);
		report_workers(&workers);
		if (workers.running > 0)
			end_worker(&workers);
	}
	progress_end(&workers.progress);
}
