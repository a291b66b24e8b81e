/* SPDX-License-Identifier: MIT */
/*
 * A process that waits in code that it has made itself, with a perf map in /tmp that names it, until it is
 * ended: it removes the map then. With `shared` the code is in memory that processes can share; with `bare` it uses the
 * frame pointer's register for something else; with `writable` it does so, too, and the code can be written where it is; with
 * `abort` it crashes there, and leaves the map; with `trapped` its code ends in an instruction that is none, and the
 * handler of that signal waits; with `endless` its code has no return, and uses that register, too. amd64.
 *
 *	jit_program [shared|bare|writable|endless|trapped|abort]
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void wait_here(void)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigwait(&set, &got);
}

static void wait_in_handler(int number)
{
	(void)number;
	wait_here();
	_exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
	/* push rbp; mov rbp, rsp; call rdi; pop rbp; ret */
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	/* push rbp; mov ebp, 1; call rdi; pop rbp; ret */
	static const uint8_t bare[] = { 0x55, 0xbd, 1, 0, 0, 0, 0xff, 0xd7, 0x5d, 0xc3 };
	void (*function)(void (*)(void));
	const int crashes = argc > 1 && strcmp(argv[1], "abort") == 0;
	char path[64];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	uint8_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	             (argc > 1 && strcmp(argv[1], "shared") == 0 ? MAP_SHARED : MAP_PRIVATE) |
	                     MAP_ANONYMOUS,
	             -1, 0);
	if (page == MAP_FAILED)
		return EXIT_FAILURE;
	/* push rbp; mov ebp, 1; call rdi; hlt */
	static const uint8_t endless[] = { 0x55, 0xbd, 1, 0, 0, 0, 0xff, 0xd7, 0xf4 };
	static const uint8_t trapped[] = { 0x90, 0x90, 0x0f, 0x0b }; /* nop; nop; ud2 */
	const int is_trapped = argc > 1 && strcmp(argv[1], "trapped") == 0;
	const int is_endless = argc > 1 && strcmp(argv[1], "endless") == 0;
	const int is_writable = argc > 1 && strcmp(argv[1], "writable") == 0;
	const int is_bare = is_writable || (argc > 1 && strcmp(argv[1], "bare") == 0);
	const size_t size = is_trapped   ? sizeof(trapped)
	                    : is_endless ? sizeof(endless)
	                    : is_bare    ? sizeof(bare)
	                                 : sizeof(code);
	memcpy(page + 0x100,
	       is_trapped   ? trapped
	       : is_endless ? endless
	       : is_bare    ? bare
	                    : code,
	       size);
	signal(SIGILL, wait_in_handler);
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC | (is_writable ? PROT_WRITE : 0)) != 0)
		return EXIT_FAILURE;
	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
	FILE *map = fopen(path, "wx");
	if (!map)
		return EXIT_FAILURE;
	fprintf(map, "%llx %zx made before\n%llx %zx made at run time\n",
	        (unsigned long long)(uintptr_t)page + 0x100, size,
	        (unsigned long long)(uintptr_t)page + 0x100, size);
	fclose(map);
	if (!crashes)
		puts("ready");
	fflush(stdout);
	page += 0x100;
	memcpy(&function, &page, sizeof(function));
	function(crashes ? abort : wait_here);
	unlink(path);
	return EXIT_SUCCESS;
}
