/* SPDX-License-Identifier: MIT */
/*
 * Makes those seeds of the corpora that no compiler writes: make_seeds FOLDER puts each into FOLDER/TARGET/NAME, and
 * seeds.sh compares them with tests/fuzz/corpus.
 */
#include "fixture_elf.h"
#include "fixture_hotspot.h"
#include "fixture_minidump.h"

#include "formats/corenotes.h"
#include "formats/elf/elf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define BYTES(literal)                                          \
	{                                                       \
		(const uint8_t *)(literal), sizeof(literal) - 1 \
	}

struct seed {
	const char *target, *name;
	struct cairn_bytes bytes;
};

/* One instruction of each kind that the code of amd64 is asked about; the first two bytes are those of fuzz_flow. */
static const struct seed instructions[] = {
	{ "flow", "immediates",
	  BYTES("\0\0"
	        "\x66\x0f\x78\xc1\x01\x02" /* extrq */
	        "\x0f\x20\xc0"             /* mov %cr0,%rax */
	        "\xf7\xc0\x01\0\0\0"       /* test */
	        "\xf6\x00\x01"
	        "\xc5\xf8\x77"         /* vzeroupper */
	        "\x67\x8b\x07"         /* mov (%edi),%eax */
	        "\x66\x81\xc0\x34\x12" /* add of 2 bytes */
	        "\xa1\x01\x02\x03\x04\x05\x06\x07\x08"
	        "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08"
	        "\xc2\x08\0"   /* ret 8 */
	        "\xc8\x10\0\0" /* enter */
	        "\x66") },     /* a prefix and no more */
	{ "flow", "pushes-of-all-kinds",
	  BYTES("\0\0"
	        "\x66\x50\x66\x58" /* of 2 bytes */
	        "\x68\x01\0\0\0\x6a\x01\x9c\x9d"
	        "\x0f\xa0\x0f\xa1" /* %fs */
	        "\x8f\x00\xff\x30\x0f\x0b") },
	{ "flow", "stores",
	  BYTES("\0\0"
	        "\xd9\x10\xd9\x30\xdd\x10\xdd\x30\xdb\x38" /* x87 */
	        "\x0f\x13\x00\x0f\x17\x00\x0f\x7e\x00\x66\x0f\xd6\x00\x0f\x29\x00\x0f\x2b\x00"
	        "\x0f\x94\x00"                                         /* sete */
	        "\x0f\xa4\x00\x01\x0f\xab\x00\x0f\xb0\x00\x0f\xc3\x00" /* shld, bts, cmpxchg, movnti */
	        "\x0f\xba\x28\x01\x0f\xba\x20\x01\x0f\xae\x00\x0f\xc7\x08"
	        "\x0f\x38\xf1\x07"                     /* movbe */
	        "\x66\x0f\x3a\x14\x00\x01"             /* pextrb */
	        "\xc4\xe3\x79\x14\x00\x01"             /* vpextrb */
	        "\xc4\xe3\x7d\x19\x00\x01"             /* vextractf128 */
	        "\xc4\xe2\x79\x2e\x00"                 /* vmaskmovps */
	        "\xc5\xf9\x91\x00\xc5\xf9\x7f\x00") }, /* kmovb, vmovdqa */
	{ "flow", "registers",
	  BYTES("\0\0"
	        "\x86\xc3\x99\x93\x0f\x31"         /* xchg, cltd, xchg, rdtsc */
	        "\xf3\x0f\x1e\xc8\x0f\xba\xe8\x01" /* rdsspd, bts */
	        "\xf3\x0f\x2c\xc0\x0f\x2c\xc0\x0f\x7e\xc0\xf3\x0f\x7e\xc0"
	        "\x66\x0f\x3a\x63\xc1\x01\x66\x0f\x3a\x14\xc0\x01" /* pcmpistri, pextrb */
	        "\xf2\x0f\x38\xf1\xc1"                             /* crc32 */
	        "\xc4\xe3\x7b\xf0\xc1\x01\xc4\xe3\x79\x14\xc0\x01" /* rorx, vpextrb */
	        "\xc4\xe3\x79\x63\xc1\x01"
	        "\xc5\xfa\x2c\xc0\xc5\xf9\x7e\xc0\xc5\xfa\x7e\xc0\xc5\xf9\x50\xc0"
	        "\x0f\xc7\xf0\x0f\xae\xc0\xf7\xe1\xfe\xc4\x0f\xa2") },
};

