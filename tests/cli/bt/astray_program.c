/* SPDX-License-Identifier: MIT */
/* Overwrites the return address of its function with one where nothing is mapped, and waits: for astray.sh. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static void smash(void)
{
	volatile uintptr_t *frame = __builtin_frame_address(0);

	frame[1] = (uintptr_t)0x123456789000;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

int main(void)
{
	smash();
	return 0;
}
