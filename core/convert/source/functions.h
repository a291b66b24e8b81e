/* SPDX-License-Identifier: MIT */
/* What the functions of cairn/functions.h share: the input, and how options and outputs are taken. */
#ifndef CAIRN_CONVERT_SOURCE_FUNCTIONS_H
#define CAIRN_CONVERT_SOURCE_FUNCTIONS_H

#include "function_source.h"

struct cairn_functions {
	struct function_source origin;
};

/*
 * Copies what the caller's struct has of *own, which begins with its size: the caller may be older or newer than the
 * library.  `given` may be NULL.
 */
void functions_take_options(void *own, size_t size, const void *given);

/* The same in the other direction. */
void functions_give_summary(const void *own, size_t size, void *wanted);

/* Where the bytes go: a copy of what the caller gave. */
struct functions_output {
	struct cairn_output to;
	const char *input; /* what errors are about when there is no path */
	struct cairn_error *error;
};

struct functions_output functions_output_of(const struct cairn_output *output, const char *input,
                                            struct cairn_error *error);

/* The path of what is written; of what goes to a function of the host, that of the input. */
const char *functions_output_path(const struct functions_output *output);

/* Writes one file to the path, which ends with `suffix`: fill() writes to the descriptor, and returns 0 or an errno value. */
CAIRN_MUST_USE enum cairn_status functions_output_fill(const struct functions_output *output,
                                                       const char *suffix,
                                                       int (*fill)(void *context, int fd),
                                                       void *context);

/* Writes one file, whose path ends with `suffix`. */
CAIRN_MUST_USE enum cairn_status functions_output_write(const struct functions_output *output,
                                                        const char *suffix,
                                                        const struct cairn_bytes *parts,
                                                        size_t count);

#endif
