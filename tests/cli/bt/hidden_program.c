/* SPDX-License-Identifier: MIT */
/* Crashes where the chain of frame pointers leads past the caller, or nowhere: for hidden.sh. */
#include <signal.h>
#include <stdint.h>
#include <string.h>

static void (*volatile nowhere)(void);
static const char *volatile unreadable = (const char *)8;
static volatile size_t length;
static const char *mode;

static void handle(int number)
{
	(void)number;
	nowhere();
	length++;
}

__attribute__((noinline)) static void inner(void)
{
	volatile char buffer[64];
	volatile uintptr_t *frame = __builtin_frame_address(0);

	buffer[0] = 1;
	if (strcmp(mode, "call") == 0)
		nowhere();
	else if (strcmp(mode, "leaf") == 0)
		length = strlen(unreadable);
	else if (strcmp(mode, "handler") == 0)
		length = (size_t)*unreadable;
	else
		memset((void *)(frame + 1), 'A', 4 * sizeof(*frame));
	length += (size_t)buffer[0];
}

__attribute__((noinline)) static void middle(void)
{
	inner();
	length++;
}

int main(int count, char **arguments)
{
	mode = count > 1 ? arguments[1] : "call";
	if (strcmp(mode, "handler") == 0)
		signal(SIGSEGV, handle);
	middle();
	return 0;
}
