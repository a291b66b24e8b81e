/* SPDX-License-Identifier: MIT */
/*
 * Finds the modules of a snapshot whose source, such as a core, does not list modules. A module
 * begins at each mapping that starts with an ELF header. Its name comes from the mapping, or else
 * from the dynamic linker's list (the link map).
 *
 *	snapshot_modules_find(&snapshot);
 *	... snapshot.modules, by address, with build IDs found in memory
 *
 * A mapped file whose header has not been dumped becomes a module without a build ID or a bias.
 * Call snapshot_modules_find() once, before files are opened.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MODULES_H

#include "base/snapshot.h"
#include "formats/elf/elf.h"
#include "unwind/tables/modules.h"

/* Maximum number of entries to follow, because a damaged list may be circular. */
enum { LINK_MAP_MAX = 1 << 14 };

bool snapshot_auxv(const struct snapshot *snapshot, uint64_t type, uint64_t *value);

void snapshot_modules_find(struct snapshot *snapshot);

struct link_map_entry {
	uint64_t bias, dynamic;  /* `dynamic` is the address of the module's dynamic section */
	struct cairn_bytes name; /* empty for the program itself, or if unreadable */
};

/*
 * Visit the entries of the link map until the callback returns false. `dynamic` is the address of
 * the program's dynamic section. If it is 0, locate the section through the program headers in
 * memory.
 */
typedef bool link_map_visit(void *context, const struct link_map_entry *entry);
void snapshot_link_map(const struct snapshot *snapshot, uint64_t dynamic, link_map_visit *visit,
                       void *context);

/*
 * Return callbacks that recognize JIT code, which is executable memory outside of all modules. They
 * do not read the memory, because a core does not contain pages that are unchanged from a file.
 */
struct generated_code snapshot_generated_code(struct snapshot *snapshot);

/*
 * Return the bits that hold the signature in a code address: the bits from the core's
 * NT_ARM_PAC_MASK note, or else the bits above a 39-bit address if the mappings show that the
 * address space has this size. Return 0 if the machine does not sign addresses or the bits cannot
 * be determined.
 */
uint64_t snapshot_signature_bits(const struct snapshot *snapshot);

static inline unsigned snapshot_segment_access(const struct elf_segment *segment)
{
	return snapshot_access_of(segment->flags & ELF_PF_READ, segment->flags & ELF_PF_WRITE,
	                          segment->flags & ELF_PF_EXECUTE);
}

/*
 * Adds modules whose headers are missing from a core, because some kernels, filters and emulators
 * do not dump them. The auxiliary vector and the link map still show where the modules are and
 * whether a file matches. The caller must sort the modules after adding some.
 */

bool snapshot_lacks_program(const struct snapshot *snapshot);

/* Return true if a module with a bias contains the address. The modules need not be sorted. */
bool snapshot_has_module(const struct snapshot *snapshot, uint64_t address);

/*
 * Return true and set *bias if the file matches the program by its program headers, entry point,
 * mappings and dynamic section. A file that the user supplied (`given`) also matches a reduced core
 * that lacks all mappings of the program or its dynamic section.
 */
bool snapshot_is_program(const struct snapshot *snapshot, const struct elf *file, bool given,
                         uint64_t *bias);

/* Return true if the file's mappings and dynamic section match an entry of the link map. */
bool snapshot_is_loaded(const struct snapshot *snapshot, const struct elf *file,
                        const struct link_map_entry *entry);

/*
 * Add a module for a file, or complete the module at its address if that module lacks a bias.
 * Copies `path` and the build ID. Return NULL on failure.
 */
struct snapshot_module *snapshot_add_unlisted(struct snapshot *snapshot, const struct elf *file,
                                              uint64_t bias, struct cairn_bytes path);

/*
 * Return the run-time address of the file's dynamic section, or 0 if the file has no such section.
 */
uint64_t snapshot_dynamic_address(const struct elf *file, uint64_t bias);

/*
 * Finds second mappings of a module's code. V8 maps its builtins a second time so that they are
 * near the code it generates. Such a mapping has never been modified, so a core does not contain
 * its memory, but the list of mapped files includes it. It becomes a separate module with the
 * original's build ID and the bias implied by its file offset, so its bytes and names are read from
 * the file.
 *
 *	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE };
 *	snapshot_remapped_code_find(&snapshot);
 *
 * Modules must be sorted, and remain sorted.
 */

void snapshot_remapped_code_find(struct snapshot *snapshot);

/*
 * Determines the size of the vDSO, an ELF file with symbols and section headers that exists only in
 * memory.
 */

/* The vDSO of Linux has one to four pages; anything larger is not trusted. */
enum { VDSO_IMAGE_MAX = 1 << 16 };

/*
 * Return the number of bytes from module->low to the end of its mapping. Return 0 if the module is
 * not the vDSO or is larger than VDSO_IMAGE_MAX.
 */
size_t vdso_image_size(const struct snapshot *snapshot, const struct snapshot_module *module);

/*
 * Explains why a stack may end in JIT code: recognizes the run-time by the names of its modules and
 * suggests the option that makes its code unwindable.
 */

/*
 * Return a constant phrase that explains why no caller was found for a frame at `pc`. Return NULL
 * if `pc` is in a module or in memory that is not executable. Mappings and modules must be sorted.
 */
const char *snapshot_explain_jit_code(const struct snapshot *snapshot, uint64_t pc);

#endif
