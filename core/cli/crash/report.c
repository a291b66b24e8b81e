/* SPDX-License-Identifier: MIT */
/*
 * The reader: writes one JSON object with data from the kernel's arguments, from /proc and from the
 * core. The handler later adds the members that only it knows.
 */
#include "crash.h"

#include "base/bytes.h"
#include "process.h"

#include "cli/bt/bt.h"
#include "os/atomic_file.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	/* maximum bytes of JSON for all threads; 500 threads with 50 frames take about 6 MB */
	THREADS_BYTES_MAX = 16 << 20,
	MESSAGE_MAX = 4096,
	/* maximum bytes of a perf map or jitdump, enough for about 250,000 names */
	MAP_BYTES_MAX = 16 << 20,
	HOST_CAPACITY = 256,
};

static int open_module(void *bt, uint64_t low, struct cairn_bytes name)
{
	const struct crash *crash = ((const struct bt *)bt)->context;
	char path[PATH_MAX];

	if (name.size >= sizeof(path))
		return -1;
	memcpy(path, name.data, name.size);
	path[name.size] = '\0';
	return crash_facts_open(&crash->facts, low, path);
}

static int open_jit(void *bt)
{
	const struct crash *crash = ((const struct bt *)bt)->context;

	return crash->facts.jit >= 0 ? fcntl(crash->facts.jit, F_DUPFD_CLOEXEC, 0) : -1;
}

/* Return the thread's name from /proc. Cores contain no thread names. */
static struct cairn_bytes name_thread(void *bt, uint64_t tid)
{
	const struct crash *crash = ((const struct bt *)bt)->context;

	return crash_facts_thread(&crash->facts, tid);
}

/*
 * Return true if the data from /proc belongs to a different process than the core. If
 * core_pipe_limit is 0, the kernel does not wait for the handler, so the PID may have been reused.
 * Compares auxiliary vectors, which differ between processes.
 */
static bool is_other_process(const struct crash *crash, const struct cairn_process *process)
{
	const struct cairn_bytes a = crash->facts.fact[FACT_AUXV], b = process->auxv;

	return a.size > 0 && b.size > 0 &&
	       (a.size != b.size || memcmp(a.data, b.data, a.size) != 0);
}

/* Print one thread like `cairn bt --json`. Return false if it does not fit into *capacity. */
static bool print_thread(struct json *json, struct bt *bt, const struct bt_stack *stack,
                         size_t *capacity)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	struct json line = json_to(to);

	if (!to)
		return false;
	bt_print_stack_json(&line, bt, stack);
	bool fits = fclose(to) == 0 && size > 0 && size <= *capacity;
	if (fits) {
		*capacity -= size;
		json_raw(json, NULL, (struct cairn_bytes){ (uint8_t *)text, size - 1 });
	}
	free(text);
	return fits;
}

