/* SPDX-License-Identifier: MIT */
/* Stack records as JSON and as text. Strings of the records are plain, not as a JSON that was read has them. */
#ifndef CAIRN_RECORDS_PRINT_H
#define CAIRN_RECORDS_PRINT_H

#include "output/json.h"
#include "record.h"

/* Print one record: its beginning, each frame, and its end. `registers`: those that the thread stopped with; NULL: print none. */
void record_json_begin(struct json *json, const struct record_thread *thread,
                       const struct cairn_registers *registers);
void record_json_frame(struct json *json, const struct record_frame *frame);
void record_json_end(struct json *json, const struct record_thread *thread);

/* Print the line that names the program, if that is known. `is_process`: it was running. */
void record_print_process(FILE *out, const struct record_thread *thread, bool is_process);

/* Print how the program ended and its abort message, if it ended in this thread. `signal` is a description of the signal. */
void record_print_crash(FILE *out, const struct record_thread *thread, const char *signal);
void record_print_abort_message(FILE *out, const struct record_thread *thread);

/* Print `Thread 1 (LWP 4711 "name", crashed):` after an empty line. */
void record_print_thread(FILE *out, const struct record_thread *thread, size_t number);

/*
 * Print one line. `is_outer`: the frame before is inlined into this one, which has no address of its own then. `color`: with the
 * colours of a terminal, and frames of libraries dimmed.
 */
void record_print_frame(FILE *out, const struct record_frame *frame, bool is_outer, bool color);

/*
 * Print why there are no more frames; nothing after the outermost one. `is_cut`: the user did not want more. `damage`: what is wrong
 * in the table at which the stack ends; NULL: nothing is known to be.
 */
void record_print_end(FILE *out, const struct record_thread *thread, bool is_cut,
                      const struct cairn_fault *damage);

/* Print the registers that a thread stopped with by their names; nothing if they are not known. */
void record_print_registers(FILE *out, const struct cairn_registers *registers);

#endif