static const struct seed texts[] = {
	{ "macho", "fileid-base64-old-alphabet", BYTES("ABEiM0RVZneImaq7zN3u/w") },
	{ "macho", "fileid-base64-plus", BYTES("+++++++++++++++++++++A") },
	{ "stack_cfi", "arithmetic",
	  BYTES("STACK CFI INIT 1000 40 .cfa: 100 16 @ 3 2 * + .ra: 100 7 / 9 4 % +\n"
	        "STACK CFI INIT 2000 10 .cfa: 4 0 / .ra: 1\n"
	        "STACK CFI INIT 3000 10 .cfa: 4 3 @ .ra: 1\n"
	        "STACK CFI INIT 4000 10 .cfa: 4 0 % .ra: +\n") },
	{ "breakpad", "past-the-end",
	  BYTES("MODULE Linux x86_64 000102030405060708090a0b0c0d0e0f0 x\n"
	        "INFO CODE_ID 0011223344 x\n"
	        "FUNC fffffffffffffff0 40 0 f\n"
	        "STACK CFI INIT fffffffffffffff0 40 .cfa: $rsp 8 +\n") },
	{ "markup", "numbers",
	  BYTES("{{{module:0b1:m:elf:ab}}}{{{mmap:0o17:0B10:load:0b1:r:010}}}{{{bt:0b0:0o17:pc}}}\n"
	        "{{{module:1:m}}}{{{module:1:m:elf}}}{{{mmap:1:2}}}{{{symbol}}}{{{pc:0b2}}}\n"
	        "{{{mmap:0x10:0x10:load:0xg:rwxz:0}}}{{{module:2:n:elf:abc}}}{{{module:3:n:elf:xy}}"
	        "}\n") },
};

/* CIEs and FDEs whose letters and encodings compilers write for other machines, after the byte that orders them. */
#define FRAMES(encoding)                                                   \
	BYTES("\0\x14\0\0\0\0\0\0\0\x01"                                   \
	      "zRLBG\0\x01\x78\x10\x02" encoding "\x1b\x0c\x07\x08"        \
	      "\x14\0\0\0\x1c\0\0\0\0\x10\0\0\x20\0\0\0\x04\0\0\0\0\0\0\0" \
	      "\0\0\0\0")

static const struct seed packed_and_foreign[] = {
	{ "symbfile", "in-gzip", BYTES("\x1f\x8b\x08\0\0\0\0\0\0\x03") },
	{ "symbfile", "in-zstd", BYTES("\x28\xb5\x2f\xfd\x04\x58\0\0") },
	{ "macho", "uuid",
	  BYTES("\xcf\xfa\xed\xfe\x07\0\0\x01\x03\0\0\0\x02\0\0\0\x01\0\0\0\x18\0\0\0\0\0\0\0\0\0\0"
	        "\0"
	        "\x1b\0\0\0\x18\0\0\0"
	        "0123456789abcdef") },
	{ "markup", "octal",
	  BYTES("{{{module:0o2:m:elf:ab}}}{{{bt:0:0o17:pc:text}}}{{{bt:1:2:pc:m\n") },
	{ "ehframe", "letters", FRAMES("\x1b") },
	{ "ehframe", "from-text", FRAMES("\x2b") },
	{ "ehframe", "from-function", FRAMES("\x4b") },
	{ "ehframe", "from-elsewhere", FRAMES("\x6b") },
};

/* Constants and types of Rust that rustc writes rarely, and damaged ones. */
static const char *const rust_names[] = {
	"_RINvC1a1bKb2_E",
	"_RINvC1a1bKc110000_Kcd800_E",
	"_RINvC1a1bKRe80_E",
	"_RINvC1a1bKRec341_E",
	"_RINvC1a1bKRec3a_E",
	"_RINvC1a1bKRee282acf09f9880_E",
	"_RINvC1a1bKce9_Kc20ac_Kc1f600_E",
	"_RINvC1a1bKj5_KB8_E",
	"_RINvC1a1bL_L0_E",
	"_RINvC1a1bFGs_RL0_eEuE",
	"_RINvC1a1bFG_DNtC1c1TEL0_EuE",
	"_RNvMINtC1a1SL0_Ee1b",
	"_RINvC1a1bNtC1c1TDB7_p1XhEL_E",
	"_RINvC1a1bINtC1c1ThEDB7_p1XhEL_E",
	"_RINvC1a1bWhRj1_j5_WhORj1_j2_Rj4_j5_EWPhNE",
	"_RINvC1a1bWhXE",
	"_RNvC1au3_AB9",
	"_RNvC5crateu15fiq228c_bcd9999z",
	"_RNvC5crateu15hg5b6dq1ibu2s8a1x",
	"_RNvC5crateu8_99999999",
	"_RINvC1a1bKVNtC1c1SX_E",
	"_RINvC1a1bDNtC1c1TExE",
	"_RNvCaaaaaaaaaaaaaaaa_1a",
	"_RINvC1a1bKB_KBzzzz_E",
	"_RINvC1a1bFKu3_abEuE",
};