static void print_report(struct crash *crash, struct bt *bt, const char *failure)
{
	struct json json = json_to(stdout);
	const bool other = bt && is_other_process(crash, &bt->process);

	json_object(&json, NULL);
	const char *signal = cairn_signal_name(crash->options.signal);
	char host[HOST_CAPACITY] = "";
	json_number(&json, "crash_report", 1);
	json_string(&json, "cairn", cairn_version());
	if (gethostname(host, sizeof(host) - 1) == 0 && host[0])
		json_string(&json, "host", host);
	json_number(&json, "time", crash->options.time);
	json_number(&json, "pid", crash->options.pid);
	json_number(&json, "tid", crash->options.tid);
	if (signal)
		json_string(&json, "signal", signal);
	json_number(&json, "signal_number", crash->options.signal);
	json_number(&json, "dump_mode", crash->options.dump_mode);
	if (other)
		json_string(&json, "process_missing", "/proc had another process of this number");
	else if (crash->facts.error != 0)
		json_string(&json, "process_missing", strerror(crash->facts.error));
	else {
		struct timespec now = { 0, 0 };
		clock_gettime(CLOCK_BOOTTIME, &now);
		json_object(&json, "process");
		crash_print_process(&json, &crash->facts,
		                    (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
		json_end(&json);
		crash_print_modules(&json, &crash->facts);
	}
	if (other)
		/* discard the threads, because they belong to another process */
		crash->facts.thread_count = 0;
	else if (bt)
		crash_number_threads(&crash->facts);
	if (bt) {
		size_t capacity = THREADS_BYTES_MAX, left_out = 0;
		bool complete = cairn_stacks_problems(bt->opened, NULL) == 0;
		json_array(&json, "threads");
		for (size_t i = 0; i < bt->stack_count; i++) {
			left_out += !print_thread(&json, bt, &bt->stacks[i], &capacity);
			complete &= bt->stacks[i].end.complete;
		}
		json_end(&json);
		if (left_out > 0)
			json_number(&json, "threads_left_out", left_out);
		json_bool(&json, "complete", complete && left_out == 0);
	} else
		json_bool(&json, "complete", false);
	fflush(stderr);
	/*
	 * add the diagnostics that were printed on standard error, because they describe defects of
	 * the core
	 */
	char bytes[MESSAGE_MAX];
	ssize_t size = pread(crash->messages, bytes, sizeof(bytes), 0);
	const struct cairn_bytes said = { (uint8_t *)bytes, size > 0 ? (size_t)size : 0 };
	const struct cairn_bytes text = bytes_trim(said, "", "\n");
	if (text.size > 0)
		json_text(&json, "messages", text);
	if (failure)
		json_string(&json, "failure", failure);
	json_end(&json);
}

/*
 * Keep the perf map or jitdump for later readers of the core. Even a truncated one is useful,
 * because it names part of the code.
 */
static void keep_jit_file(const struct crash *crash, const struct bt *bt)
{
	struct cairn_bytes bytes = cairn_stacks_perf_map(bt->opened);

	bytes.size = bytes.size < MAP_BYTES_MAX ? bytes.size : MAP_BYTES_MAX;
	if (!crash->options.core || bytes.size == 0)
		return;
	int error = os_write_all(crash->map, bytes);
	if (error != 0 && ftruncate(crash->map, 0) != 0)
		fprintf(stderr, "cannot save the names of JIT code: %s\n", strerror(error));
}

/*
 * Write the minidump. Called before the report is printed, so that the report can mention a
 * failure.
 */
static void make_minidump(const struct crash *crash, const struct bt *bt)
{
	struct cairn_minidump_options options = CAIRN_MINIDUMP_OPTIONS;
	int out = crash->dump;
	struct cairn_error error;

	if (!crash->options.minidump)
		return;
	options.time = (uint32_t)crash->options.time;
	options.write = os_write_piece;
	options.context = &out;
	/* exceeding the file size limit must fail the minidump, not kill the reader */
	signal(SIGXFSZ, SIG_IGN);
	if (cairn_minidump_write(bt->opened, &options, NULL, &error) == CAIRN_OK)
		return;
	fprintf(stderr, "no minidump was made: %s\n", error.text);
	if (ftruncate(out, 0) != 0)
		/* fail, because the partial minidump could not be removed */
		_exit(EXIT_BROKEN);
}

static int report_core(struct crash *crash)
{
	struct bt bt = { .options = { .form = FORM_JSON,
		                      .count = crash->options.count,
		                      .directories = crash->options.directories },
		         .open_module = open_module,
		         .open_jit = open_jit,
		         .name_thread = name_thread,
		         .context = crash,
		         .keep_registers = crash->options.minidump != NULL,
		         .path = "-" };

	if (bt_input_open(&bt) != EXIT_CLEAN) {
		print_report(crash, NULL, "the core could not be read");
		return EXIT_MISSING;
	}
	bt_print_problems(&bt);
	make_minidump(crash, &bt);
	const bool walked = bt_walk(&bt), good = walked && bt.stack_count > 0;
	if (good)
		bt_prepare_names(&bt);
	print_report(crash, walked ? &bt : NULL,
	             good     ? NULL
	             : walked ? "the core has no threads"
	                      : "out of memory");
	keep_jit_file(crash, &bt);
	bt_close(&bt);
	return good ? EXIT_CLEAN : EXIT_MISSING;
}

int crash_report(struct crash *crash, const char *failure)
{
	int status = EXIT_CLEAN;

	if (failure)
		print_report(crash, NULL, failure);
	else
		status = report_core(crash);
	return fflush(stdout) == 0 && !ferror(stdout) ? status : EXIT_BROKEN;
}
