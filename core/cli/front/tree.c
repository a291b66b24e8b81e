/* SPDX-License-Identifier: MIT */
/*
 * Fills a store from all programs and debug files in a directory tree. Each file is converted in a
 * child process. If an input crashes the child or exhausts its memory, only the output for that
 * input is lost. Messages of a child are buffered until all earlier files are finished, so that the
 * order of the output does not depend on the number of processes.
 */
#include "tree.h"

#include "cli/front/progress.h"
#include "os/atomic_file.h"
#include "os/symbol_path.h"
#include "os/write.h"
#include "output/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name_state(const struct tree *tree, enum tree_state state)
{
	static const char *const states[TREE_STATES] = {
		[TREE_MADE] = "made", [TREE_KEPT] = "kept", [TREE_FAILED] = "failed"
	};

	return state == TREE_EMPTY ? tree->verb->empty_key : states[state];
}

static bool name_output(const struct tree *tree, const struct tree_file *file, char *path,
                        size_t capacity)
{
	const struct cairn_bytes build_id = { file->build_id, file->size };

	return build_id_path(path, capacity, tree->store, strlen(tree->store), build_id,
	                     tree->verb->ending);
}

static void report_file(struct tree *tree, const struct tree_file *file, enum tree_state state)
{
	char path[4096];

	tree->count[state]++;
	if (!tree->as_json)
		return;
	json_object(&tree->json, NULL);
	json_string(&tree->json, "input", file->path);
	json_hex(&tree->json, "build_id", (struct cairn_bytes){ file->build_id, file->size });
	json_string(&tree->json, "state", name_state(tree, state));
	if (state <= TREE_KEPT && name_output(tree, file, path, sizeof(path)))
		json_string(&tree->json, "output", path);
	json_end(&tree->json);
}

static void report_counts(struct tree *tree)
{
	if (tree->as_json) {
		json_object(&tree->json, NULL);
		json_number(&tree->json, "files", tree->files.seen);
		json_number(&tree->json, "builds", tree->files.count);
		for (unsigned i = 0; i < TREE_STATES; i++)
			json_number(&tree->json, name_state(tree, (enum tree_state)i),
			            tree->count[i]);
		json_number(&tree->json, "without_build_id", tree->files.unnamed);
		json_number(&tree->json, "unreadable", tree->files.unreadable_count);
		json_end(&tree->json);
		return;
	}
	if (tree->quiet)
		return;
	print_string(stdout, tree->store);
	printf(": %zu builds in %" PRIu64 " files of ", tree->files.count, tree->files.seen);
	print_string(stdout, tree->directory);
	printf("\n  %" PRIu64 " made, %" PRIu64 " already there, %" PRIu64 " %s, %" PRIu64
	       " failed\n",
	       tree->count[TREE_MADE], tree->count[TREE_KEPT], tree->count[TREE_EMPTY],
	       tree->verb->empty, tree->count[TREE_FAILED]);
	if (tree->files.unnamed)
		printf("  %" PRIu64 " ELF files without a build ID\n", tree->files.unnamed);
	if (tree->files.unreadable_count)
		printf("  %" PRIu64 " files and directories could not be read\n",
		       tree->files.unreadable_count);
}

/*
 * maximum number of input files in progress: begun, but not yet reported. Each may hold a
 * descriptor open.
 */
enum { AHEAD = 2 * TREE_JOBS_MAX };

/* A file in progress: it is being converted, or waits to be reported. */
struct worker {
	pid_t pid;    /* process that converts the file; 0 once it has ended */
	int messages; /* unnamed file with the output of the process, or -1 */
	int status;
	enum tree_state state;
};

struct workers {
	struct tree *tree;
	struct worker worker[AHEAD]; /* ring buffer: the file with index i uses element i % AHEAD */
	size_t first, next;          /* indices of the files in progress: first <= index < next */
	unsigned running;
	struct progress progress;
};