/* Forms of the C++ ABI that names of programs rarely have. */
static const char *const itanium_names[] = {
	"_Z1fDdDeDfDhDiDsDuDcDn",
	"_Z1fTs1STu1UTe1EGd",
	"_Z1fIJiiEEDTsZT_EDpT_",
	"_Z1fIJiiEEDTsPT_iEDpT_",
	"_Z1fIiEDTu3fooT_Li1EEEv",
	"_Z1fIiEDTdlcvPT_LDnEEEv",
	"_Z1fIiEDTdacvPT_Li0EEEv",
	"_Z1fIiEDTawLi0EEEv",
	"_Z1fIiEDTgssrT_1xEv",
	"_Z1fIiEDTgs1xEv",
	"_Z1fIiEDTnwLi1E_T_piLi2EEEEv",
	"_Z1fIiEDTgsnw_T_ilLi2EEEEv",
	"_Z1fIiEDTnaLi1E_T_EEv",
	"_Z1fIiEDTtwLi1EEEv",
	"_Z1fIiEDTtrEEv",
	"_Z1fIiEDTtiT_EEv",
	"_Z1fIiEDTteLi1EEEv",
	"_Z1fIiEDTatT_EEv",
	"_Z1fIiEDTtlT_Li1EEEEv",
	"_Z1fIiEDTtlT_di1xLi1EEEEv",
	"_Z1fIiEDTtlT_dxLi0ELi1EEEEv",
	"_Z1fIiEDTtlT_dXLi0ELi2ELi1EEEEv",
	"_Z1fIiEDTilLi1EEEEv",
	"_Z1fIiEDTcv_iLi1EEEEv",
	"_Z1fIiEDTcvT__Li1ELi2EEEEv",
	"_Z1fIiEDTscT_Li1EEEv",
	"_Z1fIiEDTclonplfp_Li1EEET_",
	"_Z1fIiEDTclL_Z1gvEEEv",
	"_Z1fIiEDTsrNT_1xE1yEv",
	"_Z1fIiEDTsr1SIT_E1yIiEEv",
	"_Z1fIiEDTsrSt1SIiE1yEv",
	"_Z1fIiEDTdnT_EEv",
	"_Z1fIiEDTptfp_dn1SEPT_",
	"_Z1fIiEDTdtfp_on1aIiEET_",
	"_Z1fIJiiEEDTfLplLi1Efp_EDpT_",
	"_Z1fIJiiEEDTfRplfp_Li1EEDpT_",
	"_Z1fIJiiEEDTflplfp_EDpT_",
	"_Z1fIiEDTquLb1ELi1ELi2EEEv",
	"_Z1fIiEDTrqXLb1EXLb1ENR1STiXLi1EEQLb1EEEv",
	"_Z1fIiEvTLrQT__XLb1EEE",
	"_Z1fITnDaXLi1EEEvv",
	"_Z1fIiTk1CEvv",
	"_Z1fIiQ1CIT_EEvv",
	"_Z1fDkDK1C",
	"_ZZ1fvEs",
	"_ZZ1fvEs_0",
	"_ZZ1fvEs__12_",
	"_ZZ1fiEd_NKUlvE_clEv",
	"_ZZ1fiiEd0_1x",
	"_ZZ1fvENKUlTyT_E_clIiEEDaS_",
	"_ZZ1fvENKUlTnT_TtTyETpTyDpT_E_clEv",
	"_ZZ1fvENKUlTL0__E_clEv",
	"_ZZ1fvENKUlTyTL0__T_E_clIiEEvv",
	"_ZZ1fvENKUtvE1gEv",
	"_ZGTt1fv",
	"_ZGTn1fv",
	"_ZGIW3foo",
	"_ZW3fooWP3bar1fv",
	"_ZGR1x_",
	"_ZGR1x0_",
	"_ZN1SC2Ev",
	"_ZN1SD5Ev",
	"_ZN1SD4B3tagEv",
	"_ZNKO1S1fEv",
	"_ZNVr1S1fEv",
	"_Z1fPDxFvvE",
	"_Z1fPDOLb1EFvvE",
	"_Z1fPDwiEFvvE",
	"_Z1fM1SKFvvRE",
	"_Z1fM1SFvvOE",
	"_Z1fDv4_f",
	"_Z1fDv_Li4E_f",
	"_Z1fDB8_DU8_",
	"_Z1fDBT__",
	"_Z1fA_iAT__i",
	"_Z1fU8__vectori",
	"_Z1fU3fooIiEPi",
	"_Z1fu5typeoIiE",
	"_ZN1xIL_Z1gvEE1yE",
	"_ZN1xILi1EE1yI1zEE",
	"_ZN1xI1SEI1TEE",
	"_ZNDTLi1EE1xE",
	"_ZN12_GLOBAL__N_11fEv",
	"_ZNK1SK1fEv",
	"_ZN1SF1fEv",
	"_ZNH1S1fEv",
	"_Zli2_wy",
	"_Zv12foov",
	"_ZN1ScvT_IiEEv",
	"_Z1fIXadL_Z1gvEEEvv",
	"_Z1fIXLDnEEXLPKc0EEXLA3_KcEEEvv",
	"_Z1fIXLb0EXLb2EXLd4000000000000000EEEEvv",
	"_Z1fIXLe40000000000000000000EEEvv",
	"_Z1fIXLinnEEEvv",
	"_Z1fIXL1SEEEvv",
	"_ZTW1x",
	"_ZTH1x",
	"_ZTC1S0_1T",
	"_ZTch0_h8_N1S1fEv",
	"_ZTcv0_n8_v0_n16_N1S1fEv",
	"_ZTvn8_n16_N1S1fEv",
	"_ZTAXLi1EE",
};

