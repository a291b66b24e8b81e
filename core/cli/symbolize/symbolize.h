/* SPDX-License-Identifier: MIT */
/*
 * `cairn symbolize`: answers requests for names, which core/requests parses and resolves. The
 * parts: symbols (creates the symbolizer), body (the file of a reference), origin and bodies (the
 * process that fetches such files), log (stacks in a log), members (copies parts of a request to
 * its answer), answer (JSON output).
 */
#ifndef CAIRN_CLI_SYMBOLIZE_SYMBOLIZE_H
#define CAIRN_CLI_SYMBOLIZE_SYMBOLIZE_H

#include "base/allowance.h"
#include "cli/front/cli.h"
#include "origin.h"
#include "os/debuginfod/debuginfod.h"
#include "output/json.h"
#include "requests/request.h"

enum {
	SYMBOLIZE_ANSWER = 1,           /* version of the answer format */
	SYMBOLIZE_TRY_AGAIN = 75,       /* exit status, EX_TEMPFAIL of sysexits.h */
	SYMBOLIZE_BUFFER = 1 << 16,     /* bytes of answers written at once */
	SYMBOLIZE_STACKS_MAX = 1 << 25, /* bytes of JSON for the stacks of a reference's file */
	/*
	 * Bytes of names in an answer: at least this many, plus a multiple of the request's size.
	 */
	SYMBOLIZE_PRINTED_LEAST = 1 << 26,
	SYMBOLIZE_PRINTED_TIMES = 64,
};

struct symbolize {
	const char *folders, *sysroot, *bodies;
	bool each, use_debuginfod, tell_fetches;
	struct origin origin;
	struct debuginfod debuginfod;
	struct cairn_symbolizer *symbolizer;
};

struct symbolize_answer {
	struct request request;
	bool is_read; /* the request has parts */
	bool is_hashed;
	enum request_result result;
	const char *why; /* reason for REQUEST_REJECTED and REQUEST_TRY_AGAIN; a constant string */
	bool has_offset;
	uint64_t offset; /* offset of the error in the request */
	/* stacks of the referenced file as JSON, from malloc(); borrowed by the request */
	char *stacks;
};

bool symbolize_open_symbols(struct symbolize *run);

/* Read the file of a reference into answer->request. On failure set the result and its reason. */
void symbolize_read_body(struct symbolize *run, struct symbolize_answer *answer);

/*
 * Return the stacks of a log as a JSON object with threads, in the form of a report, or NULL if
 * memory is short. *size is 0 if there are no stacks. The caller frees the string.
 */
char *symbolize_read_log(struct cairn_bytes log, size_t *size);

void symbolize_reject(struct symbolize_answer *answer, const char *why);
void symbolize_try_again(struct symbolize_answer *answer, const char *why);

/*
 * Copy the members of an object that are strings, numbers, true, false or null, except those named
 * in `without`, a list that ends with NULL.
 */
void symbolize_print_members(struct json *json, struct cairn_bytes object,
                             const char *const *without, struct allowance *printed);

/* Print the answer as a line on standard output. `size` is the size of the request. */
void symbolize_print(struct symbolize_answer *answer, uint64_t size);

#endif