static int make_file(const struct tree *tree, const struct tree_file *file, char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	int error = os_make_directories(path);
	if (error)
		return fail_with(path, "cannot write: %s", strerror(error));
	*slash = '/';
	return tree->verb->make(tree->verb->context, file->path, path);
}

static enum tree_state classify_exit(int status)
{
	return status == EXIT_CLEAN ? TREE_MADE : status == EXIT_MISSING ? TREE_EMPTY : TREE_FAILED;
}

static void begin_worker(struct workers *workers, size_t index)
{
	struct worker *worker = &workers->worker[index % AHEAD];
	const struct tree_file *file = &workers->tree->files.file[index];
	char path[4096];

	*worker = (struct worker){ .messages = -1, .state = TREE_FAILED };
	if (!name_output(workers->tree, file, path, sizeof(path))) {
		print_diagnostic(file->path, "the output path is too long");
		return;
	}
	if (workers->tree->verb->is_stored(path, file)) {
		worker->state = TREE_KEPT;
		return;
	}
	worker->messages = os_unnamed_file();
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		if (worker->messages >= 0 && (dup2(worker->messages, STDERR_FILENO) < 0 ||
		                              dup2(worker->messages, STDOUT_FILENO) < 0))
			_exit(EXIT_BROKEN);
		int status = make_file(workers->tree, file, path);
		fflush(NULL);
		_exit(status);
	}
	worker->pid = pid > 0 ? pid : 0;
	workers->running += pid > 0;
	if (pid < 0)
		worker->state = classify_exit(make_file(workers->tree, file, path));
}

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

static void report_workers(struct workers *workers)
{
	struct tree *tree = workers->tree;

	for (; workers->first < workers->next; workers->first++) {
		struct worker *worker = &workers->worker[workers->first % AHEAD];
		const struct tree_file *file = &tree->files.file[workers->first];
		if (worker->pid)
			break;
		if (worker->state != TREE_MADE)
			progress_end(&workers->progress);
		char text[4096];
		ssize_t size;
		for (off_t at = 0; worker->messages >= 0 &&
		                   (size = pread(worker->messages, text, sizeof(text), at)) > 0;
		     at += size)
			fwrite(text, 1, (size_t)size, stderr);
		if (WIFSIGNALED(worker->status))
			print_diagnostic(file->path, "the conversion was killed by signal %d",
			                 WTERMSIG(worker->status));
		if (worker->messages >= 0)
			close(worker->messages);
		report_file(tree, file, worker->state);
		progress_update(&workers->progress, workers->first + 1, tree->files.count);
	}
}

static void report_unreadable(const char *path, int error)
{
	print_diagnostic(path, "cannot read: %s", strerror(error));
}

int tree_run(struct tree *tree)
{
	int status = EXIT_BROKEN;

	tree->json = json_to(stdout);
	tree->files =
		(struct tree_files){ .rate = tree->verb->rate, .unreadable = report_unreadable };
	if (!tree_files_find(&tree->files, tree->directory)) {
		print_diagnostic(tree->directory, "out of memory");
	} else {
		static struct workers workers;
		workers = (struct workers){ .tree = tree,
			                    .progress = progress_begin(tree->directory, "files",
			                                               tree->quiet) };
		while (workers.first < tree->files.count) {
			while (workers.next < tree->files.count && workers.running < tree->jobs &&
			       workers.next - workers.first < AHEAD)
				begin_worker(&workers, workers.next++);
			report_workers(&workers);
			if (workers.running > 0)
				end_worker(&workers);
		}
		progress_end(&workers.progress);
		report_counts(tree);
		if (!tree->count[TREE_FAILED] && !tree->files.unreadable_count)
			status = tree->count[TREE_MADE] + tree->count[TREE_KEPT] ? EXIT_CLEAN
			                                                         : EXIT_MISSING;
		if (status == EXIT_MISSING)
			print_diagnostic(tree->directory, "%s", tree->verb->nothing);
	}
	tree_files_free(&tree->files);
	return status;
}
