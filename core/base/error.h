/* SPDX-License-Identifier: MIT */
/*
 * Fills struct cairn_fault for functions that read one input, and struct cairn_error for functions
 * that use several files. Each function returns the status, so that callers can write `return
 * error_set(...)`.
 */
#ifndef CAIRN_BASE_ERROR_H
#define CAIRN_BASE_ERROR_H

#include <cairn.h>

/* Capacities of the strings in an error. */
enum { ERROR_PATH = 4096, ERROR_TEXT = 512, ERROR_PART = 64 };

#if defined(__GNUC__)
#define ERROR_FORMAT(at) __attribute__((format(printf, at, (at) + 1)))
#else
#define ERROR_FORMAT(at)
#endif

/* Set an error. `path` and `error` may be NULL in all of these functions. */
enum cairn_status error_set(struct cairn_error *error, enum cairn_status status, const char *path,
                            const char *format, ...) ERROR_FORMAT(4);

/*
 * Set the error for a fault in a file. `part` names the faulty part of the file, and `next` is a
 * constant hint for the user; both may be NULL.
 */
enum cairn_status error_set_fault(struct cairn_error *error, const char *path, const char *part,
                                  const struct cairn_fault *fault, const char *next);

/*
 * Report a failed system call as CAIRN_UNREADABLE. The message is `what`, followed by strerror() of
 * the errno value `system`.
 */
enum cairn_status error_set_system(struct cairn_error *error, int system, const char *path,
                                   const char *what);

/*
 * Set CAIRN_UNREADABLE for a file that cannot be opened. The message describes the errno value
 * `system` in cairn's own words.
 */
enum cairn_status error_set_unreadable(struct cairn_error *error, int system, const char *path);

enum cairn_status error_set_memory(struct cairn_error *error, const char *path);

static inline enum cairn_status fault_set_at(struct cairn_fault *fault, enum cairn_status status,
                                             uint64_t offset, const char *what)
{
	*fault = (struct cairn_fault){ status, offset, what };
	return status;
}

static inline enum cairn_status fault_set(struct cairn_fault *fault, enum cairn_status status,
                                          const char *what)
{
	return fault_set_at(fault, status, 0, what);
}

#endif