static const char *directory;

static void write_seed(const char *target, const char *name, struct cairn_bytes bytes)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, target);
	if (mkdir(path, 0777) != 0 && errno != EEXIST) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	snprintf(path, sizeof(path), "%s/%s/%s", directory, target, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0) {
		perror(path);
		exit(EXIT_FAILURE);
	}
}

static void write_seeds(const struct seed *seeds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_seed(seeds[i].target, seeds[i].name, seeds[i].bytes);
}

static void write_names(const char *target, const char *const *names, size_t count)
{
	char name[32];

	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "rare-%02zu", i);
		write_seed(target, name,
		           (struct cairn_bytes){ (const uint8_t *)names[i], strlen(names[i]) });
	}
}

struct machine {
	const char *name;
	enum cairn_machine machine;
	bool wide, big;
	unsigned registers, register_size; /* bytes */
};

/* As many registers as the kernel writes. */
static const struct machine machines[] = {
	{ "amd64", CAIRN_MACHINE_AMD64, true, false, 27, 8 },
	{ "aarch64", CAIRN_MACHINE_AARCH64, true, false, 34, 8 },
	{ "s390x", CAIRN_MACHINE_S390X, true, true, 27, 8 },
	{ "i386", CAIRN_MACHINE_I386, false, false, 17, 4 },
	{ "arm", CAIRN_MACHINE_ARM, false, false, 18, 4 },
	{ "ppc64", CAIRN_MACHINE_PPC64, true, true, 48, 8 },
	{ "riscv64", CAIRN_MACHINE_RISCV64, true, false, 32, 8 },
	{ "x32", CAIRN_MACHINE_X32, false, false, 27, 8 },
	{ "s390", CAIRN_MACHINE_S390, false, true, 36, 4 },
	{ "ppc", CAIRN_MACHINE_PPC, false, true, 48, 4 },
	{ "none", CAIRN_MACHINE_NONE, false, false, 17, 4 },
};

static void put_words(struct fixture_out *o, const struct machine *m, unsigned count,
                      uint64_t first)
{
	for (unsigned i = 0; i < count; i++)
		fixture_out_put(o, first + i, m->wide ? 8 : 4);
}

static void put_note(struct fixture_out *notes, const char *owner, uint32_t type,
                     const struct fixture_out *body)
{
	fixture_note(notes, owner, type, (const char *)body->data, (uint32_t)body->size);
}

static struct fixture_out *begin_body(const struct machine *m)
{
	static struct fixture_out body;

	body.size = 0;
	body.big = m->big;
	return &body;
}

