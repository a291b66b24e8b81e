/* SPDX-License-Identifier: MIT */
/*
 * A process that waits in code that it has made itself, two functions of it, which a jitdump in the current
 * folder names, until it is ended. With `bare` there is a third one between them, which keeps no frame pointer, and
 * which the jitdump has an unwinding table for. amd64.
 *
 *	jitdump_program [bare]
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	LOAD,
	MOVE,
	LINES,
	FRAMES = 4,
	INNER = 0x100,
	OUTER = 0x200,
	BARE = 0x300,
	ELSEWHERE = 0x800
};

/* push rbp; mov rbp, rsp; call rdi; pop rbp; ret - and the same with rsi */
static const uint8_t inner[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
static const uint8_t outer[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3 };

/* sub rsp, 24; call rdx; add rsp, 24; ret */
static const uint8_t bare[] = { 0x48, 0x83, 0xec, 0x18, 0xff, 0xd2, 0x48, 0x83, 0xc4, 0x18, 0xc3 };

/* .eh_frame: a CIE; an FDE whose code is 48 bytes before its address; the end. And an .eh_frame_hdr, which is empty. */
static const uint8_t bare_frames[] = {
	0x14, 0,    0, 0,    0,    0,    0,    0,    1,    'z',  'R',  0,    1,
	0x78, 0x10, 1, 0x1b, 0x0c, 7,    8,    0x90, 1,    0,    0, /* the CFA is rsp + 8, and the return address there - 8 */
	0x14, 0,    0, 0,    0x1c, 0,    0,    0,    0xd0, 0xff, 0xff, 0xff, 11,
	0,    0,    0, 0,    0x44, 0x0e, 0x20, 0x46, 0x0e, 8,    0, /* + 32 from the call on, + 8 at the return */
	0,    0,    0, 0,
};
enum { BARE_HEADER = 20 };

static void wait_here(void)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigwait(&set, &got);
}

static void put32(FILE *file, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static void put64(FILE *file, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static void put_head(FILE *file, uint32_t kind, size_t content)
{
	put32(file, kind);
	put32(file, (uint32_t)(16 + content));
	put64(file, 0);
}

static void put_load(FILE *file, uint64_t start, const char *name, const uint8_t *code, size_t size)
{
	put_head(file, LOAD, 40 + strlen(name) + 1 + size);
	put32(file, (uint32_t)getpid());
	put32(file, (uint32_t)getpid());
	put64(file, start);
	put64(file, start);
	put64(file, size);
	put64(file, 0);
	fwrite(name, strlen(name) + 1, 1, file);
	fwrite(code, size, 1, file);
}

static void put_frames(FILE *file)
{
	static const uint8_t header[BARE_HEADER];

	put_head(file, FRAMES, 24 + sizeof(bare_frames) + sizeof(header));
	put64(file, sizeof(bare_frames) + sizeof(header));
	put64(file, sizeof(header));
	put64(file, 0);
	fwrite(bare_frames, sizeof(bare_frames), 1, file);
	fwrite(header, sizeof(header), 1, file);
}

static void put_move(FILE *file, uint64_t from, uint64_t to)
{
	put_head(file, MOVE, 48);
	put32(file, (uint32_t)getpid());
	put32(file, (uint32_t)getpid());
	put64(file, to);
	put64(file, from);
	put64(file, to);
	put64(file, sizeof(outer));
	put64(file, 0);
}

static void put_line(FILE *file, uint64_t address, uint32_t line, const char *name)
{
	put64(file, address);
	put32(file, line);
	put32(file, 0);
	fwrite(name, strlen(name) + 1, 1, file);
}

static int write_dump(uint64_t page)
{
	char path[64];

	snprintf(path, sizeof(path), "jit-%ld.dump", (long)getpid());
	FILE *file = fopen(path, "wx");
	if (!file)
		return -1;
	put32(file, 0x4a695444);
	put32(file, 1);
	put32(file, 40);
	put32(file, 62);
	put32(file, 0);
	put32(file, (uint32_t)getpid());
	put64(file, 0);
	put64(file, 0);
	put_load(file, page + INNER, "made before", inner, sizeof(inner));
	put_head(file, LINES, 16 + 3 * 16 + 8 + 2 + 2);
	put64(file, page + INNER);
	put64(file, 3);
	put_line(file, page + INNER, 7, "made.js");
	put_line(file, page + INNER + 4, 8, "\xff");
	put_line(file, page + INNER + 7, 9, "\xff");
	put_load(file, page + INNER, "inner made", inner, sizeof(inner));
	put_load(file, page + ELSEWHERE, "outer made", outer, sizeof(outer));
	put_move(file, page + ELSEWHERE, page + OUTER);
	put_head(file, LINES, 16 + 16 + 8);
	put64(file, page + BARE);
	put64(file, 1);
	put_line(file, page + BARE - 8, 12, "bare.js"); /* before the function, as Erlang has it */
	put_frames(file);
	put_load(file, page + BARE, "bare made", bare, sizeof(bare));
	fclose(file);
	return open(path, O_RDONLY);
}

int main(int argc, char **argv)
{
	void (*function)(void (*)(void), void *, void *);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	uint8_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return EXIT_FAILURE;
	memcpy(page + INNER, inner, sizeof(inner));
	memcpy(page + OUTER, outer, sizeof(outer));
	memcpy(page + BARE, bare, sizeof(bare));
	int fd = write_dump((uint64_t)(uintptr_t)page);
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0 || fd < 0 ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return EXIT_FAILURE;
	puts("ready");
	fflush(stdout);
	uint8_t *start = page + OUTER;
	memcpy(&function, &start, sizeof(function));
	page += INNER;
	start = argc > 1 && strcmp(argv[1], "bare") == 0 ? page + BARE - INNER : page;
	function(wait_here, start, page);
	return EXIT_SUCCESS;
}
