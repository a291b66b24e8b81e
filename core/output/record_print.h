/* SPDX-License-Identifier: MIT */
/*
 * Prints stack records as JSON and as text. Strings must not contain JSON escapes: decode records
 * that were read from JSON with record_text() first.
 */
#ifndef CAIRN_OUTPUT_RECORD_PRINT_H
#define CAIRN_OUTPUT_RECORD_PRINT_H

#include "output/json.h"
#include "record.h"

/*
 * Print one record as JSON: call record_json_begin(), then record_json_frame() for each frame, and
 * finally record_json_end(). `registers` are the registers of the stopped thread, or NULL to omit
 * them.
 */
void record_json_begin(struct json *json, const struct record_thread *thread,
                       const struct cairn_registers *registers);
void record_json_frame(struct json *json, const struct record_frame *frame);
void record_json_end(struct json *json, const struct record_thread *thread);

/*
 * Print a line with the name of the program if it is known. Set `is_process` if the record comes
 * from a running process instead of a core.
 */
void record_print_process(FILE *out, const struct record_thread *thread, bool is_process);

/*
 * If the program crashed in this thread, print the signal or exception that ended the program, and
 * the abort message. `signal` describes the signal. record_print_abort_message() prints the abort
 * message alone.
 */
void record_print_crash(FILE *out, const struct record_thread *thread, const char *signal);
void record_print_abort_message(FILE *out, const struct record_thread *thread);

/*
 * Print an empty line and a heading such as `Thread 1 (LWP 4711 "name", crashed):`, or for a task
 * `Task 7 (waiting for group, priority 21):`.
 */
void record_print_thread(FILE *out, const struct record_thread *thread, size_t number);

/*
 * Print one frame on a line. Set `is_outer` if the previous frame is inlined into this one; this
 * frame then has no address of its own. `color` enables terminal colors and dims frames of
 * libraries.
 */
void record_print_frame(FILE *out, const struct record_frame *frame, bool is_outer, bool color);

/*
 * Print why the stack ended, unless it ended at the outermost frame. Set `is_cut` if the user
 * limited the number of frames. `damage` describes the fault in the unwind table that ended the
 * stack, or is NULL.
 */
void record_print_end(FILE *out, const struct record_thread *thread, bool is_cut,
                      const struct cairn_fault *damage);

void record_print_registers(FILE *out, const struct cairn_registers *registers);

#endif