static void put_thread(struct fixture_out *notes, const struct machine *m)
{
	struct fixture_out *body = begin_body(m);

	for (unsigned i = 0; i < 3; i++)
		fixture_out_put(body, 0, 4);
	fixture_out_put(body, 11, 2);
	fixture_out_put(body, 0, 2);
	put_words(body, m, 2, 0);
	fixture_out_put(body, 4321, 4);
	for (unsigned i = 0; i < 3; i++)
		fixture_out_put(body, 1, 4);
	put_words(body, m, 8, 0);
	for (unsigned i = 0; i < m->registers; i++)
		fixture_out_put(body, 0x80401000 + i, m->register_size);
	put_note(notes, "CORE", CORENOTE_PRSTATUS, body);
}

static void put_process(struct fixture_out *notes, const struct machine *m)
{
	static const char name[16] = "program", arguments[80] = "program one  ";
	struct fixture_out *body = begin_body(m);
	const bool wide_ids = m->wide || m->machine == CAIRN_MACHINE_PPC;

	fixture_out_put(body, 0, 4);
	put_words(body, m, m->wide ? 2 : 1, 0); /* with its padding */
	fixture_out_put(body, 0, wide_ids ? 8 : 4);
	fixture_out_put(body, 4321, 4);
	for (unsigned i = 0; i < 3; i++)
		fixture_out_put(body, 1, 4);
	fixture_out_text(body, name, sizeof(name));
	fixture_out_text(body, arguments, sizeof(arguments));
	put_note(notes, "CORE", CORENOTE_PRPSINFO, body);
}

static void put_signal(struct fixture_out *notes, const struct machine *m)
{
	struct fixture_out *body = begin_body(m);

	fixture_out_put(body, 11, 4);
	fixture_out_put(body, 0, 4);
	fixture_out_put(body, 1, 4);
	fixture_out_put(body, 0, m->wide ? 4 : 0);
	put_words(body, m, 2, 0x1000);
	put_note(notes, "CORE", CORENOTE_SIGINFO, body);
}

/* Two files, and a note that claims more than it has. */
static void put_files(struct fixture_out *notes, const struct machine *m)
{
	struct fixture_out *body = begin_body(m);

	put_words(body, m, 1, 2);
	put_words(body, m, 1, 4096);
	put_words(body, m, 3, 0x1000);
	put_words(body, m, 3, 0x2000);
	fixture_out_text(body, "/a\0/b", 6);
	put_note(notes, "CORE", CORENOTE_FILE, body);
	body = begin_body(m);
	put_words(body, m, 2, 4096);
	put_note(notes, "CORE", CORENOTE_FILE, body);
	body = begin_body(m);
	put_words(body, m, 2, 0);
	put_note(notes, "CORE", CORENOTE_FILE, body);
}

static void put_others(struct fixture_out *notes, const struct machine *m)
{
	struct fixture_out *body = begin_body(m);

	for (unsigned i = 0; i < 17; i++)
		fixture_out_put(body, i, 8);
	put_note(notes, "CORE", CORENOTE_FPREGSET, body);
	body->size = 16;
	put_note(notes, "LINUX", CORENOTE_386_TLS, body);
	put_note(notes, "LINUX", CORENOTE_ARM_TLS, body);
	body->size = 8;
	put_note(notes, "CORE", CORENOTE_SIGINFO, body); /* too short */
	put_note(notes, "CORE", CORENOTE_PRSTATUS, body);
	put_note(notes, "VMCOREINFO", 0, body);
}

static void write_core_notes(const struct machine *m)
{
	static struct fixture_out notes;

	notes.size = 0;
	notes.big = m->big;
	fixture_out_put(&notes, m->machine | (m->wide ? 0x40u : 0) | (m->big ? 0x80u : 0), 1);
	struct fixture_out padded = { .big = m->big };
	put_process(&padded, m);
	put_thread(&padded, m);
	put_signal(&padded, m);
	put_files(&padded, m);
	put_others(&padded, m);
	fixture_out_text(&notes, (const char *)padded.data, padded.size);
	write_seed("corenotes", m->name, fixture_out_bytes(&notes));
}

