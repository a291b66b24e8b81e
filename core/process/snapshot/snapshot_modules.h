/* SPDX-License-Identifier: MIT */
/*
 * Finds the modules of a snapshot whose source does not list them: at mappings that begin with an
 * ELF header, named by their mapping or else by the dynamic linker's list (the link map).
 *
 *	snapshot_modules_find(&snapshot);
 *	... snapshot.modules, by address, with build ID where memory holds it
 *
 * A mapped file whose header was not dumped becomes a module without a build ID or a bias. Must be
 * called once, before files are opened.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H

#include "formats/elf/elf.h"
#include "model/snapshot.h"
#include "unwind/tables/modules.h"

/* Entries that are followed; needed because a list may be circular. */
enum { LINK_MAP_MAX = 1 << 14 };

/* Read an entry of the auxiliary vector. Return false if not found. */
bool snapshot_auxv(const struct snapshot *snapshot, uint64_t type, uint64_t *value);

void snapshot_modules_find(struct snapshot *snapshot);

struct link_map_entry {
	uint64_t bias, dynamic;  /* `dynamic` is the address of the module's dynamic section */
	struct cairn_bytes name; /* empty for the program itself, or if it cannot be read */
};

/*
 * Visit the link map until the callback returns false. `dynamic` is the address of the program's
 * dynamic section; if it is 0, the section is found by the program headers in memory.
 */
typedef bool link_map_visit(void *context, const struct link_map_entry *entry);
void snapshot_link_map(const struct snapshot *snapshot, uint64_t dynamic, link_map_visit *visit,
                       void *context);

/*
 * Return callbacks that recognize code outside of modules: executable memory of a process or core.
 * Its bytes may be missing, because a core does not contain pages that are in a file.
 */
struct generated_code snapshot_generated_code(struct snapshot *snapshot);

/*
 * Return the bits of a code address that contain its signature: those in the core's note, or else
 * those above all mapped addresses. Return 0 if the machine does not sign addresses or this cannot
 * be determined.
 */
uint64_t snapshot_signature_bits(const struct snapshot *snapshot);

static inline unsigned snapshot_segment_access(const struct elf_segment *segment)
{
	return snapshot_access_of(segment->flags & ELF_PF_READ, segment->flags & ELF_PF_WRITE,
	                          segment->flags & ELF_PF_EXECUTE);
}

/*
 * Modules whose headers are not in a core, because some kernels, filters and emulators do not write
 * them. The auxiliary vector and the link map still show where they are and whether a file matches.
 * After modules are added, they must be sorted.
 */

/* Return true if the program itself is missing, or among the modules without a bias. */
bool snapshot_lacks_program(const struct snapshot *snapshot);

/* Return true if a module with a bias contains the address. Modules need not be sorted. */
bool snapshot_has_module(const struct snapshot *snapshot, uint64_t address);

/*
 * Return true and set *bias if the file matches the program, by its program headers, its entry
 * point, its mappings and its dynamic section. A file that the user supplied (`given`) also matches
 * a reduced core that lacks all mappings of the program, or its dynamic section.
 */
bool snapshot_is_program(const struct snapshot *snapshot, const struct elf *file, bool given,
                         uint64_t *bias);

/*
 * Return true if the file matches an entry of the link map, by its mappings and its dynamic
 * section.
 */
bool snapshot_is_loaded(const struct snapshot *snapshot, const struct elf *file,
                        const struct link_map_entry *entry);

/*
 * Add the module of a file, or complete the one without a bias. `path` and the build ID are copied.
 * Return NULL on failure.
 */
struct snapshot_module *snapshot_add_unlisted(struct snapshot *snapshot, const struct elf *file,
                                              uint64_t bias, struct cairn_bytes path);

/* Return the address of the file's dynamic section in memory, or 0 if it does not have one. */
uint64_t snapshot_dynamic_address(const struct elf *file, uint64_t bias);

/*
 * Code of a module that is mapped a second time. V8 does that with its builtins, so that they are
 * near the code it generates. A core does not contain such a mapping, because it was never
 * modified, but the list of mapped files does. It becomes a module of its own, with the build ID of
 * the first one and the bias that follows from its file offset, so that its bytes and names are
 * read from the file.
 *
 *	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE };
 *	snapshot_remapped_code_find(&snapshot);
 *
 * Modules must be sorted, and remain sorted.
 */

void snapshot_remapped_code_find(struct snapshot *snapshot);

/*
 * The size of the vDSO, an ELF file that exists only in memory and has symbols and section headers.
 */

/* The kernel's has one to four pages; a larger one is not trusted. */
enum { VDSO_IMAGE_MAX = 1 << 16 };

/*
 * Return the bytes from module->low to the end of its mapping. Return 0 if the module is not the
 * vDSO or is larger than VDSO_IMAGE_MAX.
 */
size_t vdso_image_size(const struct snapshot *snapshot, const struct snapshot_module *module);

/*
 * Run-times that generate code (JIT), recognized by the names of their modules: why a stack may end
 * in their code, and which option prevents that.
 */

/*
 * Return a phrase, a constant, that explains why no caller was found for a frame at `pc`. Return
 * NULL if `pc` is in a module or in memory that is not executable. Mappings and modules must be
 * sorted.
 */
const char *snapshot_explain_jit_code(const struct snapshot *snapshot, uint64_t pc);

#endif
