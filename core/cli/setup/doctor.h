/* SPDX-License-Identifier: MIT */
/* The checks of `cairn doctor`. */
#ifndef CAIRN_CLI_SETUP_DOCTOR_H
#define CAIRN_CLI_SETUP_DOCTOR_H

#include "debuggers.h"
#include "finding.h"

/* Run one check of `cairn doctor` each, and set `seen`, `advice` and `state`. */
void doctor_gdb(struct finding *finding);
void doctor_gdb_script(struct finding *finding);
void doctor_gdb_module(struct finding *finding);
void doctor_gdb_start(struct finding *finding);
void doctor_lldb(struct finding *finding);
void doctor_lldb_start(struct finding *finding);
void doctor_parts(struct finding *finding);
void doctor_cache(struct finding *finding);
void doctor_debuginfod(struct finding *finding);
void doctor_ptrace(struct finding *finding);
void doctor_cores(struct finding *finding);

#endif