/* What identifies a program: notes in a segment and in a section, and the words of a compiler. */
static void write_program(const char *name, uint16_t machine, bool wide, bool big)
{
	static struct fixture_out notes, file;

	notes.size = 0;
	notes.big = big;
	fixture_note(&notes, "FDO", 0xcafe1a7e, "{\"type\":\"deb\"}\0\0", 16);
	fixture_note(&notes, "GNU", 3, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	const struct fixture_section sections[] = {
		{ ".note.gnu.build-id", 7, 0x1000, fixture_out_bytes(&notes), 0, 0 },
		{ ".comment", 1, 0, BYTES("GCC: (x) 12\0clang version 14\0"), 0, 0 },
	};
	const struct fixture_segment segments[] = { { 4, 4, 0x1000, notes.size, 1 } };
	const struct fixture_elf elf = { wide, big,      false, ELF_TYPE_DYN, machine, 0,
		                         1,    segments, 2,     sections };
	fixture_elf(&file, &elf, NULL);
	write_seed("elf", name, fixture_out_bytes(&file));
}

/* A jump through a slot that counts from the table of slots, as in position-independent code of i386. */
static void write_i386_stub(void)
{
	static struct fixture_out symbols, relocations, file;

	symbols.size = relocations.size = 0;
	fixture_symbol(&symbols, false, 0, 0);
	fixture_symbol(&symbols, false, 0, 0);
	fixture_out_poke(&symbols, symbols.size / 2, 1, 4);
	fixture_out_put(&relocations, 0x3010, 4);
	fixture_out_put(&relocations, 1 << 8 | 7, 4);
	const struct fixture_section sections[] = {
		{ ".plt", 1, 0x1000, BYTES("\xff\xa3\x10\0\0\0\x68\0\0\0\0\xe9\0\0\0\0"), 0, 0 },
		{ ".rel.plt", ELF_SHT_REL, 0, fixture_out_bytes(&relocations), 3, 0 },
		{ ".dynsym", ELF_SHT_DYNSYM, 0, fixture_out_bytes(&symbols), 4, 0 },
		{ ".dynstr", 3, 0, BYTES("\0puts\0"), 0, 0 },
		{ ".got.plt", 1, 0x3000, BYTES("12345678"), 0, 0 },
	};
	const struct fixture_elf elf = { false, false, false, ELF_TYPE_DYN, ELF_EM_386, 0,
		                         0,     NULL,  5,     sections };
	fixture_elf(&file, &elf, NULL);
	write_seed("elf", "plt-i386", fixture_out_bytes(&file));
}

/* What programs of Windows before 2000 have as debugging information, and a name beyond the first plane of Unicode. */
static void write_old_minidump(void)
{
	static const char record[] = "NB10\0\0\0\0\x78\x56\x34\x12\x02\0\0\0old.pdb";
	static const char name[] =
		"\x08\0\0\0a\0\x3d\xd8\x00\xde\x3d\xd8\0"; /* one whole pair, one half */
	static struct fixture_minidump dump;

	fixture_minidump_begin(&dump, false);
	fixture_minidump_system(&dump, 9, 0x8201);
	const struct fixture_minidump_part codeview =
		fixture_minidump_bytes(&dump, record, sizeof(record));
	const struct fixture_minidump_part text = fixture_minidump_bytes(&dump, name, sizeof(name));
	fixture_minidump_open(&dump, 4);
	fixture_out_put(&dump.out, 1, 4);
	fixture_minidump_module(&dump, 0x400000, 0x1000, text.offset, codeview);
	fixture_minidump_close(&dump);
	write_seed("minidump", "old", fixture_minidump_finish(&dump));
}

/*
 * A caller whose stack is in the image, far below the one of what it calls, and which has been called from there again: orders, then an
 * image whose end is the stack once more.
 */
static void write_other_stack(void)
{
	enum { ORDERS = 12, IMAGE = 0x400000, STACK = 0x7ffc0000, SIZE = 0x400, BACK = 0x50 };
	enum { ENTRIES = 0x60, BELOW = 0x100, STACK_AT = SIZE - 512, FIRST = 0x60, SECOND = 0x80 };
	static const uint8_t orders[ORDERS] = { 8,           0,         0,       0, 0x40, 0,
		                                SIZE & 0xff, SIZE >> 8, ENTRIES, 0, 0x40, 0 };
	/* from 0x10 to 0x58 the CFA is %rbp + 16, and below it are the return address and %rbp */
	static const uint8_t entries[] =
		"\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\6\x10\x90\1\x86\2"
		"\x10\0\0\0\x1c\0\0\0\x90\xff\xff\xff\x48\0\0\0\0\0\0\0";
	static const struct {
		unsigned at;
		uint64_t fp;
	} frames[] = { { STACK_AT + FIRST, IMAGE + BELOW },
		       { BELOW, STACK + SECOND },
		       { STACK_AT + SECOND, IMAGE + BELOW } };
	static uint8_t seed[ORDERS + SIZE];
	uint8_t *const image = seed + ORDERS;

	memcpy(seed, orders, ORDERS);
	memset(image + 0x10, 0x90, 0x48);
	memcpy(image + BACK - 2, "\xff\xd0", 2); /* call *%rax */
	memcpy(image + ENTRIES, entries, sizeof(entries) - 1);
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		for (unsigned byte = 0; byte < 8; byte++) {
			image[frames[i].at + byte] = (uint8_t)(frames[i].fp >> 8 * byte);
			image[frames[i].at + 8 + byte] =
				(uint8_t)((uint64_t)(IMAGE + BACK) >> 8 * byte);
		}
	write_seed("unwind", "amd64-other-stack", (struct cairn_bytes){ seed, sizeof(seed) });
}

/* A log with readable names of C++, and the file whose symbols they are made of. */
static void write_readable_log(void)
{
	static const char log[] = "\x63\0 1: (n::f(int, n::a<int> )+0x11) [0x55d3f0b1d011]\n"
				  " 2: (n::f(long)+0x1) [0x55d3f0b1d101]\n 3: main()\n";
	static const char names[] = "\0_ZN1n1fEiNS_1aIiEE\0_ZN1n1fEl\0_ZN1n1fE\0main\0";
	enum { NAMES = 4, INFO = 0x12, CODE = 0x1000, SIZE = 0x100 };
	static const unsigned name_at[NAMES] = { 1, 20, 30, 39 };
	static struct fixture_out symbols, file;

	symbols.size = 0;
	fixture_symbol(&symbols, true, 0, 0);
	for (unsigned i = 0; i < NAMES; i++) {
		const size_t at = symbols.size;
		fixture_symbol(&symbols, true, 1, CODE + i * SIZE);
		fixture_out_poke(&symbols, at, name_at[i], 4);
		fixture_out_poke(&symbols, at + 4, INFO, 1);
		fixture_out_poke(&symbols, at + 16, SIZE, 8);
	}
	const struct fixture_section sections[] = {
		{ ".text", 1, CODE, BYTES("\x90\x90\x90\x90"), 0, 0 },
		{ ".symtab", ELF_SHT_SYMTAB, 0, fixture_out_bytes(&symbols), 3, 0 },
		{ ".strtab", 3, 0, BYTES(names), 0, 0 },
	};
	const struct fixture_segment segments[] = { { 1, 5, CODE, (uint64_t)NAMES * SIZE, 1 } };
	const struct fixture_elf elf = { true, false,    false, ELF_TYPE_DYN, ELF_EM_X86_64, 0,
		                         1,    segments, 3,     sections };
	file.size = 0;
	fixture_elf(&file, &elf, NULL);
	static uint8_t seed[8192];
	memcpy(seed, log, sizeof(log) - 1);
	memcpy(seed + sizeof(log) - 1, file.data, file.size);
	write_seed("captured_stacks", "readable",
	           (struct cairn_bytes){ seed, sizeof(log) - 1 + file.size });
}

/*
 * A core whose thread runs on a second stack, and has left it for a third one: the frame of a signal is there, and the file ends in
 * the middle of that segment.
 */
static void write_third_stack(void)
{
	enum {
		FIRST = 0x7ff000,
		SECOND = 0x600000,
		THIRD = 0x700000,
		SIZE = 0x20000,
		SMALL = 0x40
	};
	enum { HEADERS = 64 + 4 * 56, STATUS = 336, NOTE = 20 + STATUS, REGISTERS = 112 };
	enum { PC = 16, SP = 19, FS_BASE = 21, CS_AT = 184, SS_AT = 190, FRAME = 0x100 };
	static const struct {
		uint64_t va, size, in_file;
	} stacks[] = { { FIRST, SMALL, SMALL }, { SECOND, SMALL, SMALL }, { THIRD, SIZE, FRAME } };
	static struct fixture_out core;
	uint64_t at = HEADERS + NOTE;

	core.size = 0;
	memcpy(core.data,
	       "\x7f"
	       "ELF\2\1\1",
	       7);
	fixture_out_poke(&core, 16, 4, 2); /* ET_CORE */
	fixture_out_poke(&core, 18, ELF_EM_X86_64, 2);
	fixture_out_poke(&core, 20, 1, 4);
	fixture_out_poke(&core, 32, 64, 8);
	fixture_out_poke(&core, 52, 64, 2);
	fixture_out_poke(&core, 54, 56, 2);
	fixture_out_poke(&core, 56, 4, 2);
	fixture_out_poke(&core, 64, 4, 4); /* PT_NOTE */
	fixture_out_poke(&core, 64 + 8, HEADERS, 8);
	fixture_out_poke(&core, 64 + 32, NOTE, 8);
	for (unsigned i = 0; i < sizeof(stacks) / sizeof(*stacks); i++) {
		const size_t header = 64 + (i + 1) * 56;
		fixture_out_poke(&core, header, 1 | (uint64_t)6 << 32, 8); /* PT_LOAD, RW */
		fixture_out_poke(&core, header + 8, at, 8);
		fixture_out_poke(&core, header + 16, stacks[i].va, 8);
		fixture_out_poke(&core, header + 32, stacks[i].size, 8);
		fixture_out_poke(&core, header + 40, stacks[i].size, 8);
		at += stacks[i].in_file;
	}
	fixture_out_poke(&core, HEADERS, 5 | (uint64_t)STATUS << 32, 8);
	fixture_out_poke(&core, HEADERS + 8, 1, 4); /* NT_PRSTATUS */
	memcpy(core.data + HEADERS + 12, "CORE", 4);
	const size_t registers = HEADERS + 20 + REGISTERS;
	fixture_out_poke(&core, registers + PC * 8, 0x400010, 8);
	fixture_out_poke(&core, registers + SP * 8, SECOND + 0x10, 8);
	fixture_out_poke(&core, registers + FS_BASE * 8, FIRST + 0x20, 8);
	const size_t frame = (size_t)at - FRAME;
	fixture_out_poke(&core, frame + 16, THIRD, 8);
	fixture_out_poke(&core, frame + 32, SIZE, 8);
	fixture_out_poke(&core, frame + CS_AT, 0x33, 2);
	fixture_out_poke(&core, frame + SS_AT, 0x2b, 2);
	write_seed("core_stacks", "third-stack", (struct cairn_bytes){ core.data, (size_t)at });
}

/* A frame of compiled code that has pushed a word, and one of the interpreter that enters a method. */
static void write_code_cache(const char *name, bool is_new, unsigned pc)
{
	enum { HEAD = 8, BACK = 6, OFFSET = JVM_STACK - JVM_LOW };
	static struct fixture_hotspot cache;
	static uint8_t bytes[HEAD + JVM_SIZE];
	const unsigned head[] = { pc - JVM_LOW, OFFSET, OFFSET + 0x80, OFFSET + 24 };

	fixture_hotspot_make(&cache, is_new);
	fixture_hotspot_put(&cache, pc < JVM_INTERPRETER ? JVM_STACK + 8 * BACK : JVM_STACK,
	                    JVM_COMPILED + JVM_BODY + 32, 8);
	for (unsigned i = 0; i < HEAD; i++)
		bytes[i] = (uint8_t)(head[i / 2] >> i % 2 * 8);
	memcpy(bytes + HEAD, cache.memory, JVM_SIZE);
	write_seed("hotspot", name, (struct cairn_bytes){ bytes, sizeof(bytes) });
}

#define WRITE(list) write_seeds(list, sizeof(list) / sizeof(*(list)))
#define WRITE_NAMES(target, list) write_names(target, list, sizeof(list) / sizeof(*(list)))

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: make_seeds FOLDER\n", stderr);
		return 2;
	}
	directory = argv[1];
	WRITE(instructions);
	WRITE(texts);
	WRITE(packed_and_foreign);
	WRITE_NAMES("rust", rust_names);
	WRITE_NAMES("itanium", itanium_names);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		write_core_notes(&machines[i]);
	write_program("notes-ppc", ELF_EM_PPC, false, true);
	write_program("notes-ppc64", ELF_EM_PPC64, true, true);
	write_program("notes-riscv64", ELF_EM_RISCV, true, false);
	write_program("notes-arm", ELF_EM_ARM, false, false);
	write_i386_stub();
	write_old_minidump();
	write_other_stack();
	write_readable_log();
	write_third_stack();
	write_code_cache("jdk-17", false, JVM_COMPILED + JVM_BODY + 64);
	write_code_cache("jdk-25", true, JVM_COMPILED + JVM_BODY + 64);
	write_code_cache("interpreter", true, JVM_INTERPRETER + 64);
	return 0;
}
