/* SPDX-License-Identifier: MIT */
/* Samples a running process: one line for each stack, as flame graphs want it. profiler PID [SAMPLES] */
#include <cairn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NAMES = 16, DEPTH = 64 };

static void print_names(struct cairn_stacks *stacks, const struct cairn_stack_frame *frame)
{
	struct cairn_location names[NAMES];
	size_t count = cairn_stacks_names(stacks, frame->lookup, names, NAMES);

	while (count-- > 0)
		printf(";%.*s", (int)names[count].function.size,
		       (const char *)names[count].function.data);
	if (frame->module.size && cairn_stacks_names(stacks, frame->lookup, names, 1) == 0)
		printf(";%.*s+0x%" PRIx64, (int)frame->module.size,
		       (const char *)frame->module.data, frame->module_offset);
}

static void print_stack(struct cairn_stacks *stacks, size_t number)
{
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
	struct cairn_stack *stack;

	if (!cairn_stacks_thread(stacks, number, &thread) ||
	    cairn_stack_copy(stacks, number, DEPTH, &stack) != CAIRN_OK)
		return;
	printf("%.*s", (int)thread.name.size, (const char *)thread.name.data);
	for (size_t i = DEPTH; i-- > 0;)
		if (cairn_stack_at(stack, i, &frame))
			print_names(stacks, &frame);
	puts(" 1");
	cairn_stack_free(stack);
}

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 10000000 };
	struct cairn_stacks *stacks;
	struct cairn_error error;
	uint64_t pid = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;

	for (int left = argc > 2 ? atoi(argv[2]) : 100; left > 0; left--) {
		if (cairn_stacks_open_process(pid, &stacks, &error) != CAIRN_OK) {
			fprintf(stderr, "process %" PRIu64 ": %s\n", pid, error.text);
			return 1;
		}
		for (size_t i = 0; i < cairn_stacks_threads(stacks); i++)
			print_stack(stacks, i);
		cairn_stacks_close(stacks);
		nanosleep(&pause, NULL);
	}
	return 0;
}
