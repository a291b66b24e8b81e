/* SPDX-License-Identifier: MIT */
/* `cairn sframe verify`: the findings on one file and their output. */
#ifndef CAIRN_CLI_SFRAME_VERIFY_VERIFY_H
#define CAIRN_CLI_SFRAME_VERIFY_VERIFY_H

#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "cli/sframe/sframe.h"
#include "formats/rowtable/rowtable.h"
#include "output/json.h"

/* The result of a comparison with .eh_frame for one byte of code. */
enum verify_class {
	VERIFY_EQUAL,
	VERIFY_RULE,      /* another CFA, FP or RA */
	VERIFY_OUTERMOST, /* one of the two marks the outermost frame */
	VERIFY_SIGNAL,    /* one of the two marks a signal frame */
	VERIFY_ONLY_SFRAME,
	VERIFY_ONLY_EH_FRAME,
	VERIFY_CLASSES,
};

enum { VERIFY_CODE_MAX = 64 }; /* executable segments; real files have a few */

struct verify_code {
	uint64_t start, size;
};

struct verify {
	struct sframe_input *input;
	/* the file whose call frame information is compared; NULL: `input` itself */
	const char *against;
	const struct rowtable *row_table; /* what is compared in place of `input`; NULL: that */
	enum form form;
	struct json json;
	struct progress progress;
	struct verify_code code[VERIFY_CODE_MAX];
	unsigned code_count;
	int status;
	uint64_t tables, functions, rows, faults, notes;
	struct allowance
		printed;    /* for faults and notes, of which rows that functions share have many */
	uint64_t unprinted; /* that it did not suffice for */
	uint64_t bytes[VERIFY_CLASSES];
	bool compared;
	const char *not_compared; /* why not, when it was not */
};

/* The structure of all tables; counts functions and rows. */
void verify_structure(struct verify *verify);

/* Every byte of code against .eh_frame, or where a file without it is named against its .debug_frame. */
void verify_against_cfi(struct verify *verify);

/* Telling what was found, in the chosen form; docs/cli.md describes all three. */
void verify_print_fault(struct verify *verify, const struct cairn_fault *fault);
void verify_print_note(struct verify *verify, uint64_t offset, const char *format, ...)
	CLI_FORMAT(3);
void verify_print_difference(struct verify *verify, uint64_t low, uint64_t high,
                             enum verify_class what, const struct cairn_rule *truth,
                             const struct cairn_rule *stored);
void verify_print_summary(struct verify *verify);

#endif
