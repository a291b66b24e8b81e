/* SPDX-License-Identifier: MIT */
/* Texts of the script that defines the commands; what stands between two @ is put in by script.c. */
#ifndef CAIRN_GDB_PROTOCOL_DEFINITIONS_H
#define CAIRN_GDB_PROTOCOL_DEFINITIONS_H

/* Texts of ours are values; the user may have values be small. */
#define VALUES "with max-value-size unlimited -- "

extern const char definitions_helpers[], definitions_asking[], definitions_ends[];

/* At a stop. */
extern const char definitions_follow[];

/* In the body of each command: its words, and the request and its answer. */
extern const char definitions_words[], definitions_ask[];

/* What is done once, when all is defined. */
extern const char definitions_first[];

#endif
