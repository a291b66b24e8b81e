#!/bin/sh
# SPDX-License-Identifier: MIT
# Ten thousand commands in one session: GDB has no more descriptors after the last than after the
# first thousand, and the module holds no more memory.  GDB 13 itself loses 1 to 2 kB a command, in
# `with` and `source`: that may not be much more either.
#
# What the module holds is counted by a library around malloc(), by where it is called from.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -O1 -pthread
cat >"$tmp/counts.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void __libc_free(void *);
enum { HEADS = 1 << 14, BLOCKS = 1 << 18 };
static struct block { struct block *next; void *at; size_t size; } blocks[BLOCKS], *unused, *heads[HEADS];
static size_t used;
static long spare[2], *counts = spare; /* blocks, bytes */
static uintptr_t low, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_module(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "cairn-gdb.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			high = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	low = info->dlpi_addr;
	return 1;
}
static int ours(void *caller)
{
	static long asked;

	if (!high && ++asked % 64 == 0)
		dl_iterate_phdr(is_module, NULL);
	return high && (uintptr_t)caller >= low && (uintptr_t)caller < high;
}
static void *add(void *block, size_t size, void *caller)
{
	if (!block || !ours(caller))
		return block;
	pthread_mutex_lock(&lock);
	if (counts == spare) {
		int fd = open(COUNTS, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd >= 0 && ftruncate(fd, 4096) == 0)
			counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	struct block **head = &heads[(uintptr_t)block / 16 % HEADS], *new = unused;
	if (new)
		unused = new->next;
	else
		new = &blocks[used < BLOCKS - 1 ? used++ : used];
	*new = (struct block){ *head, block, size };
	*head = new;
	counts[0]++;
	counts[1] += (long)size;
	pthread_mutex_unlock(&lock);
	return block;
}
static void drop(void *block)
{
	if (!block || !high)
		return;
	pthread_mutex_lock(&lock);
	for (struct block **at = &heads[(uintptr_t)block / 16 % HEADS], *b; (b = *at) != NULL; at = &b->next)
		if (b->at == block) {
			counts[0]--;
			counts[1] -= (long)b->size;
			*at = b->next;
			b->next = unused;
			unused = b;
			break;
		}
	pthread_mutex_unlock(&lock);
}
void *malloc(size_t size) { return add(__libc_malloc(size), size, __builtin_return_address(0)); }
void *calloc(size_t n, size_t size) { return add(__libc_calloc(n, size), n * size, __builtin_return_address(0)); }
void *realloc(void *old, size_t size)
{
	drop(old);
	return add(__libc_realloc(old, size), size, __builtin_return_address(0));
}
void free(void *block) { drop(block); __libc_free(block); }
END
"$CC_TARGET" -O2 -shared -fPIC -DCOUNTS="\"$tmp/counts\"" "$tmp/counts.c" -o "$tmp/counts.so" -pthread
cat >"$tmp/look" <<END
#!/bin/sh
od -A n -t d8 -N 16 "$tmp/counts" | awk '{ print "held", \$1, \$2 }'
END
cat >>"$tmp/look" <<'END'
echo "descriptors $(ls "/proc/$1/fd" | wc -l)"
sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/resident \1/p' "/proc/$1/status"
END
cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
define round
set \$i = 0
while \$i < \$arg0
cairn bt 3
cairn where \$pc
cairn bt -json 8
cairn where nosuch
cairn status
set \$i = \$i + 1
end
end
round 200
shell sh $tmp/look \$PPID
round 1800
shell sh $tmp/look \$PPID
print \$cairn_ok
END
LD_PRELOAD="$tmp/counts.so" timeout 580 "$GDB" -iex 'unset environment LD_PRELOAD' -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-ex 'set exec-wrapper env -i' -x "$tmp/script" "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || {
	tail "$tmp/out"
	fail 'GDB ended badly'
}
[ "$(grep -c '^#2 ' "$tmp/out")" = 2000 ] || fail "not all commands answered"
[ "$(grep -c '^cairn: No symbol' "$tmp/out")" = 2000 ] || fail "not all errors said"
awk '/^descriptors / { d[++n] = $2 } /^resident / { r[n] = $2 } /^held / { h[n + 1] = $2; b[n + 1] = $3 }
     END { printf "descriptors %d and %d, the module holds %d and %d bytes in %d and %d blocks, ",
	          d[1], d[2], b[1], b[2], h[1], h[2]
	   printf "resident %d and %d kB\n", r[1], r[2]
	   exit !(n == 2 && d[1] > 3 && d[1] == d[2] && b[1] > 0 && h[1] == h[2] && b[1] == b[2] &&
	          r[1] > 0 && r[2] - r[1] < 9000 * 2.5) }' "$tmp/out" || fail 'something grows'
