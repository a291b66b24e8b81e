/* SPDX-License-Identifier: MIT */
/*
 * How long does a process of many threads stand still for `cairn bt --pid`, beside a loop of the same
 * system calls and nothing else?
 *
 *	bench_live LIVE_THREADS COUNT [busy]
 *
 * Both go from the first interrupt to the last thread that is let go, in turns; the best of each counts.
 */
#define _GNU_SOURCE
#include "bench.h"

#include "process/stacks/process_snapshot.h"

#include <dirent.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 15, THREADS_MAX = 4096, STACK = 16 << 10 };

static uint8_t stacks[THREADS_MAX][STACK];

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static size_t list_threads(pid_t pid, pid_t *tids)
{
	char path[64];
	struct dirent *entry;
	size_t count = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *directory = opendir(path);
	while (directory && count < THREADS_MAX && (entry = readdir(directory)))
		if (atoi(entry->d_name) > 0)
			tids[count++] = atoi(entry->d_name);
	if (directory)
		closedir(directory);
	return count;
}

static void copy_thread(pid_t pid, pid_t tid, uint8_t *stack)
{
	struct user_regs_struct registers;
	struct iovec set = { &registers, sizeof(registers) };
	int status;

	waitpid(tid, &status, __WALL);
	ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &set);
#if defined(__x86_64__)
	void *sp = (void *)(uintptr_t)registers.rsp;
#else
	void *sp = (void *)(uintptr_t)registers.sp;
#endif
	struct iovec to = { stack, STACK }, from = { sp, STACK };
	bench_use((uint64_t)process_vm_readv(pid, &to, 1, &from, 1, 0));
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

static double run_loop(pid_t pid)
{
	static pid_t tids[THREADS_MAX];
	size_t count = list_threads(pid, tids);

	for (size_t i = 0; i < count; i++)
		ptrace(PTRACE_SEIZE, tids[i], NULL, NULL);
	double start = milliseconds();
	for (size_t i = 0; i < count; i++)
		ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL);
	for (size_t i = 0; i < count; i++)
		copy_thread(pid, tids[i], stacks[i]);
	return milliseconds() - start;
}

static double run_cairn(pid_t pid, double *longest)
{
	struct snapshot snapshot;

	*longest = 0;
	if (process_snapshot_open(&snapshot, (uint64_t)pid) != 0) {
		fputs("the process may not be traced here\n", stderr);
		exit(77);
	}
	double took = (double)process_snapshot_duration(&snapshot) / 1e6;
	for (size_t i = 0; i < snapshot.thread_count; i++)
		if ((double)snapshot.threads[i].stop_nanoseconds / 1e6 > *longest)
			*longest = (double)snapshot.threads[i].stop_nanoseconds / 1e6;
	snapshot_close(&snapshot);
	return took;
}

static pid_t start_program(char **argv)
{
	int out[2];
	char byte;

	if (pipe(out) != 0)
		exit(1);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	if (read(out[0], &byte, 1) != 1)
		exit(1);
	return pid;
}

int main(int argc, char **argv)
{
	double loop = 1e9, ours = 1e9, longest = 0;

	if (argc < 3)
		return EXIT_FAILURE;
	pid_t pid = start_program(argv + 1);
	for (int i = 0; i < TURNS; i++) {
		double once, stop, bare = run_loop(pid);
		once = run_cairn(pid, &stop);
		loop = bare < loop ? bare : loop;
		if (once < ours) {
			ours = once;
			longest = stop;
		}
	}
	bench_machine();
	printf("%s threads%s: cairn %.2f ms (a thread at most %.2f ms), the loop %.2f ms: %.2f "
	       "times\n",
	       argv[2], argc > 3 ? ", one busy" : "", ours, longest, loop, ours / loop);
	kill(pid, SIGKILL);
	return EXIT_SUCCESS;
}
