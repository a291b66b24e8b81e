/* SPDX-License-Identifier: MIT */
/*
 * Prints stack records as JSON and as text. The strings of the records are plain: apply
 * record_text() first to records that were read from JSON.
 */
#ifndef CAIRN_RECORDS_PRINT_H
#define CAIRN_RECORDS_PRINT_H

#include "output/json.h"
#include "record.h"

/*
 * Print one record: its beginning, each frame, and its end. `registers` are the registers that the
 * thread stopped with, or NULL to omit them.
 */
void record_json_begin(struct json *json, const struct record_thread *thread,
                       const struct cairn_registers *registers);
void record_json_frame(struct json *json, const struct record_frame *frame);
void record_json_end(struct json *json, const struct record_thread *thread);

/*
 * Print the line that names the program, if it is known. `is_process`: the record comes from a
 * running process rather than a core.
 */
void record_print_process(FILE *out, const struct record_thread *thread, bool is_process);

/*
 * Print how the program ended and its abort message, if it ended in this thread. `signal` describes
 * the signal.
 */
void record_print_crash(FILE *out, const struct record_thread *thread, const char *signal);
void record_print_abort_message(FILE *out, const struct record_thread *thread);

/* Print `Thread 1 (LWP 4711 "name", crashed):` after an empty line. */
void record_print_thread(FILE *out, const struct record_thread *thread, size_t number);

/*
 * Print one frame on a line. `is_outer`: the previous frame is inlined into this one, which
 * therefore has no address of its own. `color` adds terminal colors and dims frames of libraries.
 */
void record_print_frame(FILE *out, const struct record_frame *frame, bool is_outer, bool color);

/*
 * Print why the stack ends; print nothing if it ends at the outermost frame. `is_cut`: the user
 * asked for fewer frames than there are. `damage` describes the fault in the unwind table at which
 * the stack ends, or is NULL.
 */
void record_print_end(FILE *out, const struct record_thread *thread, bool is_cut,
                      const struct cairn_fault *damage);

/*
 * Print the names and values of the registers that a thread stopped with; print nothing if they are
 * not known.
 */
void record_print_registers(FILE *out, const struct cairn_registers *registers);

#endif
